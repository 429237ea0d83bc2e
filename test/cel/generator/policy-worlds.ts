import { makeRequestVariable, type PolicyRequest } from '../../../kinds/admissionregistration/policy/policy-request.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { OracleRequest } from '../../oracle/oracle-protocol.ts';
import { ExpressionGenerator } from './expression-generator.ts';
import { listPaths, makeObjectValue, type ObjectPath } from './objects.ts';
import type { OverloadTable } from './overload-table.ts';
import { Random } from './random.ts';
import { parseTypeTerm } from './type-term.ts';
import type { World } from './worlds.ts';

/** A policy of one validation, and the request it is evaluated for. */
export interface GeneratedPolicy {
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly validation: string;
  readonly request: PolicyRequest;
  readonly param: JsonObject;
  readonly namespaceObject: JsonObject;
}

const variableTypes: Readonly<Record<string, string>> = {
  count: 'int',
  label: 'string',
  names: 'list(string)',
  isOpen: 'bool',
  limits: 'map(string, int)',
};

const requestPaths: readonly ObjectPath[] = [
  { text: 'request.operation', type: 'string' },
  { text: 'request.name', type: 'string' },
  { text: 'request.userInfo.username', type: 'string' },
  { text: 'request.userInfo.groups', type: 'list(string)' },
  { text: "request.userInfo.extra['scopes']", type: 'list(string)' },
  { text: 'request.kind.group', type: 'string' },
  { text: 'request.dryRun', type: 'bool' },
  { text: 'has(request.subResource)', type: 'bool' },
  { text: 'request.options.fieldManager', type: 'string' },
  { text: 'namespaceObject.metadata.name', type: 'string' },
  { text: 'namespaceObject.metadata.labels', type: 'map(string, string)' },
  { text: 'namespaceObject.status.phase', type: 'string' },
  { text: 'has(namespaceObject.metadata.annotations)', type: 'bool' },
];

const authorizerNames: readonly ObjectPath[] = [
  { text: 'authorizer', type: 'kubernetes.authorization.Authorizer' },
  { text: 'authorizer.requestResource', type: 'kubernetes.authorization.ResourceCheck' },
];

/** What the scripted authorizer of these policies answers. */
export const policyDecisions: NonNullable<OracleRequest['authorizer']>['decisions'] = {
  'get example.com/widgets/ default/web-1 bob': { decision: 'allow', reason: 'because' },
  'create example.com/widgets/ default/web-1 bob': { error: 'authorizer is down' },
};

/** Policies with composed variables, which read what a request brings. */
export function generatePolicies(seed: number, count: number, table: OverloadTable): readonly GeneratedPolicy[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => generatePolicy(random, table));
}

function generatePolicy(random: Random, table: OverloadTable): GeneratedPolicy {
  const paths = [...listPaths('object'), ...listPaths('oldObject'), ...listPaths('params'), ...requestPaths];
  const known: ObjectPath[] = [];
  const generate = (type: string, depth: number): string => {
    const world: World = { name: 'policy', request: {}, names: [...known, ...known, ...authorizerNames], paths };
    const rates = { wrongType: 0, dynamic: random.pick([0, 0.1]), path: 0.35 };
    return new ExpressionGenerator(random, table, world, rates).expression(parseTypeTerm(type), depth);
  };
  const variables = Object.entries(variableTypes).map(([name, type]) => {
    const expression = generate(type, 2);
    known.push({ text: `variables.${name}`, type });
    return { name, expression };
  });
  return {
    variables,
    validation: `(${generate('bool', 4)}) == true`,
    request: makeRequest(random),
    param: makeObjectValue(random),
    namespaceObject: {
      metadata: { name: 'default', labels: { tier: 'web' }, ...(random.chance(0.5) && { annotations: { a: 'b' } }) },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    },
  };
}

function makeRequest(random: Random): PolicyRequest {
  const operation = random.pick(['CREATE', 'UPDATE', 'DELETE'] as const);
  return {
    resource: { group: 'example.com', version: 'v1', resource: 'widgets' },
    kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
    operation,
    subresource: '',
    name: 'web-1',
    namespace: 'default',
    object: operation === 'DELETE' ? null : makeObjectValue(random),
    oldObject: operation === 'CREATE' ? null : makeObjectValue(random),
    options: random.chance(0.5)
      ? { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'kubectl' }
      : null,
    dryRun: random.chance(0.5),
    user: { username: 'bob', groups: ['system:authenticated'], extra: { scopes: ['a', 'b'] } },
    equivalents: [],
  };
}

/** The oracle's question about a policy. */
export function toPolicyRequest(generated: GeneratedPolicy): OracleRequest {
  const { validation, variables, request, param, namespaceObject } = generated;
  return {
    expression: validation,
    mode: 'stored',
    policy: { params: true, authorizer: true },
    compositions: variables,
    variables: {
      object: { json: request.object },
      oldObject: { json: request.oldObject },
      params: { json: param },
      request: { json: makeRequestVariable(request, request) },
      namespaceObject: { json: namespaceObject },
    },
    authorizer: {
      user: { name: request.user.username, groups: request.user.groups },
      decisions: policyDecisions,
      requestResource: { ...request.resource, name: request.name, namespace: request.namespace, subresource: '' },
    },
  };
}
