import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startTestService, type TestService } from './start-test-service.ts';

const configMaps = '/api/v1/namespaces/a/configmaps';
const merge = { 'content-type': 'application/merge-patch+json' };

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('a create', () => {
  it.for<[string, string, string, number]>([
    ['refuses the version of an object', '5', '', 400],
    ['ignores a version that is none', 'x', '', 201],
    ['ignores the version zero', '0', '', 201],
    ['ignores a version when nothing is stored', '5', '?dryRun=All', 201],
  ])('%s', async ([name, resourceVersion, query, code]) => {
    const metadata = { name: name.replaceAll(' ', '-'), resourceVersion };
    expect((await service.send('POST', configMaps + query, { body: { metadata } })).code).toBe(code);
  });

  it.for<[string, string, string]>([
    ['v1', 'Status', 'converting (v1.Status) to (core.ConfigMap): unknown conversion'],
    ['v1', 'ConfigMapList', 'converting (v1.ConfigMapList) to (core.ConfigMap): unknown conversion'],
    ['v1', 'Pod', 'converting (v1.Pod) to (core.ConfigMap): unknown conversion'],
    ['v1', 'Secret', 'illegal base64 data at input byte 0'],
    ['v1', 'Foo', 'no kind "Foo" is registered for version "v1"'],
    ['apps/v1', 'ConfigMap', 'no kind "ConfigMap" is registered for version "apps/v1"'],
  ])('tells why %s %s is no ConfigMap', async ([apiVersion, kind, fault]) => {
    const { code, body } = await service.send('POST', configMaps, {
      body: { apiVersion, kind, metadata: { name: 'a' }, data: { x: '1' } },
    });
    expect(code).toBe(400);
    expect(body.message).toContain(fault);
  });
});

describe('an update', () => {
  it('tells of versions beyond 64 bits, and drops the link to itself', async () => {
    await service.send('POST', configMaps, { body: { metadata: { name: 'linked' } } });
    const path = `${configMaps}/linked`;
    const resourceVersion = '9'.repeat(23);
    const refused = await service.send('PUT', path, { body: { metadata: { name: 'linked', resourceVersion } } });
    expect(refused.body.message).toBe(`strconv.ParseUint: parsing "${resourceVersion}": value out of range`);
    const body = { metadata: { name: 'linked', selfLink: '/x', labels: { a: 'b' } } };
    expect((await service.send('PUT', path, { body })).body.metadata).not.toHaveProperty('selfLink');
  });
});

describe('a patch', () => {
  it.for(['application/json-patch+json', 'application/merge-patch+json', 'application/strategic-merge-patch+json'])(
    'of %s is read only once there is an object',
    async (type) => {
      const answer = await service.send('PATCH', `${configMaps}/none`, {
        headers: { 'content-type': type },
        body: 'x',
      });
      expect(answer.code).toBe(404);
    },
  );

  it.for<[object, string]>([
    [{ kind: 'Pod' }, 'converting (v1.Pod) to (core.ConfigMap): unknown conversion'],
    [{ kind: 1 }, 'json: cannot unmarshal number into Go struct field .kind of type string'],
    [{ apiVersion: 'a/b/c' }, 'unexpected GroupVersion string: a/b/c'],
  ])('of the type to %o is refused', async ([body, fault]) => {
    await service.send('POST', configMaps, { body: { metadata: { name: 'typed' } } });
    const answer = await service.send('PATCH', `${configMaps}/typed`, { headers: merge, body });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain(fault);
  });
});

describe('an apply', () => {
  it('says which value its type cannot hold', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held' }, binaryData: { a: '%' } };
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const answer = await service.send('PATCH', `${configMaps}/held?fieldManager=m`, { headers, body });
    expect(answer.body.message).toBe(
      'failed to convert new object (/held; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured object to /v1, Kind=ConfigMap: error decoding from json: illegal base64 data at input byte 0',
    );
  });
});

describe('a scale', () => {
  const deployments = '/apis/apps/v1/namespaces/a/deployments';
  const labels = { app: 'd' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } };

  beforeAll(async () => {
    const body = { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } };
    expect((await service.send('POST', deployments, { body })).code).toBe(201);
  });

  it.for<[string, string, string, object, number]>([
    ['refuses unknown fields of a strict patch', 'PATCH', '?fieldValidation=Strict', { foo: 1 }, 422],
    ['takes unknown fields of other patches', 'PATCH', '', { foo: 1 }, 200],
    ['refuses another uid', 'PUT', '', { metadata: { name: 'd', uid: 'x' }, spec: { replicas: 2 } }, 409],
  ])('%s', async ([, method, query, body, code]) => {
    const headers = method === 'PATCH' ? merge : {};
    expect((await service.send(method, `${deployments}/d/scale${query}`, { headers, body })).code).toBe(code);
  });
});

describe('a watch', () => {
  it('shows what its last finalizer left as it was', async () => {
    const metadata = { name: 'held-back', finalizers: ['a/b'] };
    const made = await service.send('POST', configMaps, { body: { metadata } });
    await service.send('DELETE', `${configMaps}/held-back`);
    const watch = await service.watch(
      `${configMaps}?watch=1&resourceVersion=${made.body.metadata.resourceVersion}&fieldSelector=metadata.name%3Dheld-back`,
    );
    await service.send('PATCH', `${configMaps}/held-back`, {
      headers: merge,
      body: { metadata: { finalizers: null } },
    });
    expect((await watch.next()).type).toBe('MODIFIED');
    const last = await watch.next();
    expect(last.type).toBe('DELETED');
    expect(last.object.metadata.finalizers).toEqual(['a/b']);
    watch.close();
  });
});
