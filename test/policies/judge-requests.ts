import { randomUUID } from 'node:crypto';
import { waitUntil } from '../cluster/wait-until.ts';
import type { AuditTrail } from './audit-trail.ts';
import {
  configMap,
  configMaps,
  makeBinding,
  makePolicy,
  scenarioNamespace,
  type JudgedAnswer,
  type PlacedObject,
  type PolicyScenario,
  type ScenarioRequest,
} from './scenario.ts';

/** What a server answered; `body` is whatever it is. */
interface ServerAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of any kind, looked into by tests
  readonly body: any;
}

/** A server that judges requests by policies, with an audit log. */
export interface PolicyServer {
  request(
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly headers?: Record<string, string> },
  ): Promise<ServerAnswer>;
  readonly trail: AuditTrail;
}

const policyCollection = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const bindingCollection = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const failureKey = 'validation.policy.admission.k8s.io/validation_failure';
/** Annotations that others than policies write. */
const foreignKeys =
  /^(authorization|authentication|pod-security|mutation\.webhook|apiserver)\b.*(k8s|kubernetes)\.io\//;

const rbac = 'rbac.authorization.k8s.io';

/** What scenarios find in place: namespaces, and what their users may do. */
const common: readonly PlacedObject[] = [
  ...[scenarioNamespace, 'policies-other'].map((name) => ({
    collection: '/api/v1/namespaces',
    object: {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: name === scenarioNamespace ? { team: 'blue' } : {} },
    },
  })),
  {
    collection: `/apis/${rbac}/v1/namespaces/${scenarioNamespace}/roles`,
    object: {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata: { name: 'maker' },
      rules: [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get'] },
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['get'] },
        { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['update'] },
      ],
    },
  },
  {
    collection: `/apis/${rbac}/v1/namespaces/${scenarioNamespace}/rolebindings`,
    object: {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'makers' },
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'maker' },
      subjects: [
        { kind: 'User', apiGroup: rbac, name: 'jane' },
        { kind: 'ServiceAccount', name: 'robot', namespace: scenarioNamespace },
      ],
    },
  },
];

/** Makes objects one after the other. Throws with every refusal. */
async function placeAll(server: PolicyServer, objects: readonly PlacedObject[]): Promise<void> {
  const refusals: string[] = [];
  for (const { collection, object } of objects) {
    const { status, body } = await server.request('POST', collection, { body: object });
    // Scenarios share what they set up.
    if (status === 201 || (status === 409 && body.reason === 'AlreadyExists')) continue;
    refusals.push(String(body.message));
  }
  if (refusals.length > 0) throw new Error(`refused:\n${refusals.join('\n')}`);
}

/** Makes everything that scenarios need, policies last, and waits until all of them are in force. */
export async function installScenarios(server: PolicyServer, scenarios: readonly PolicyScenario[]): Promise<void> {
  const policies = scenarios.flatMap((scenario) => scenario.policies);
  const bindings = scenarios.flatMap((scenario) => scenario.bindings);
  await placeAll(server, [
    ...common,
    ...scenarios.flatMap(({ setup = [] }) => setup),
    ...policies.map((object) => ({ collection: policyCollection, object })),
    ...bindings.map((object) => ({ collection: bindingCollection, object })),
    // Servers see policies and bindings in the order of their writes: when the last is in force, all are.
    { collection: policyCollection, object: makePolicy('zz-last', { validations: [{ expression: 'false' }] }) },
    { collection: bindingCollection, object: makeBinding('zz-last', 'zz-last') },
  ]);
  await waitUntil('the policies to be in force', async () => {
    const { status } = await server.request('POST', `${configMaps()}?dryRun=All`, {
      body: configMap('zz-last', 'zz-last'),
    });
    return status === 422;
  });
}

/** The texts of a `Warning` header: 299 - "text", several of them behind commas. */
function readWarnings(header: string | string[] | undefined): string[] {
  const text = [header ?? []].flat().join(', ');
  return [...text.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)]
    .map(([, quoted = '']) => quoted.replaceAll(/\\(.)/g, '$1'))
    .toSorted();
}

/** Names that a server makes up differ each time. */
function hideGeneratedNames<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(/generated-[a-z0-9]{5}\b/g, 'generated-?')) as T;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a Status, or whatever was answered
function readRefusal(body: any): Partial<JudgedAnswer> {
  const { causes = [], ...details } = hideGeneratedNames(body.details ?? {});
  return {
    reason: body.reason,
    message: hideGeneratedNames(body.message),
    details,
    ...(causes.length === 0 ? {} : { causes }),
  };
}

/** Sends one request and gathers what is compared of its answer. */
export async function judgeRequest(server: PolicyServer, request: ScenarioRequest): Promise<JudgedAnswer> {
  const auditId = randomUUID();
  const { method, path, body, headers } = request;
  const answer = await server.request(method, path, { body, headers: { ...headers, 'audit-id': auditId } });
  const annotations = { ...(await server.trail.readAnnotations(auditId)) };
  const failures = JSON.parse(annotations[failureKey] ?? '[]') as unknown[];
  delete annotations[failureKey];
  for (const key of Object.keys(annotations)) if (foreignKeys.test(key)) delete annotations[key];
  const warnings = readWarnings(answer.headers['warning']);
  return {
    status: answer.status,
    ...(answer.status < 400 ? {} : readRefusal(answer.body)),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(failures.length === 0 ? {} : { failures }),
  };
}
