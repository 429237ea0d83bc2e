import { create, read, type DifferentialStep } from '../differential-case.ts';

/** Path of all definitions. */
export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** The group of a case's own. */
export const group = '{{case}}.example.com';
/** Path of the definition of things. */
export const definitionPath = `${definitions}/things.${group}`;
/** Path of the things in the case's namespace. */
export const inNamespace = (version = 'v1'): string => `/apis/${group}/${version}/namespaces/{{ns}}/things`;

/** Schema of the spec of things. */
export const specSchema = {
  type: 'object',
  properties: {
    size: { type: 'integer', default: 3 },
    color: { type: 'string' },
    former: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  },
};
const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: specSchema,
      status: {
        type: 'object',
        properties: { ready: { type: 'boolean' }, replicas: { type: 'integer' }, selector: { type: 'string' } },
      },
    },
  },
};

/** A version of the kind; `v1` is the stored one. */
export function version(name: string, more: object = {}): object {
  return { name, served: true, storage: name === 'v1', schema, ...more };
}

/** The definition of things; `more` goes into its spec. */
export function define(versions: readonly object[] = [version('v1')], more: object = {}): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList', shortNames: ['{{case}}'] },
      versions,
      ...more,
    },
  };
}

/** A thing of a version; `more` stands beside its spec. */
export function thing(name: string, spec: object = {}, apiVersion = 'v1', more: object = {}): object {
  return { apiVersion: `${group}/${apiVersion}`, kind: 'Thing', metadata: { name }, spec, ...more };
}

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] | null };
}

/** Whether an object has a condition of a status. */
export function hasCondition(type: string, status: string) {
  return (body: Conditioned): boolean =>
    (body.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === status);
}

/** Defines the kind, and waits until it is served; the answer is compared. */
export function established(versions?: readonly object[], more?: object): DifferentialStep[] {
  return [
    create(definitions, define(versions, more)),
    read(definitionPath, { until: hasCondition('Established', 'True') }),
    // Discovery follows a moment later.
    read(`/apis/${group}/v1`, { until: (body) => body?.kind === 'APIResourceList', compares: 'status' }),
  ];
}

/** Whether an answer says that the object is not there. */
export const isGone = (body: { code?: number; kind?: string }): boolean => body.code === 404;
