import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { intType, stringType } from '../../../core/cel/types/cel-type.ts';
import { completeResource, declareShape } from '../../../core/cel/types/declared-shape.ts';
import type { CelType } from '../../../core/cel/types/cel-type.ts';
import type { ValidatingAdmissionPolicy } from '../../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import { buildKindRegistry } from '../../../kinds/registry.ts';
import { systemClock } from '../../../platform/process/clock.ts';
import { createSilentLogger } from '../../../platform/process/logger.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import type { ObjectStore } from '../../../platform/store/object-store.ts';
import { openSqliteStore } from '../../../platform/store/sqlite-store.ts';
import { EmbeddedResources } from '../../apiserver/pipeline/embedded-resources.ts';
import { RegistrySchemas } from './registry-schemas.ts';
import type { SchemaSource } from './schema-source.ts';
import { TypeCheckingController } from './type-checking-controller.ts';

const domain = 'bailiwick.dev';
const registry = buildKindRegistry(domain);
const policies = { group: `admissionregistration.${domain}`, version: 'v1', resource: 'validatingadmissionpolicies' };

let directory: string;
let store: ObjectStore;
let client: ResourceClient;
let running: TypeCheckingController[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'type-checking-'));
  store = await openSqliteStore({ file: join(directory, 'store.db') });
  const resources = new EmbeddedResources({ store, registry, now: () => systemClock.now() });
  resources.install({ plugins: [], handlers: [], deletionHolds: [] });
  client = resources.clientFor({ username: 'system:apiserver', groups: ['system:masters'] });
  running = [];
});

afterEach(async () => {
  for (const controller of running) await controller.close();
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

async function start(schemas: SchemaSource): Promise<TypeCheckingController> {
  const controller = new TypeCheckingController({
    ...{ client, domain, schemas },
    clock: systemClock,
    logger: createSilentLogger(),
  });
  running.push(controller);
  await controller.start();
  return controller;
}

function makePolicy(expression: string, rule: object, more: object = {}): ValidatingAdmissionPolicy {
  return {
    apiVersion: `admissionregistration.${domain}/v1`,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'checked' },
    spec: {
      matchConstraints: { resourceRules: [{ operations: ['CREATE'], ...rule }] },
      validations: [{ expression }],
      ...more,
    },
  } as ValidatingAdmissionPolicy;
}

/** The status once it satisfies `check`. */
async function awaitStatus(
  check: (status: ValidatingAdmissionPolicy['status'], policy: ValidatingAdmissionPolicy) => boolean,
): Promise<ValidatingAdmissionPolicy['status']> {
  for (;;) {
    const { items, metadata } = await client.list<ValidatingAdmissionPolicy>({ resource: policies });
    const policy = items.find((each) => check(each.status, each));
    if (policy !== undefined) return policy.status;
    const ended = new AbortController();
    const options = { resourceVersion: metadata.resourceVersion ?? '', signal: ended.signal };
    for await (const _event of client.watch({ resource: policies }, options)) break;
    ended.abort();
  }
}

async function awaitWarnings(): Promise<readonly { fieldRef: string; warning: string }[]> {
  const status = await awaitStatus(
    (each, { metadata }) => each?.typeChecking !== undefined && each.observedGeneration === metadata.generation,
  );
  return status?.typeChecking?.expressionWarnings ?? [];
}

const pods = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const deployments = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] };

it.for<[string, string, object, object, string[]]>([
  ['a right expression', 'object.spec.replicas <= 5', deployments, {}, []],
  [
    'a field that a workload kind has not',
    'object.spec.replica <= 5',
    deployments,
    {},
    [
      "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replica'\n | object.spec.replica <= 5\n | ...........^\n",
    ],
  ],
  [
    'a list of a workload kind',
    "object.spec.containers.all(c, c.ports.all(p, p.containerPort == '80'))",
    pods,
    {},
    [
      "/v1, Kind=Pod: ERROR: <input>:1:62: found no matching overload for '_==_' applied to '(int, string)'\n | object.spec.containers.all(c, c.ports.all(p, p.containerPort == '80'))\n | .............................................................^\n",
    ],
  ],
  ['an int or string', 'object.spec.strategy.rollingUpdate.maxSurge == 1', deployments, {}, []],
  ['a quantity', "quantity(object.spec.containers[0].resources.limits['cpu']).isLessThan(quantity('2'))", pods, {}, []],
  ['a time of metadata', "object.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')", pods, {}, []],
  [
    'params of a kind of its own',
    "params.data['max'] == object.spec.replicas",
    deployments,
    { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    [
      "apps/v1, Kind=Deployment: ERROR: <input>:1:20: found no matching overload for '_==_' applied to '(string, int)'\n | params.data['max'] == object.spec.replicas\n | ...................^\n",
    ],
  ],
  [
    'a kind of its own group',
    'object.spec.nope == 1',
    { apiGroups: [`networking.${domain}`], apiVersions: ['v1'], resources: ['ingresses'] },
    {},
    [
      `networking.${domain}/v1, Kind=Ingress: ERROR: <input>:1:12: undefined field 'nope'\n | object.spec.nope == 1\n | ...........^\n`,
    ],
  ],
  ['the resource that is asked for', "authorizer.requestResource.check('get').allowed()", pods, {}, []],
  [
    'a long expression, checked elsewhere',
    '',
    deployments,
    {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [
        {
          expression: `${'object.spec.replicas <= 5 && '.repeat(1_000)}\nobject.spec.nope == params.data['x']`,
          message: 'm',
        },
      ],
    },
    [
      "apps/v1, Kind=Deployment: ERROR: <input>:2:12: undefined field 'nope'\n | object.spec.nope == params.data['x']\n | ...........^\n",
    ],
  ],
  ['a kind that is not served', 'object.nope == 1', { ...pods, resources: ['nothings'] }, {}, []],
])('writes what is wrong with %s', async ([, expression, rule, more, warnings]) => {
  await start(new RegistrySchemas(registry));
  await client.create({ resource: policies }, makePolicy(expression, rule, more));
  expect((await awaitWarnings()).map(({ warning }) => warning)).toEqual(warnings);
});

it('checks a new generation, and takes warnings back', async () => {
  await start(new RegistrySchemas(registry));
  const created = await client.create({ resource: policies }, makePolicy('object.nope == 1', pods));
  expect(await awaitWarnings()).toHaveLength(1);
  const reference = { resource: policies, name: 'checked' };
  const { metadata } = await client.get(reference);
  await client.update(reference, { ...makePolicy('true', pods), metadata: { ...metadata } });
  const status = await awaitStatus((each) => (each?.observedGeneration ?? 0) > (created.metadata.generation ?? 0));
  expect(status?.typeChecking).toEqual({});
});

it('checks again when a schema changes, and leaves what others wrote to the status', async () => {
  let replicas: CelType = stringType;
  let fingerprint = 'first';
  let notify: () => void = () => {};
  const schemas: SchemaSource = {
    read: async () => ({
      fingerprint,
      findKind: ({ group, version }) => ({ group, version, kind: 'Widget' }),
      findType: (_kind, name) =>
        declareShape(
          completeResource({ kind: 'object', fields: new Map([['replicas', { kind: 'scalar', type: replicas }]]) }),
          name,
        ),
    }),
    subscribe: (listener) => {
      notify = listener;
      return () => {};
    },
  };
  const controller = await start(schemas);
  await client.create({ resource: policies }, makePolicy('object.replicas > 1', { ...pods, resources: ['widgets'] }));
  expect(await awaitWarnings()).toHaveLength(1);
  const condition = {
    type: 'Enforced',
    status: 'True',
    reason: 'Test',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await client.patch(
    { resource: policies, name: 'checked' },
    'application/merge-patch+json',
    { status: { conditions: [condition] } },
    {},
    'status',
  );
  replicas = intType;
  fingerprint = 'second';
  notify();
  const status = await awaitStatus((each) => each?.typeChecking?.expressionWarnings === undefined);
  expect(status?.conditions).toMatchObject([{ type: 'Enforced', status: 'True' }]);
  await controller.waitUntilIdle();
  expect((await client.get<ValidatingAdmissionPolicy>({ resource: policies, name: 'checked' })).status).toEqual(status);
});

it('writes nothing when it starts anew and nothing has changed', async () => {
  await start(new RegistrySchemas(registry));
  await client.create({ resource: policies }, makePolicy('object.nope == 1', pods));
  await awaitWarnings();
  const before = await client.get({ resource: policies, name: 'checked' });
  const again = await start(new RegistrySchemas(registry));
  await again.waitUntilIdle();
  expect(await client.get({ resource: policies, name: 'checked' })).toEqual(before);
});
