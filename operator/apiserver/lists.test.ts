import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

const configMaps = '/api/v1/namespaces/a/configmaps';
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  for (let i = 0; i < 7; i++) {
    const metadata = { name: `c${i}`, labels: { parity: i % 2 === 0 ? 'even' : 'odd' } };
    await service.send('POST', configMaps, { body: { metadata, data: { i: String(i) } } });
  }
  await service.send('POST', '/api/v1/namespaces/b/configmaps', { body: { metadata: { name: 'other' } } });
});
afterAll(() => service.stop());

function names(body: { items: { metadata: { name: string } }[] }): string[] {
  return body.items.map(({ metadata }) => metadata.name);
}

describe('lists', () => {
  it('shows items without type, as Kubernetes does', async () => {
    const { body } = await service.send('GET', configMaps);
    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(names(body)).toEqual(['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6']);
    expect(body.items[0]).not.toHaveProperty('kind');
    expect(Number(body.metadata.resourceVersion)).toBe(service.store.revision);
  });

  it.for([
    ['labelSelector=parity%3Dodd', ['c1', 'c3', 'c5']],
    ['labelSelector=parity+in+(even),parity', ['c0', 'c2', 'c4', 'c6']],
    ['fieldSelector=metadata.name%3Dc3', ['c3']],
    ['fieldSelector=metadata.name%3Dc3&labelSelector=parity%3Deven', []],
    ['fieldSelector=metadata.name!%3Dc3&labelSelector=parity%3Dodd', ['c1', 'c5']],
    ['resourceVersion=0', ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6']],
    ['resourceVersion=0&limit=2', ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6']],
    ['fieldSelector=%3D', ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6']],
  ] as const)('%s', async ([query, expected]) => {
    expect(names((await service.send('GET', `${configMaps}?${query}`)).body)).toEqual(expected);
  });

  it('lists all namespaces', async () => {
    expect(names((await service.send('GET', '/api/v1/configmaps')).body)).toHaveLength(8);
  });

  it('pages show one state, whatever is written meanwhile', async () => {
    const first = (await service.send('GET', `${configMaps}?limit=3`)).body;
    expect(names(first)).toEqual(['c0', 'c1', 'c2']);
    expect(first.metadata.remainingItemCount).toBe(4);
    await service.send('POST', configMaps, { body: { metadata: { name: 'c3a' } } });
    const rest = (await service.send('GET', `${configMaps}?limit=9&continue=${first.metadata.continue}`)).body;
    expect(names(rest)).toEqual(['c3', 'c4', 'c5', 'c6']);
    expect(rest.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
    await service.send('DELETE', `${configMaps}/c3a`);
  });

  it('pages what selectors select', async () => {
    const seen: string[] = [];
    let token = '';
    do {
      const path = `${configMaps}?limit=1&labelSelector=parity%3Dodd&continue=${token}`;
      const { body } = await service.send('GET', path);
      seen.push(...names(body));
      expect(body.metadata).not.toHaveProperty('remainingItemCount');
      token = body.metadata.continue ?? '';
    } while (token !== '');
    expect(seen).toEqual(['c1', 'c3', 'c5']);
  });

  it('shows an exact version', async () => {
    const before = service.store.revision;
    await service.send('POST', configMaps, { body: { metadata: { name: 'later' } } });
    const path = `${configMaps}?resourceVersion=${before}&resourceVersionMatch=`;
    expect(names((await service.send('GET', `${path}Exact`)).body)).not.toContain('later');
    expect(names((await service.send('GET', `${path}NotOlderThan`)).body)).toContain('later');
    await service.send('DELETE', `${configMaps}/later`);
  });

  it('goes on at the newest state when a page expired', async () => {
    const first = (await service.send('GET', `${configMaps}?limit=5`)).body;
    await service.send('POST', '/api/v1/namespaces/b/configmaps', { body: { metadata: { name: 'bump' } } });
    await service.store.compact(service.store.revision);
    const expired = await service.send('GET', `${configMaps}?limit=5&continue=${first.metadata.continue}`);
    expect(expired).toMatchObject({ code: 410, body: { reason: 'Expired' } });
    expect(expired.body.message).toContain('The provided continue parameter is too old');
    const rest = await service.send('GET', `${configMaps}?limit=5&continue=${expired.body.metadata.continue}`);
    expect(names(rest.body)).toEqual(['c5', 'c6']);
  });

  it.for([
    ['labelSelector=a%3Db%3Dc', 400, "found '=', expected: ',' or 'end of string'"],
    ['fieldSelector=a', 400, "invalid selector: 'a'; can't understand 'a'"],
    [
      'fieldSelector=spec.x%3D1',
      400,
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    ['resourceVersion=abc', 400, 'invalid resource version: resourceVersion: Invalid value: "abc"'],
    ['resourceVersion=99999999', 504, 'Timeout: Too large resource version: 99999999, current: '],
    ['continue=abc', 400, 'invalid continue token: continue key is not valid'],
  ] as const)('refuses %s', async ([query, code, message]) => {
    const answer = await service.send('GET', `${configMaps}?${query}`);
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(message);
  });
});

describe('field selectors of kinds that name theirs', () => {
  it.for([
    ['/api/v1/namespaces', 'metadata.namespace'],
    ['/api/v1/pods', 'spec.x'],
  ])('leave out others: %s %s', async ([path, field]) => {
    const answer = await service.send('GET', `${path}?fieldSelector=${field}%3Dx`);
    expect(answer).toMatchObject({ code: 400, body: { message: `field label not supported: ${field}` } });
  });
});

describe('forms', () => {
  it('makes a Table of a list', async () => {
    const { body } = await service.send('GET', `${configMaps}?limit=2`, { headers: table });
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(body.rows[1]).toMatchObject({
      cells: ['c1', 1, expect.stringMatching(/^\d+s$/)],
      object: { kind: 'PartialObjectMetadata', metadata: { name: 'c1' } },
    });
    expect(body.metadata.continue).toBeDefined();
  });

  it.for([
    ['None', null],
    ['Object', { kind: 'ConfigMap', data: { i: '1' } }],
  ] as const)('carries %s of each object', async ([include, expected]) => {
    const { body } = await service.send('GET', `${configMaps}/c1?includeObject=${include}`, { headers: table });
    if (expected === null) expect(body.rows[0].object).toBeNull();
    else expect(body.rows[0].object).toMatchObject(expected);
  });

  it('refuses another includeObject', async () => {
    const answer = await service.send('GET', `${configMaps}/c1?includeObject=x`, { headers: table });
    expect(answer).toMatchObject({ code: 400 });
  });

  it('reduces objects to their metadata', async () => {
    const headers = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };
    const { body } = await service.send('GET', configMaps, { headers });
    expect(body.items[0]).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'c0' } });
    expect(body.items[0]).not.toHaveProperty('data');
    expect((await service.send('GET', `${configMaps}/c0`, { headers })).code).toBe(406);
  });

  it('answers YAML', async () => {
    const answer = await service.send('GET', `${configMaps}/c1`, { headers: { accept: 'application/yaml' } });
    expect(answer.headers['content-type']).toBe('application/yaml');
    expect(answer.text).toMatch(/^apiVersion: v1\ndata:\n {2}i: "1"\nkind: ConfigMap\n/);
    expect(answer.text).toMatch(/ creationTimestamp: "[^"]+"\n/);
    expect(answer.text).toMatch(/^ {2}managedFields:\n {2}- apiVersion: v1$/m);
  });

  it('indents when asked', async () => {
    const answer = await service.send('GET', `${configMaps}/c1?pretty=true`);
    expect(answer.text).toMatch(/^\{\n {2}"kind": "ConfigMap",/);
  });

  it('compresses large answers', async () => {
    const body = { metadata: { name: 'large' }, data: { a: 'x'.repeat(200_000) } };
    await service.send('POST', '/api/v1/namespaces/big/configmaps', { body });
    const headers = { 'accept-encoding': 'gzip' };
    const answer = await service.send('GET', '/api/v1/namespaces/big/configmaps', { headers });
    expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    const small = await service.send('GET', `${configMaps}/c1`, { headers });
    expect(small.headers['content-encoding']).toBeUndefined();
  });
});
