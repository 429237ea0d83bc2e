/** One request of a scenario, sent after those before it have been answered. */
export interface ScenarioRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An object and the path of its collection. */
export interface PlacedObject {
  readonly collection: string;
  readonly object: Record<string, unknown>;
}

/** Policies, what they work with, and requests that they judge. */
export interface PolicyScenario {
  /** Unique, a DNS label; also the label `case` of the objects that only its own policies match. */
  readonly name: string;
  /** Made before the policies, and never judged. */
  readonly setup?: readonly PlacedObject[];
  readonly policies: readonly Record<string, unknown>[];
  readonly bindings: readonly Record<string, unknown>[];
  readonly requests: readonly ScenarioRequest[];
  /** Whether the order of failures is by chance on the real one: of the message, only that it is one of ours is compared. */
  readonly isUnordered?: boolean;
  /** Where we answer otherwise on purpose: the point's name in docs/deviations.md. */
  readonly deviation?: string;
}

/** What a request was answered, as far as it is compared; what is empty is absent. */
export interface JudgedAnswer {
  readonly status: number;
  /** These four of a refusal. */
  readonly reason?: string;
  readonly message?: string;
  /** Without the causes. */
  readonly details?: unknown;
  /** The real one has only the first of the failures of policies. */
  readonly causes?: readonly { readonly message?: string }[];
  /** Values of the `Warning` header, sorted. */
  readonly warnings?: readonly string[];
  /** Annotations that policies wrote, but for the next. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Failures of bindings that audit; the real one keeps the first. */
  readonly failures?: readonly unknown[];
}

/** Namespace in which scenarios work unless they say otherwise. */
export const scenarioNamespace = 'policies';

/** A ConfigMap that the policies of a scenario see. */
export function configMap(
  scenario: string,
  name: string,
  data: Readonly<Record<string, string>> = {},
  labels: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { case: scenario, ...labels } }, data };
}

/** Path of the ConfigMaps of a namespace. */
export function configMaps(namespace = scenarioNamespace): string {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}

/** A request that creates a ConfigMap. */
export function create(
  scenario: string,
  name: string,
  data: Readonly<Record<string, string>> = {},
  change: Partial<ScenarioRequest> = {},
): ScenarioRequest {
  return { method: 'POST', path: configMaps(), body: configMap(scenario, name, data), ...change };
}

/** A policy, by default for ConfigMaps and every operation on them. */
export function makePolicy(name: string, spec: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [ruleFor('', 'configmaps')] }, ...spec },
  };
}

/** A binding of a policy, for the objects of the scenario only unless `spec` says what it is for. */
export function makeBinding(
  scenario: string,
  policyName: string,
  spec: Readonly<Record<string, unknown>> = {},
  name = policyName,
): Record<string, unknown> {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: {
      policyName,
      validationActions: ['Deny'],
      matchResources: { objectSelector: { matchLabels: { case: scenario } } },
      ...spec,
    },
  };
}

/** A rule for one resource of a group, in every version. */
export function ruleFor(
  group: string,
  resource: string,
  operations: readonly string[] = ['CREATE', 'UPDATE', 'DELETE'],
): Record<string, unknown> {
  return { apiGroups: [group], apiVersions: ['*'], operations, resources: [resource] };
}

/** A scenario of one policy and one binding that denies. */
export function scenario(
  name: string,
  spec: Readonly<Record<string, unknown>>,
  more: {
    readonly binding?: Readonly<Record<string, unknown>>;
    readonly setup?: readonly PlacedObject[];
    readonly requests?: readonly ScenarioRequest[];
  } = {},
): PolicyScenario {
  return {
    name,
    ...(more.setup === undefined ? {} : { setup: more.setup }),
    policies: [makePolicy(name, spec)],
    bindings: [makeBinding(name, name, more.binding)],
    requests: more.requests ?? [create(name, `${name}-a`, { key: 'value', number: '7' })],
  };
}
