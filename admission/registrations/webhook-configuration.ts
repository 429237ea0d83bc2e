import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { ResourceName } from '../../core/meta/resource-name.ts';

/** What a webhook is called for; the names of Kubernetes' RuleWithOperations. */
export interface WebhookRule {
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT' | '*')[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  /** `pods`, or `pods/resize`. */
  readonly resources: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster' | '*';
}

/** A condition in CEL that a request must meet for a webhook to be called. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** One requirement of a label selector. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Of In and NotIn only. */
  readonly values?: readonly string[];
}

/** Where a webhook is reached; `caBundle` is base64. */
export interface WebhookClientConfig {
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path: string;
    readonly port: number;
  };
  readonly url?: string;
  readonly caBundle: string;
}

/** One entry of a webhook configuration, with every field that a host would default. */
export interface WebhookEntry {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules: readonly WebhookRule[];
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly matchPolicy: 'Equivalent';
  readonly namespaceSelector: { readonly matchExpressions: readonly SelectorRequirement[] };
  readonly objectSelector: { readonly matchExpressions?: readonly SelectorRequirement[] };
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  readonly timeoutSeconds: number;
  readonly admissionReviewVersions: readonly string[];
  readonly matchConditions: readonly MatchCondition[];
  /** Of mutating webhooks only. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** A MutatingWebhookConfiguration or ValidatingWebhookConfiguration of the host. */
export interface WebhookConfiguration extends KubeObject {
  webhooks?: readonly WebhookEntry[];
}

export type WebhookType = 'mutating' | 'validating';

/** Kinds and resources of the host's configurations. */
export const configurationKinds: Readonly<
  Record<WebhookType, { readonly kind: string; readonly resource: ResourceName }>
> = {
  mutating: {
    kind: 'MutatingWebhookConfiguration',
    resource: { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'mutatingwebhookconfigurations' },
  },
  validating: {
    kind: 'ValidatingWebhookConfiguration',
    resource: { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingwebhookconfigurations' },
  },
};
