import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { makeCertificate } from '../platform/certificates/make-certificate.ts';
import { bindKubectl, findKubectlSkipReason, type Kubectl } from './service/run-kubectl.ts';
import { startService, type Service, type ServiceResponse } from './service/start-service.ts';

const skipReason = findKubectlSkipReason();
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = 'stable.example.com';

interface Definition {
  readonly plural: string;
  readonly kind: string;
  readonly versions?: readonly object[];
  readonly scope?: string;
  readonly shortNames?: readonly string[];
  readonly inGroup?: string;
  readonly conversion?: object;
}

const specSchema = {
  type: 'object',
  description: 'What is wanted.',
  properties: {
    cronSpec: { type: 'string', description: 'When it runs.' },
    image: { type: 'string', default: 'busybox' },
    replicas: { type: 'integer', minimum: 0, default: 1 },
  },
};
const statusSchema = { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } };
const openAPIV3Schema = { type: 'object', properties: { spec: specSchema, status: statusSchema } };

function makeVersion(name: string, more: object = {}): object {
  return { name, served: true, storage: true, schema: { openAPIV3Schema }, ...more };
}

function makeDefinition({
  plural,
  kind,
  versions,
  scope = 'Namespaced',
  shortNames = [],
  inGroup = group,
  conversion,
}: Definition) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${inGroup}` },
    spec: {
      group: inGroup,
      scope,
      names: { plural, kind, shortNames },
      versions: versions ?? [makeVersion('v1')],
      ...(conversion === undefined ? {} : { conversion }),
    },
  };
}

function makeObject(kind: string, name: string, spec: object = {}, metadata: object = {}, version = 'v1') {
  return { apiVersion: `${group}/${version}`, kind, metadata: { name, ...metadata }, spec };
}

function convertBy(webhook: { readonly url: string; readonly authority: string }): object {
  const clientConfig = { url: webhook.url, caBundle: Buffer.from(webhook.authority).toString('base64') };
  return { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
}

interface Converted {
  readonly spec: Readonly<Record<string, string>>;
}

/** A webhook over HTTPS that turns `port` of v1 into `address` of v2, and back, after whatever is done at each call. */
async function startConversionWebhook(
  atCall: () => Promise<void> = () => Promise.resolve(),
): Promise<{ url: string; authority: string; close(): Promise<void> }> {
  const nowMillis = Date.now();
  const authority = await makeCertificate({
    commonName: '127.0.0.1',
    purpose: 'server',
    subjectNames: ['127.0.0.1'],
    notBeforeMillis: nowMillis - 60_000,
    notAfterMillis: nowMillis + 3_600_000,
  });
  const server = createServer({ cert: authority.certificate, key: authority.privateKey }, (request, response) => {
    void json(request).then(async (body) => {
      await atCall();
      const { request: asked } = body as { request: { uid: string; desiredAPIVersion: string; objects: Converted[] } };
      const convertedObjects = asked.objects.map((object) => {
        const { port, address } = object.spec;
        const spec = port === undefined ? { port: address?.split(':')[1] } : { address: `h:${port}` };
        return { ...object, apiVersion: asked.desiredAPIVersion, spec };
      });
      const answer = { uid: asked.uid, convertedObjects, result: { status: 'Success' } };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...(body as object), request: undefined, response: answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    authority: authority.certificate,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** What a watch says, until its stream ends. */
async function readWatch(service: Service, path: string): Promise<{ types: string[]; ended: Promise<void> }> {
  const stream = await service.open('GET', path);
  const types: string[] = [];
  const lines = createInterface({ input: stream });
  lines.on('line', (line) => types.push((JSON.parse(line) as { type: string }).type));
  const ended = new Promise<void>((resolve) => lines.on('close', resolve));
  return { types, ended };
}

describe('kinds that users define', () => {
  let service: Service;
  let folder: string;

  function at(plural: string, namespace = 'default', version = 'v1'): string {
    return `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
  }

  async function send(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    return service.request(method, path, { ...(body === undefined ? {} : { body }), ...(headers ? { headers } : {}) });
  }

  async function expectStatus(answer: Promise<ServiceResponse>, status: number): Promise<ServiceResponse> {
    const { text, ...rest } = await answer;
    expect(rest.status, text).toBe(status);
    return { text, ...rest };
  }

  async function waitFor(path: string, holds: (answer: ServiceResponse) => boolean): Promise<void> {
    await expect.poll(async () => holds(await send('GET', path)), { interval: 20 }).toBe(true);
  }

  async function define(definition: Definition): Promise<string> {
    const made = makeDefinition(definition);
    const path = `${definitions}/${made.metadata.name}`;
    await expectStatus(send('POST', definitions, made), 201);
    await waitFor(path, ({ json }) =>
      (json.status.conditions ?? []).some(
        ({ type, status }: { type: string; status: string }) => type === 'Established' && status === 'True',
      ),
    );
    return path;
  }

  const merge = { 'content-type': 'application/merge-patch+json' };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bailiwick-custom-'));
    service = await startService({ dataDir: folder });
  });
  afterAll(async () => {
    await service?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('are served as soon as their definition is established, and after it no more', async () => {
    const path = await define({ plural: 'firsts', kind: 'First' });
    await expectStatus(send('POST', at('firsts'), makeObject('First', 'a', { cronSpec: '* * * * *' })), 201);
    const watch = await readWatch(service, `${at('firsts')}?watch=true&resourceVersion=0`);
    await expectStatus(send('PATCH', `${at('firsts')}/a`, { spec: { replicas: 2 } }, merge), 200);
    const deleted = await expectStatus(send('DELETE', path), 200);
    expect(deleted.json.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    await watch.ended;
    expect(watch.types).toContain('DELETED');
    await waitFor(path, ({ status }) => status === 404);
    await waitFor(at('firsts'), ({ text }) => text === '404 page not found\n');
    const { json } = await send('GET', `/apis/${group}/v1`);
    expect(json?.resources ?? []).not.toContainEqual(expect.objectContaining({ name: 'firsts' }));

    await define({ plural: 'firsts', kind: 'First' });
    expect((await send('GET', at('firsts'))).json.items).toEqual([]);
  });

  it('wait for what holds their objects when the definition is deleted', async () => {
    const path = await define({ plural: 'helds', kind: 'Held' });
    const held = makeObject('Held', 'a', {}, { finalizers: ['example.com/held'] });
    await expectStatus(send('POST', at('helds'), held), 201);
    await expectStatus(send('DELETE', path), 200);
    await waitFor(`${at('helds')}/a`, ({ json }) => json.metadata?.deletionTimestamp !== undefined);
    const refused = await expectStatus(send('POST', at('helds'), makeObject('Held', 'b')), 403);
    expect(refused.json.message).toContain('create not allowed while custom resource definition is terminating');
    await expectStatus(send('PATCH', `${at('helds')}/a`, { metadata: { finalizers: null } }, merge), 200);
    await waitFor(path, ({ status }) => status === 404);
  });

  it('change with their definition, what is stored already included', async () => {
    const path = await define({ plural: 'changes', kind: 'Change' });
    await expectStatus(send('POST', at('changes'), makeObject('Change', 'a', { cronSpec: 'x' })), 201);
    const watch = await readWatch(service, `${at('changes')}?watch=true`);
    const patch = [
      { op: 'remove', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/cronSpec' },
      {
        op: 'add',
        path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/weight',
        value: { type: 'integer', default: 10 },
      },
    ];
    await expectStatus(send('PATCH', path, patch, { 'content-type': 'application/json-patch+json' }), 200);
    // What follows the kind lists anew, by its new schema.
    await watch.ended;
    expect((await send('GET', `${at('changes')}/a`)).json.spec).toEqual({ image: 'busybox', replicas: 1, weight: 10 });
    expect((await send('GET', at('changes'))).json.items[0].spec).toHaveProperty('weight', 10);
    const refused = await send(
      'POST',
      `${at('changes')}?fieldValidation=Strict`,
      makeObject('Change', 'b', { cronSpec: '' }),
    );
    expect(refused.json.message).toContain('unknown field "spec.cronSpec"');
    const { json } = await send('GET', `/openapi/v3/apis/${group}/v1`);
    expect(Object.keys(json.components.schemas['com.example.stable.v1.Change'].properties.spec.properties)).toEqual([
      'image',
      'replicas',
      'weight',
    ]);
  });

  it('are stored as one version and served as all', async () => {
    const path = await define({
      plural: 'versions',
      kind: 'Version',
      versions: [makeVersion('v1', { storage: false }), makeVersion('v1beta1', { deprecated: true })],
    });
    await expectStatus(send('POST', at('versions'), makeObject('Version', 'a', { cronSpec: 'x' })), 201);
    const old = await send('GET', `${at('versions', 'default', 'v1beta1')}/a`);
    expect(old.headers['warning']).toBe(`299 - "${group}/v1beta1 Version is deprecated; use ${group}/v1 Version"`);
    expect(old.json).toMatchObject({ apiVersion: `${group}/v1beta1`, spec: { cronSpec: 'x', replicas: 1 } });
    const names = (await send('GET', '/apis')).json.groups.find(({ name }: { name: string }) => name === group);
    expect(names.preferredVersion.version).toBe('v1');

    const swap = [
      { op: 'replace', path: '/spec/versions/0/storage', value: true },
      { op: 'replace', path: '/spec/versions/1/storage', value: false },
    ];
    const swapped = await send('PATCH', path, swap, { 'content-type': 'application/json-patch+json' });
    expect(swapped.json.status.storedVersions).toEqual(['v1beta1', 'v1']);
    const before = (await send('GET', `${at('versions')}/a`)).json.metadata.resourceVersion;
    const rewritten = await send('PATCH', `${at('versions')}/a`, {}, merge);
    expect(rewritten.json.metadata.resourceVersion).not.toBe(before);
    const again = await send('PATCH', `${at('versions')}/a`, {}, merge);
    expect(again.json.metadata.resourceVersion).toBe(rewritten.json.metadata.resourceVersion);
  });

  it('are there again after a crash, before the service says that it is ready', async () => {
    await define({ plural: 'survivors', kind: 'Survivor' });
    await expectStatus(send('POST', at('survivors'), makeObject('Survivor', 'a', { cronSpec: 'x' })), 201);
    await service.kill();
    service = await startService({ dataDir: folder });
    const { json } = await expectStatus(send('GET', `${at('survivors')}/a`), 200);
    expect(json.spec).toEqual({ cronSpec: 'x', image: 'busybox', replicas: 1 });
  });

  it('obey roles, quotas and policies', async () => {
    await define({ plural: 'governeds', kind: 'Governed' });
    const namespace = 'governed';
    const governed = at('governeds', namespace);
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    await expectStatus(send('POST', '/api/v1/namespaces', { metadata: { name: namespace } }), 201);
    const maria = { 'impersonate-user': 'maria' };
    await expectStatus(send('POST', governed, makeObject('Governed', 'a'), maria), 403);
    const rules = [{ apiGroups: [group], resources: ['governeds'], verbs: ['create', 'get'] }];
    await expectStatus(send('POST', `${rbac}/roles`, { metadata: { name: 'r' }, rules }), 201);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'maria' }];
    await expectStatus(send('POST', `${rbac}/rolebindings`, { metadata: { name: 'r' }, roleRef, subjects }), 201);
    await expectStatus(send('POST', governed, makeObject('Governed', 'a'), maria), 201);
    await expectStatus(send('DELETE', `${governed}/a`, undefined, maria), 403);

    const quota = { metadata: { name: 'q' }, spec: { hard: { [`count/governeds.${group}`]: '2' } } };
    await expectStatus(send('POST', `/api/v1/namespaces/${namespace}/resourcequotas`, quota), 201);
    await expectStatus(send('POST', governed, makeObject('Governed', 'b')), 201);
    const over = await expectStatus(send('POST', governed, makeObject('Governed', 'c')), 403);
    expect(over.json.message).toContain(`exceeded quota: q, requested: count/governeds.${group}=1`);
    await expectStatus(send('DELETE', `${governed}/b`), 200);
    await waitFor(
      `/api/v1/namespaces/${namespace}/resourcequotas/q`,
      ({ json }) => json.status.used[`count/governeds.${group}`] === '1',
    );

    const policies = '/apis/admissionregistration.bailiwick.dev/v1';
    const policy = {
      metadata: { name: 'few' },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            { apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['governeds'] },
          ],
        },
        validations: [
          { expression: 'object.spec.replicas <= 3', message: 'too many' },
          { expression: 'object.spec.nothing == 1 || true' },
        ],
      },
    };
    await expectStatus(send('POST', `${policies}/validatingadmissionpolicies`, policy), 201);
    const binding = { metadata: { name: 'few' }, spec: { policyName: 'few', validationActions: ['Deny'] } };
    await expectStatus(send('POST', `${policies}/validatingadmissionpolicybindings`, binding), 201);
    await expect
      .poll(
        async () => (await send('POST', `${governed}?dryRun=All`, makeObject('Governed', 'd', { replicas: 9 }))).text,
      )
      .toContain('too many');
    // The expression that names a field which the kind does not have is told of.
    await waitFor(`${policies}/validatingadmissionpolicies/few`, ({ text }) =>
      text.includes("undefined field 'nothing'"),
    );
    await expectStatus(send('DELETE', `${policies}/validatingadmissionpolicybindings/few`), 200);
    await expectStatus(send('DELETE', `${policies}/validatingadmissionpolicies/few`), 200);

    await expectStatus(send('DELETE', `/api/v1/namespaces/${namespace}`), 200);
    await waitFor(`/api/v1/namespaces/${namespace}`, ({ status }) => status === 404);
    expect((await send('GET', `/apis/${group}/v1/governeds`)).json.items).toEqual([]);
  });

  it('own objects, and are owned', async () => {
    await define({ plural: 'owners', kind: 'Owner' });
    const owner = (await expectStatus(send('POST', at('owners'), makeObject('Owner', 'a')), 201)).json;
    const ownerReferences = [{ apiVersion: `${group}/v1`, kind: 'Owner', name: 'a', uid: owner.metadata.uid }];
    const owned = { metadata: { name: 'owned', ownerReferences } };
    await expectStatus(send('POST', '/api/v1/namespaces/default/configmaps', owned), 201);
    await expectStatus(send('POST', at('owners'), makeObject('Owner', 'child', {}, { ownerReferences })), 201);
    await expectStatus(send('DELETE', `${at('owners')}/a`), 200);
    await waitFor('/api/v1/namespaces/default/configmaps/owned', ({ status }) => status === 404);
    await waitFor(`${at('owners')}/child`, ({ status }) => status === 404);
  });

  it('never take the place of a kind of the program', async () => {
    const inGroup = 'networking.bailiwick.dev';
    const made = makeDefinition({
      plural: 'networkpolicies',
      kind: 'NetworkPolicy',
      inGroup,
      versions: [makeVersion('v2')],
    });
    const path = `/apis/${inGroup}/v1/namespaces/default/networkpolicies`;
    await expectStatus(send('POST', path, { metadata: { name: 'kept' }, spec: { podSelector: {} } }), 201);
    await expectStatus(send('POST', definitions, made), 201);
    await waitFor(`${definitions}/${made.metadata.name}`, ({ text }) => text.includes('InitialNamesAccepted'));
    await expectStatus(send('GET', `/apis/${inGroup}/v2/networkpolicies`), 404);
    await expectStatus(send('DELETE', `${definitions}/${made.metadata.name}`), 200);
    await waitFor(`${definitions}/${made.metadata.name}`, ({ status }) => status === 404);
    await expectStatus(send('GET', `${path}/kept`), 200);
  });

  it('can be removed when the program has their name', async () => {
    const inGroup = 'networking.bailiwick.dev';
    const path = await define({ plural: 'ingressez', kind: 'Ingress', inGroup });
    await expectStatus(send('GET', `/apis/${inGroup}/v1/ingressez`), 404);
    await expectStatus(send('DELETE', path), 200);
    await waitFor(path, ({ status }) => status === 404);
  });

  it('say once why their objects cannot be removed, and go when they can', async () => {
    const clientConfig = { url: 'https://127.0.0.1:1/' };
    const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
    const versions = [makeVersion('v1'), makeVersion('v2', { storage: false })];
    const path = await define({ plural: 'stucks', kind: 'Stuck', versions });
    await expectStatus(send('POST', at('stucks'), makeObject('Stuck', 'a')), 201);
    const turned = [makeVersion('v1', { storage: false }), makeVersion('v2')];
    await expectStatus(send('PATCH', path, { spec: { conversion, versions: turned } }, merge), 200);
    await expectStatus(send('DELETE', path), 200);
    await waitFor(path, ({ text }) => text.includes('could not list instances: conversion webhook for'));
    const { resourceVersion } = (await send('GET', path)).json.metadata;
    const isSaidAgain = async (): Promise<boolean> =>
      (await send('GET', path)).json.metadata.resourceVersion !== resourceVersion;
    // The first tries come after 5, 10, 20, 40, 80 and 160 ms.
    await expect.poll(() => service.readLog().split('"key":"stucks.').length, { interval: 20 }).toBeGreaterThan(5);
    expect(await isSaidAgain()).toBe(false);
    await expectStatus(send('PATCH', path, { spec: { conversion: { strategy: 'None', webhook: null } } }, merge), 200);
    await waitFor(path, ({ status }) => status === 404);
  });

  it('may be many, of many fields', async () => {
    const wide = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `field${index}`,
        { type: 'object', properties: specSchema.properties },
      ]),
    );
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: wide } } } };
    const names = Array.from({ length: 12 }, (_, index) => `many${index}`);
    for (const name of names) {
      await define({ plural: `${name}s`, kind: `Many${name}`, versions: [makeVersion('v1', { schema })] });
    }
    await expectStatus(send('POST', at('many11s'), makeObject('Manymany11', 'a', { field399: {} })), 201);
    const { json } = await send('GET', `${at('many11s')}/a`);
    expect(json.spec).toEqual({ field399: { image: 'busybox', replicas: 1 } });
    await expectStatus(send('DELETE', `${definitions}?fieldSelector=metadata.name=many11s.${group}`), 200);
    await waitFor(at('many11s'), ({ status }) => status === 404);
  });

  it('are no longer watched when their definition changes while the state at the start is read', async () => {
    const path = `${definitions}/slows.${group}`;
    const watched = at('slows', 'default', 'v2');
    const webhook = await startConversionWebhook(async () => {
      const later = [makeVersion('v1'), makeVersion('v2', { storage: false, served: false })];
      await expectStatus(send('PATCH', path, { spec: { versions: later } }, merge), 200);
      await waitFor(watched, ({ status }) => status === 404);
    });
    try {
      const versions = [makeVersion('v1'), makeVersion('v2', { storage: false })];
      await define({ plural: 'slows', kind: 'Slow', versions, conversion: convertBy(webhook) });
      await expectStatus(send('POST', at('slows'), makeObject('Slow', 'a')), 201);
      const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const watch = await readWatch(service, `${watched}?${query}`);
      await watch.ended;
      expect(watch.types).toEqual(['ADDED', 'BOOKMARK']);
    } finally {
      await webhook.close();
    }
  });

  it('are not created any more when their definition goes meanwhile', async () => {
    const path = `${definitions}/lates.${group}`;
    const webhook = await startConversionWebhook(async () => {
      await expectStatus(send('DELETE', path), 200);
      await waitFor(path, ({ status }) => status === 404);
    });
    try {
      const versions = [makeVersion('v1'), makeVersion('v2', { storage: false })];
      const parts = { plural: 'lates', kind: 'Late', versions, conversion: convertBy(webhook) };
      await define(parts);
      const late = await send('POST', at('lates', 'default', 'v2'), makeObject('Late', 'a', {}, {}, 'v2'));
      expect(late).toMatchObject({ status: 404, json: { reason: 'NotFound' } });
      await define(parts);
      expect((await send('GET', at('lates'))).json.items).toEqual([]);
    } finally {
      await webhook.close();
    }
  });

  it('are converted by a webhook where the definition has one', async () => {
    const webhook = await startConversionWebhook();
    const made = makeDefinition({
      plural: 'converteds',
      kind: 'Converted',
      conversion: convertBy(webhook),
      versions: ['v1', 'v2'].map((name) =>
        makeVersion(name, {
          storage: name === 'v1',
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: { [name === 'v1' ? 'port' : 'address']: { type: 'string' } },
                },
              },
            },
          },
          selectableFields: [{ jsonPath: name === 'v1' ? '.spec.port' : '.spec.address' }],
        }),
      ),
    });
    try {
      await expectStatus(send('POST', definitions, made), 201);
      await waitFor(`${definitions}/${made.metadata.name}`, ({ text }) => text.includes('InitialNamesAccepted'));
      const [first, second] = [at('converteds'), at('converteds', 'default', 'v2')];
      await expectStatus(send('POST', first, makeObject('Converted', 'a', { port: '80' })), 201);
      await expectStatus(send('POST', second, makeObject('Converted', 'b', { address: 'h:81' }, {}, 'v2')), 201);
      expect((await send('GET', `${second}/a`)).json).toMatchObject({
        apiVersion: `${group}/v2`,
        spec: { address: 'h:80' },
      });
      expect((await send('GET', `${first}/b`)).json.spec).toEqual({ port: '81' });
      const { resourceVersion } = (await send('GET', second)).json.metadata;
      const stream = await service.open('GET', `${second}?watch=true&resourceVersion=${resourceVersion}`);
      const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
      await expectStatus(send('PATCH', `${second}/a`, { spec: { address: 'h:90' } }, merge), 200);
      const event = JSON.parse((await lines.next()).value as string);
      expect(event).toMatchObject({
        type: 'MODIFIED',
        object: { apiVersion: `${group}/v2`, spec: { address: 'h:90' } },
      });
      stream.destroy();
      const { items } = (await send('GET', `${second}?fieldSelector=spec.address=h:90`)).json;
      expect(items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['a']);
      expect((await send('GET', first)).json.items[0].spec).toEqual({ port: '90' });
      await expectStatus(send('DELETE', `${second}/b`), 200);
    } finally {
      await webhook.close();
    }
    await expectStatus(send('POST', at('converteds'), makeObject('Converted', 'c', { port: '1' })), 201);
    const failed = await expectStatus(send('GET', `${at('converteds', 'default', 'v2')}/c`), 500);
    expect(failed.json.message).toMatch(
      /^conversion webhook for stable\.example\.com\/v1, Kind=Converted failed: Post "https:\/\/127\.0\.0\.1:\d+\/\?timeout=30s": dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/,
    );
  });

  describe.skipIf(skipReason)(`by kubectl${skipReason ? ` (${skipReason})` : ''}`, () => {
    let kubectl: Kubectl;

    async function run(words: readonly string[], input?: unknown): Promise<string> {
      const result = await kubectl.run(words, input === undefined ? undefined : JSON.stringify(input));
      expect(result, words.join(' ')).toMatchObject({ code: 0 });
      return result.stdout;
    }

    beforeAll(() => {
      kubectl = bindKubectl(service.kubeconfig, join(folder, 'cache'));
    });

    it('are defined, listed, explained, scaled and removed', async () => {
      const versions = [
        makeVersion('v1', {
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.selector',
            },
          },
          additionalPrinterColumns: [
            { name: 'Spec', type: 'string', jsonPath: '.spec.cronSpec' },
            { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
            { name: 'Image', type: 'string', jsonPath: '.spec.image', priority: 1 },
          ],
        }),
      ];
      const definition = makeDefinition({ plural: 'crontabs', kind: 'CronTab', versions, shortNames: ['ct'] });
      await run(['apply', '-f', '-'], definition);
      await run(['wait', '--for=condition=Established', `crd/crontabs.${group}`, '--timeout=240s']);
      expect(await run(['get', 'crd', `crontabs.${group}`])).toMatch(/^NAME +CREATED AT\ncrontabs\.stable/);
      const object = makeObject('CronTab', 'my', { cronSpec: '* * * * */5' });
      expect(await run(['apply', '-f', '-'], object)).toContain('crontab.stable.example.com/my created');
      expect(await run(['apply', '-f', '-'], object)).toContain('crontab.stable.example.com/my unchanged');
      expect((await run(['get', 'ct'])).split('\n').map((line) => line.split(/ {2,}/))).toEqual([
        ['NAME', 'SPEC', 'REPLICAS'],
        ['my', '* * * * */5', '1'],
        [''],
      ]);
      expect(await run(['get', 'ct', '-o', 'wide'])).toContain('busybox');
      expect(await run(['explain', 'crontab.spec.cronSpec'])).toContain('When it runs.');
      await run(['scale', 'ct/my', '--replicas=4']);
      await run(['patch', 'ct', 'my', '--type=merge', '-p', '{"spec":{"image":"nginx"}}']);
      await run(['label', 'ct', 'my', 'a=b']);
      expect(await run(['get', 'ct', '-l', 'a=b', '-o', 'jsonpath={.items[0].spec}'])).toBe(
        '{"cronSpec":"* * * * */5","image":"nginx","replicas":4}',
      );
      const invalid = await kubectl.run(
        ['apply', '-f', '-'],
        JSON.stringify(makeObject('CronTab', 'my', { replicas: -1 })),
      );
      expect(invalid.stderr).toContain('spec.replicas in body should be greater than or equal to 0');
      const unknown = await kubectl.run(
        ['create', '-f', '-'],
        JSON.stringify(makeObject('CronTab', 'x', { other: 1 })),
      );
      expect(unknown.stderr).toContain('unknown field "spec.other"');
      expect(await run(['apply', '--server-side', '-f', '-'], makeObject('CronTab', 'ssa', { replicas: 2 }))).toContain(
        'serverside-applied',
      );
      await run(['delete', 'crd', `crontabs.${group}`]);
      const gone = await kubectl.run(['get', `crontabs.v1.${group}`]);
      expect(gone.stderr).toContain('the server could not find the requested resource');
    });
  });
});
