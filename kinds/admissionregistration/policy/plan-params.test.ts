import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { ParamRef } from '../validating-admission-policy-binding/schema.ts';
import type { ParamKind } from '../validating-admission-policy/schema.ts';
import { describeUnknownParamKind, planParams, type ParamSource } from './plan-params.ts';

const configMaps: ParamKind = { apiVersion: 'v1', kind: 'ConfigMap' };
const limits: ParamKind = { apiVersion: 'rules.example.com/v1', kind: 'ReplicaLimit' };

function makeParam(name: string, namespace: string | undefined, size: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels: { size } },
  };
}

function makeSource(namespaced: boolean, objects: readonly KubeObject[]): ParamSource {
  const isIn = (object: KubeObject, namespace?: string) =>
    namespace === undefined || object.metadata.namespace === namespace;
  return {
    namespaced,
    get: (name, namespace) => objects.find((one) => one.metadata.name === name && isIn(one, namespace)),
    list: (namespace) => objects.filter((one) => isIn(one, namespace)),
  };
}

const namespaced = makeSource(true, [
  makeParam('z', 'ns', 'big'),
  makeParam('a', 'ns', 'big'),
  makeParam('a', 'other', 'big'),
  makeParam('m', 'ns', 'small'),
]);
const clusterScoped = makeSource(false, [makeParam('a', undefined, 'big'), makeParam('b', undefined, 'small')]);
const deny = { parameterNotFoundAction: 'Deny' };
const allow = { parameterNotFoundAction: 'Allow' };
const none = 'no params found for policy binding with `Deny` parameterNotFoundAction';
const needsNamespace = 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';

function plan(
  kind: ParamKind | undefined,
  ref: ParamRef | undefined,
  namespace: string,
  source: ParamSource | undefined,
): unknown {
  const found = planParams(kind, ref, namespace, source);
  if ('fault' in found) return found.fault;
  return found.params.map((param) => {
    const metadata = (param as KubeObject | null)?.metadata;
    return metadata && [metadata.namespace, metadata.name].filter((part) => part !== undefined).join('/');
  });
}

describe('planParams', () => {
  it.for<[string, ParamKind | undefined, ParamRef | undefined, string, ParamSource | undefined, unknown]>([
    ['a policy without parameters', undefined, { name: 'a', ...deny }, 'ns', undefined, [undefined]],
    ['a binding without parameters', configMaps, undefined, 'ns', namespaced, [undefined]],
    ['a name in the object’s namespace', configMaps, { name: 'a', ...deny }, 'ns', namespaced, ['ns/a']],
    ['a name in a namespace', configMaps, { name: 'a', namespace: 'other', ...deny }, 'ns', namespaced, ['other/a']],
    [
      'a name in a namespace for all',
      configMaps,
      { name: 'a', namespace: 'other', ...deny },
      '',
      namespaced,
      ['other/a'],
    ],
    ['a name for what is in no namespace', configMaps, { name: 'a', ...deny }, '', namespaced, needsNamespace],
    ['a selector for what is in no namespace', configMaps, { selector: {}, ...allow }, '', namespaced, needsNamespace],
    ['everything, in order', configMaps, { selector: {}, ...deny }, 'ns', namespaced, ['ns/a', 'ns/m', 'ns/z']],
    [
      'by labels',
      configMaps,
      { selector: { matchLabels: { size: 'big' } }, ...deny },
      'ns',
      namespaced,
      ['ns/a', 'ns/z'],
    ],
    [
      'by labels elsewhere',
      configMaps,
      { selector: { matchLabels: { size: 'big' } }, namespace: 'other', ...deny },
      'ns',
      namespaced,
      ['other/a'],
    ],
    ['no such name: Deny', configMaps, { name: 'x', ...deny }, 'ns', namespaced, none],
    ['no such name: Allow', configMaps, { name: 'x', ...allow }, 'ns', namespaced, []],
    [
      'no such labels: Deny',
      configMaps,
      { selector: { matchLabels: { size: 'no' } }, ...deny },
      'ns',
      namespaced,
      none,
    ],
    [
      'no such labels: Allow',
      configMaps,
      { selector: { matchLabels: { size: 'no' } }, ...allow },
      'ns',
      namespaced,
      [],
    ],
    ['a cluster-scoped name', limits, { name: 'a', ...deny }, 'ns', clusterScoped, ['a']],
    ['a cluster-scoped name for all', limits, { name: 'a', ...deny }, '', clusterScoped, ['a']],
    [
      'cluster-scoped by labels',
      limits,
      { selector: { matchLabels: { size: 'small' } }, ...deny },
      '',
      clusterScoped,
      ['b'],
    ],
    [
      'a namespace of what has none',
      limits,
      { name: 'a', namespace: 'ns', ...allow },
      'ns',
      clusterScoped,
      'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    ],
    ['neither name nor selector', limits, allow, 'ns', clusterScoped, 'one of name or selector must be provided'],
    [
      'both name and selector',
      limits,
      { name: 'a', selector: {}, ...allow },
      'ns',
      clusterScoped,
      'paramRef.name and paramRef.selector are mutually exclusive',
    ],
    ['a kind that nobody knows', limits, { name: 'a', ...allow }, 'ns', undefined, describeUnknownParamKind(limits)],
  ])('%s', ([, kind, ref, namespace, source, expected]) => {
    expect(plan(kind, ref, namespace, source)).toEqual(expected);
  });

  it('shows parameters under the kind that the policy names', () => {
    const found = planParams(limits, { name: 'a', ...deny }, '', clusterScoped);
    expect(found).toMatchObject({ params: [{ apiVersion: 'rules.example.com/v1', kind: 'ReplicaLimit' }] });
  });
});

describe('describeUnknownParamKind', () => {
  it.for([
    [limits, "failed to find resource referenced by paramKind: 'rules.example.com/v1, Kind=ReplicaLimit'"],
    [configMaps, "failed to find resource referenced by paramKind: '/v1, Kind=ConfigMap'"],
  ] as const)('%j', ([kind, text]) => {
    expect(describeUnknownParamKind(kind)).toBe(text);
  });
});
