import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AdmissionAttributes } from '../../admission/admission-plugin.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const configMaps = '/api/v1/namespaces/a/configmaps';
const patchTypes = {
  json: { 'content-type': 'application/json-patch+json' },
  merge: { 'content-type': 'application/merge-patch+json' },
  strategic: { 'content-type': 'application/strategic-merge-patch+json' },
  apply: { 'content-type': 'application/apply-patch+yaml' },
};

let service: TestService;
let reserved = 0;
let settled = 0;
const seen: AdmissionAttributes[] = [];

beforeAll(async () => {
  service = await startTestService({
    extensions: {
      plugins: [
        {
          name: 'recorder',
          handles: ({ resource }) => ['configmaps', 'pods'].includes(resource.resource),
          validate: async (attributes) => void seen.push(attributes),
          reserve: async ({ object, dryRun }) => {
            if (object?.metadata.annotations?.['charge'] === undefined || dryRun) return undefined;
            reserved++;
            return {
              settle: () => void settled++,
              undo: async () => {
                reserved--;
              },
            };
          },
        },
      ],
    },
  });
});
afterAll(() => service.stop());

async function create(name: string, more: object = {}, meta: object = {}) {
  const answer = await service.send('POST', configMaps, { body: { metadata: { name, ...meta }, ...more } });
  expect(answer.code, answer.text).toBe(201);
  return answer.body;
}

describe('create', () => {
  it('fills what the server decides and ignores what it does not believe', async () => {
    const created = await create(
      'new',
      { data: { a: '1' } },
      { uid: 'mine', creationTimestamp: '2000-01-01T00:00:00Z' },
    );
    expect(created).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { namespace: 'a' } });
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(created.metadata.creationTimestamp).not.toBe('2000-01-01T00:00:00Z');
    expect(created.metadata.managedFields).toMatchObject([{ manager: 'tester', operation: 'Update' }]);
    expect((await service.send('GET', `${configMaps}/new`)).body).toEqual(created);
  });

  it('generates names', async () => {
    const answer = await service.send('POST', configMaps, { body: { metadata: { generateName: 'gen-' } } });
    expect(answer.body.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('reads YAML', async () => {
    const answer = await service.send('POST', configMaps, {
      body: 'metadata:\n  name: from-yaml\ndata: {a: b}\n',
      headers: { 'content-type': 'application/yaml' },
    });
    expect(answer).toMatchObject({ code: 201, body: { data: { a: 'b' } } });
  });

  it('stores nothing in a dry run', async () => {
    const body = { metadata: { name: 'dry' } };
    const answer = await service.send('POST', `${configMaps}?dryRun=All`, { body });
    expect(answer.code).toBe(201);
    expect(answer.body.metadata.resourceVersion).toBeUndefined();
    expect((await service.send('GET', `${configMaps}/dry`)).code).toBe(404);
  });

  it('gives back what was reserved when the write fails', async () => {
    const annotations = { charge: 'yes' };
    const bodies = [1, 2, 3, 4].map(() => ({ metadata: { name: 'charged', annotations } }));
    const answers = await Promise.all(bodies.map((body) => service.send('POST', configMaps, { body })));
    expect(answers.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    expect({ reserved, settled }).toEqual({ reserved: 1, settled: 1 });
  });

  it.for<[string, string, unknown, number, string]>([
    ['no name', '', {}, 422, 'metadata.name: Required value: name or generateName is required'],
    ['a name that is taken', '', { metadata: { name: 'new' } }, 409, 'configmaps "new" already exists'],
    ['a bad name', '', { metadata: { name: 'A' } }, 422, 'a lowercase RFC 1123 subdomain must consist of'],
    [
      'another namespace',
      '',
      { metadata: { name: 'x', namespace: 'b' } },
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    ['another kind', '', { kind: 'Secret', apiVersion: 'v1' }, 400, 'cannot be handled as a ConfigMap'],
    ['another version', '', { apiVersion: 'v9' }, 400, 'no kind "ConfigMap" is registered for version "v9"'],
    [
      'a version with two slashes',
      '',
      { apiVersion: 'a/b/c' },
      400,
      'unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})',
    ],
    [
      'a resourceVersion',
      '',
      { metadata: { name: 'x', resourceVersion: '1' } },
      400,
      'resourceVersion should not be set',
    ],
    [
      'unknown fields, strictly',
      '?fieldValidation=Strict',
      { metadata: { name: 'x' }, foo: 1 },
      400,
      'unknown field "foo"',
    ],
    ['text', '', 'x', 400, 'the object provided is unrecognized (must be of type ConfigMap)'],
  ])('refuses %s', async ([, query, body, code, message]) => {
    const answer = await service.send('POST', configMaps + query, { body });
    expect(answer).toMatchObject({ code, body: { kind: 'Status', status: 'Failure', code } });
    expect(answer.body.message).toContain(message);
  });

  it('warns of unknown and duplicate fields', async () => {
    const answer = await service.send('POST', configMaps, {
      body: '{"metadata":{"name":"warned","foo":"x"},"data":{"a":"1","a":"2"}}',
    });
    expect(answer.code).toBe(201);
    expect(answer.headers['warning']).toBe(
      '299 - "unknown field \\"metadata.foo\\"", 299 - "duplicate field \\"data.a\\""',
    );
  });
});

describe('update', () => {
  it('replaces, and does not write what changes nothing', async () => {
    const created = await create('replace', { data: { a: '1' } });
    const body = { metadata: { name: 'replace' }, data: { a: '2' } };
    const changed = await service.send('PUT', `${configMaps}/replace`, { body });
    expect(changed).toMatchObject({ code: 200, body: { data: { a: '2' }, metadata: { uid: created.metadata.uid } } });
    const again = await service.send('PUT', `${configMaps}/replace`, { body });
    expect(again.body).toEqual(changed.body);
  });

  it.for<[string, object, number, string]>([
    ['another name', { name: 'b' }, 400, 'the name of the object (b) does not match the name on the URL (refuse)'],
    ['no name', {}, 400, 'the name of the object (refuse based on URL) was undeterminable: name must be provided'],
    [
      'an old version',
      { name: 'refuse', resourceVersion: '1' },
      409,
      'the object has been modified; please apply your changes',
    ],
    [
      'a version that is none',
      { name: 'refuse', resourceVersion: 'x' },
      400,
      'strconv.ParseUint: parsing "x": invalid syntax',
    ],
    ['another uid', { name: 'refuse', uid: 'x' }, 409, 'Precondition failed: UID in precondition: x'],
    ['a deletion', { name: 'refuse', deletionTimestamp: '2020-01-01T00:00:00Z' }, 422, 'field is immutable'],
  ])('refuses %s', async ([, metadata, code, message]) => {
    await service.send('POST', configMaps, { body: { metadata: { name: 'refuse' } } });
    const answer = await service.send('PUT', `${configMaps}/refuse`, { body: { metadata } });
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(message);
  });

  it('creates nothing', async () => {
    const answer = await service.send('PUT', `${configMaps}/absent`, { body: { metadata: { name: 'absent' } } });
    expect(answer).toMatchObject({ code: 404, body: { message: 'configmaps "absent" not found' } });
  });

  it('lets everyone who writes at once have effect', async () => {
    await create('race', { data: {} });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        service.send('PATCH', `${configMaps}/race`, { body: { data: { [`k${i}`]: 'v' } }, headers: patchTypes.merge }),
      ),
    );
    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 200));
    const { body } = await service.send('GET', `${configMaps}/race`);
    expect(Object.keys(body.data)).toHaveLength(20);
  });
});

describe('patch', () => {
  beforeAll(() => create('patched', { data: { a: '1' } }));

  it.for<[keyof typeof patchTypes, unknown, object]>([
    ['json', [{ op: 'add', path: '/data/b', value: '2' }], { b: '2' }],
    ['merge', { data: { c: '3' } }, { c: '3' }],
    ['strategic', { data: { d: '4' } }, { d: '4' }],
  ])('%s', async ([type, body, data]) => {
    const answer = await service.send('PATCH', `${configMaps}/patched`, { body, headers: patchTypes[type] });
    expect(answer).toMatchObject({ code: 200, body: { data: { a: '1', ...data } } });
  });

  it.for<[keyof typeof patchTypes, string, unknown, number, string]>([
    ['json', '', {}, 400, 'cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    ['json', '', [{ op: 'test', path: '/data/a', value: '9' }], 422, 'the server rejected our request'],
    ['json', '', [{ op: 'replace', path: '/metadata/name', value: 'b' }], 400, 'does not match the name on the URL'],
    ['json', '', [{ op: 'replace', path: '/kind', value: 'Foo' }], 422, 'no kind "Foo" is registered'],
    [
      'json',
      '?fieldValidation=Strict',
      [{ op: 'add', path: '/foo', value: 1, bar: 1 }],
      422,
      'json patch unknown field "[0].bar", unknown field "foo"',
    ],
    ['merge', '', [], 400, 'cannot unmarshal array into Go value of type map[string]interface {}'],
    [
      'merge',
      '',
      { data: { a: 1 } },
      422,
      'cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    ['merge', '', { metadata: { resourceVersion: '1' } }, 409, 'the object has been modified'],
    ['merge', '?force=true', {}, 422, 'force: Forbidden: may not be specified for non-apply patch'],
    [
      'strategic',
      '?fieldValidation=Strict',
      { foo: 7 },
      422,
      'Invalid value: "map[foo:7]": strict decoding error: unknown field "foo"',
    ],
    ['apply', '', {}, 422, 'fieldManager: Required value: is required for apply patch'],
    ['apply', '?fieldManager=a', {}, 400, 'invalid object type: /, Kind='],
    [
      'apply',
      '?fieldManager=a',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'patched' }, data: { a: '9' } },
      409,
      'Apply failed with 1 conflict: conflict with "tester" using v1: .data.a',
    ],
  ])('refuses %s%s %j', async ([type, query, body, code, message]) => {
    const answer = await service.send('PATCH', `${configMaps}/patched${query}`, { body, headers: patchTypes[type] });
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(message);
  });

  it('refuses other media types', async () => {
    const answer = await service.send('PATCH', `${configMaps}/patched`, { body: {} });
    expect(answer).toMatchObject({ code: 415, body: { message: '415: Unsupported Media Type' } });
  });

  it('applies: creates, then changes, then takes over by force', async () => {
    const path = `${configMaps}/applied?fieldManager=`;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { a: '1' } };
    const created = await service.send('PATCH', `${path}one`, { body, headers: patchTypes.apply });
    expect(created.code).toBe(201);
    const same = await service.send('PATCH', `${path}one`, { body, headers: patchTypes.apply });
    expect(same).toMatchObject({ code: 200, body: created.body });
    const other = { ...body, data: { a: '2' } };
    expect((await service.send('PATCH', `${path}two`, { body: other, headers: patchTypes.apply })).code).toBe(409);
    const forced = await service.send('PATCH', `${path}two&force=true`, { body: other, headers: patchTypes.apply });
    expect(forced).toMatchObject({ code: 200, body: { data: { a: '2' } } });
  });
});

describe('delete', () => {
  it('answers a Status, or the object for kinds that do', async () => {
    const created = await create('gone');
    const answer = await service.send('DELETE', `${configMaps}/gone`);
    expect(answer).toMatchObject({
      code: 200,
      body: { status: 'Success', details: { name: 'gone', kind: 'configmaps', uid: created.metadata.uid } },
    });
    expect((await service.send('GET', `${configMaps}/gone`)).code).toBe(404);
  });

  it('waits for finalizers, and ends with the last one', async () => {
    await create('held', {}, { finalizers: ['a/b'] });
    const marked = await service.send('DELETE', `${configMaps}/held`);
    expect(marked).toMatchObject({
      code: 200,
      body: { kind: 'ConfigMap', metadata: { deletionGracePeriodSeconds: 0 } },
    });
    expect((await service.send('POST', configMaps, { body: { metadata: { name: 'held' } } })).body.message).toBe(
      'object is being deleted: configmaps "held" already exists',
    );
    const body = { metadata: { finalizers: null } };
    await service.send('PATCH', `${configMaps}/held`, { body, headers: patchTypes.merge });
    expect((await service.send('GET', `${configMaps}/held`)).code).toBe(404);
  });

  it('answers 202 for an old-style foreground deletion that is held', async () => {
    await create('held-202', {}, { finalizers: ['a/b'] });
    const answer = await service.send('DELETE', `${configMaps}/held-202`, { body: { orphanDependents: false } });
    expect(answer.code).toBe(202);
  });

  it('deletes nothing in a dry run', async () => {
    await create('kept');
    expect((await service.send('DELETE', `${configMaps}/kept?dryRun=All`)).code).toBe(200);
    expect((await service.send('GET', `${configMaps}/kept`)).code).toBe(200);
  });

  it.for<[object, number, string]>([
    [{ preconditions: { uid: 'x' } }, 409, 'the UID in the precondition (x) does not match the UID in record'],
    [{ preconditions: { resourceVersion: '1' } }, 409, 'the ResourceVersion in the precondition (1) does not match'],
    [{ propagationPolicy: 'Foo' }, 422, 'propagationPolicy: Unsupported value: "Foo"'],
    [{ propagationPolicy: 'Orphan', orphanDependents: true }, 422, 'cannot be both set'],
    [{ dryRun: ['Foo'] }, 422, 'dryRun: Unsupported value: ["Foo"]'],
    [{ gracePeriodSeconds: 'x' }, 400, 'json: cannot unmarshal string into Go struct field'],
    [{ kind: 'Foo', apiVersion: 'v1' }, 400, 'no kind "Foo" is registered'],
  ])('refuses %j', async ([body, code, message]) => {
    await service.send('POST', configMaps, { body: { metadata: { name: 'refused' } } });
    const answer = await service.send('DELETE', `${configMaps}/refused`, { body });
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(message);
  });

  it('deletes what selectors select', async () => {
    const inB = '/api/v1/namespaces/b/configmaps';
    for (const [name, app] of [
      ['x', 'one'],
      ['y', 'one'],
      ['z', 'two'],
    ] as const) {
      await service.send('POST', inB, { body: { metadata: { name, labels: { app } } } });
    }
    const answer = await service.send('DELETE', `${inB}?labelSelector=app%3Done`);
    expect(answer).toMatchObject({ code: 200, body: { kind: 'Status', status: 'Success' } });
    const left = await service.send('GET', inB);
    expect(left.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['z']);
  });

  it.for<[how: string, path: string, given: object, shown: object]>([
    ['one object', '/p', {}, { gracePeriodSeconds: 0 }],
    ['one object in a negative time', '/p', { gracePeriodSeconds: -9 }, { gracePeriodSeconds: 0 }],
    ['a collection', '', {}, {}],
    ['a collection in a negative time', '', { gracePeriodSeconds: -9 }, { gracePeriodSeconds: -9 }],
  ])('shows admission the options that count for %s', async ([, path, given, shown]) => {
    const pods = '/api/v1/namespaces/c/pods';
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    expect((await service.send('POST', pods, { body: pod })).code).toBe(201);
    expect((await service.send('DELETE', `${pods}${path}`, { body: given })).code).toBe(200);
    const options = seen.filter(({ operation }) => operation === 'DELETE').at(-1)?.options;
    expect(options).toEqual({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...shown });
  });
});

describe('subresources and aliases', () => {
  const budgets = '/apis/policy/v1/namespaces/a/poddisruptionbudgets';

  it('keeps spec and status apart', async () => {
    const spec = { minAvailable: 1 };
    const created = await service.send('POST', budgets, {
      body: { metadata: { name: 'p' }, spec, status: { currentHealthy: 9 } },
    });
    expect(created.body.status.currentHealthy).toBe(0);
    const status = { currentHealthy: 3, desiredHealthy: 1, expectedPods: 3, disruptionsAllowed: 2 };
    const answer = await service.send('PUT', `${budgets}/p/status`, {
      body: { metadata: created.body.metadata, spec: { minAvailable: 9 }, status },
    });
    expect(answer, answer.text).toMatchObject({ code: 200, body: { spec, status, metadata: { generation: 1 } } });
  });

  it('needs the version where the kind does', async () => {
    await service.send('POST', budgets, { body: { metadata: { name: 'v' }, spec: { minAvailable: 1 } } });
    const answer = await service.send('PUT', `${budgets}/v`, { body: { metadata: { name: 'v' } } });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toBe(
      'poddisruptionbudgets.policy "v" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
  });

  it('raises the generation with the spec', async () => {
    await service.send('POST', budgets, { body: { metadata: { name: 'g' }, spec: { minAvailable: 1 } } });
    const body = { metadata: { labels: { a: 'b' } } };
    const labelled = await service.send('PATCH', `${budgets}/g`, { body, headers: patchTypes.merge });
    expect(labelled.body.metadata.generation).toBe(1);
    const changed = await service.send('PATCH', `${budgets}/g`, {
      body: { spec: { minAvailable: 2 } },
      headers: patchTypes.merge,
    });
    expect(changed.body.metadata.generation).toBe(2);
  });

  it('shows an object under its alias group', async () => {
    const alias = '/apis/policy.bailiwick.dev/v1/namespaces/a/poddisruptionbudgets';
    const body = { apiVersion: 'policy.bailiwick.dev/v1', metadata: { name: 'al' }, spec: { minAvailable: 1 } };
    const created = await service.send('POST', alias, { body });
    expect(created).toMatchObject({
      code: 201,
      body: {
        apiVersion: 'policy.bailiwick.dev/v1',
        metadata: { managedFields: [{ apiVersion: 'policy.bailiwick.dev/v1' }] },
      },
    });
    const direct = await service.send('GET', `${budgets}/al`);
    expect(direct.body).toMatchObject({
      apiVersion: 'policy/v1',
      metadata: { uid: created.body.metadata.uid, managedFields: [{ apiVersion: 'policy/v1' }] },
    });
    const absent = await service.send('GET', `${alias}/nope`);
    expect(absent.body.message).toBe('poddisruptionbudgets.policy.bailiwick.dev "nope" not found');
  });

  it('scales', async () => {
    const deployments = '/apis/apps/v1/namespaces/a/deployments';
    const labels = { app: 'x' };
    await service.send('POST', deployments, {
      body: {
        metadata: { name: 'd' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
    });
    const scale = await service.send('GET', `${deployments}/d/scale`);
    expect(scale.body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 1 },
      status: { replicas: 0, selector: 'app=x' },
    });
    const body = { spec: { replicas: 4 } };
    const patched = await service.send('PATCH', `${deployments}/d/scale`, { body, headers: patchTypes.merge });
    expect(patched).toMatchObject({ code: 200, body: { spec: { replicas: 4 } } });
    const negative = await service.send('PUT', `${deployments}/d/scale`, {
      body: { metadata: { name: 'd' }, spec: { replicas: -1 } },
    });
    expect(negative).toMatchObject({ code: 422, body: { details: { kind: 'Scale' } } });
    const { body: deployment } = await service.send('GET', `${deployments}/d`);
    expect(deployment).toMatchObject({ spec: { replicas: 4 }, metadata: { generation: 2 } });
  });

  it('tells admission what is asked', () => {
    expect(seen.find(({ operation }) => operation === 'DELETE')).toMatchObject({
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      kind: 'ConfigMap',
      namespace: 'a',
      user: { username: 'tester' },
    });
  });
});
