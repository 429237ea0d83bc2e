import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { PolicyRequest } from '../../kinds/admissionregistration/policy/policy-request.ts';
import {
  makeBinding,
  makePolicy,
  makeRequest,
} from '../../kinds/admissionregistration/policy/testdata/make-request.ts';
import type { ValidatingAdmissionPolicyBinding } from '../../kinds/admissionregistration/validating-admission-policy-binding/schema.ts';
import type { ValidatingAdmissionPolicy } from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { CollectionIndex } from '../../platform/resources/collection-index.ts';
import { MemoryClient } from '../quota/testdata/memory-client.ts';
import { PolicyIndex } from './policy-index.ts';

const group = { group: 'admissionregistration.bailiwick.dev', version: 'v1' };
const policiesResource = { ...group, resource: 'validatingadmissionpolicies' };
const bindingsResource = { ...group, resource: 'validatingadmissionpolicybindings' };
const namespace: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'ns', labels: { env: 'prod' } },
};
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: '*' };
const inEnv = (env: string) => ({ namespaceSelector: { matchLabels: { env } }, objectSelector: {} });

let client: MemoryClient;
let policies: CollectionIndex<ValidatingAdmissionPolicy>;
let bindings: CollectionIndex<ValidatingAdmissionPolicyBinding>;
let index: PolicyIndex;
let invalid: string[];

beforeEach(async () => {
  client = new MemoryClient();
  invalid = [];
  const common = { client, clock: systemClock, onFailure: () => undefined };
  policies = new CollectionIndex({ ...common, reference: { resource: policiesResource } });
  bindings = new CollectionIndex({ ...common, reference: { resource: bindingsResource } });
  index = PolicyIndex.over({
    policies,
    bindings,
    domain: 'bailiwick.dev',
    clock: systemClock,
    onInvalid: ({ metadata }, faults) => invalid.push(`${metadata.name}: ${faults.join()}`),
  });
  await Promise.all([policies.start(), bindings.start()]);
});
afterEach(() => Promise.all([policies.close(), bindings.close()]));

/** Resolves once the index has heard of a change that `act` makes. */
async function see(act: () => Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = index.subscribe(resolve);
  await act();
  await promise;
  end();
}
const addPolicy = (name: string, spec: Parameters<typeof makePolicy>[0] = {}) =>
  see(() => client.create({ resource: policiesResource }, makePolicy(spec, name)));
const addBinding = (name: string, policyName: string, spec: object = {}) =>
  see(() => client.create({ resource: bindingsResource }, makeBinding({ policyName, ...spec }, name)));

function show(list: readonly { policy: KubeObject; bindings: readonly KubeObject[] }[]): string[] {
  return list.map(
    ({ policy, bindings: bound }) => `${policy.metadata.name}: ${bound.map(({ metadata }) => metadata.name).join(' ')}`,
  );
}
const listNamed = (changes: Partial<PolicyRequest> = {}) => show(index.listNamed(makeRequest(changes)));
const listMatching = (changes: Partial<PolicyRequest> = {}) =>
  show(index.listMatching(makeRequest(changes), namespace));

it('orders policies and their bindings by name', async () => {
  await addBinding('z', 'b');
  await addPolicy('b');
  await addPolicy('a');
  await addBinding('y', 'b');
  await addBinding('x', 'a');
  await addBinding('w', 'not-there');
  expect(show(index.listAll())).toEqual(['a: x', 'b: y z']);
});

describe('what a request pays for', () => {
  it('are policies and bindings that name what it is about', async () => {
    await addPolicy('pods');
    await addPolicy('services', {
      matchConstraints: { ...inEnv('prod'), resourceRules: [{ ...rule, resources: ['services'] }] },
    });
    await addPolicy('unbound');
    await addBinding('a', 'pods');
    await addBinding('b', 'pods', { matchResources: { resourceRules: [{ ...rule, operations: ['DELETE'] }] } });
    await addBinding('c', 'services');
    expect(listNamed()).toEqual(['pods: a']);
    expect(listNamed({ operation: 'DELETE' })).toEqual([]);
    expect(listNamed({ resource: { group: '', version: 'v1', resource: 'services' } })).toEqual(['services: c']);
  });

  it('are those of its namespace', async () => {
    await addPolicy('p');
    await addBinding('a', 'p', { matchResources: inEnv('prod') });
    await addBinding('b', 'p', { matchResources: inEnv('test') });
    expect(listNamed()).toEqual(['p: a b']);
    expect(listMatching()).toEqual(['p: a']);
    expect(show(index.listMatching(makeRequest(), undefined))).toEqual(['p: a b']);
  });

  it('are those that match the labels of what is called a namespace', async () => {
    const resources = ['namespaces'];
    await addPolicy('p', {
      matchConstraints: { ...inEnv('prod'), resourceRules: [{ ...rule, apiGroups: ['foo.io'], resources }] },
    });
    await addBinding('a', 'p');
    const resource = { group: 'foo.io', version: 'v1', resource: 'namespaces' };
    const other = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns', labels: { env: 'test' } } };
    expect(show(index.listMatching(makeRequest({ resource }), other))).toEqual(['p: a']);
  });

  it('follows what is changed', async () => {
    await addPolicy('p');
    expect(listMatching()).toEqual([]);
    await addBinding('a', 'p');
    expect(listMatching()).toEqual(['p: a']);
    await see(() => client.delete({ resource: bindingsResource, name: 'a' }));
    expect(listMatching()).toEqual([]);
  });
});

it('leaves out what is no policy, and keeps one whose expressions do not compile', async () => {
  await addPolicy('bad', { failurePolicy: 'Maybe' });
  await addPolicy('broken', { validations: [{ expression: 'object.' }] });
  await addBinding('a', 'bad');
  await addBinding('b', 'broken');
  expect(listMatching()).toEqual(['broken: b']);
  expect(invalid).toEqual(['bad: spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"']);
});

it('says which parameters are needed', async () => {
  await addPolicy('p', { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } });
  expect(index.listParamKinds()).toEqual([]);
  await addBinding('b', 'p');
  expect(index.listParamKinds()).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap' }]);
});
