import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { MatchCondition, SelectorRequirement, WebhookRule, WebhookType } from './webhook-configuration.ts';

/** That the host is to call the webhooks for something. One need becomes one entry. */
export interface WebhookNeed {
  readonly type: WebhookType;
  /** Name of the entry before the domain: `limits`, for `limits.bailiwick.dev`. */
  readonly name: string;
  /** `/validate/quota`. */
  readonly path: string;
  /** Whether a request is refused while no webhook can be asked. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly rules: readonly WebhookRule[];
  /** Where; `undefined`: everywhere but in what is always left out. */
  readonly namespaces: ReadonlySet<string> | undefined;
  /** What the labels of the namespace must be besides; absent: whatever they are. */
  readonly namespaceSelector?: readonly SelectorRequirement[];
  /** What the labels of the object must be; absent: whatever they are. */
  readonly objectSelector?: readonly SelectorRequirement[];
  /** Further conditions that a request must meet. */
  readonly matchConditions?: readonly MatchCondition[];
  /** Which of the validating configurations it goes into, the first when absent: a name may occur once in each. */
  readonly configuration?: number;
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  readonly timeoutSeconds: number;
  /**
   * Whether nodes, the API server and the release itself are never asked about; absent: as everybody else. It costs a host about as much as a
   * call, and is for what these write where something is governed.
   */
  readonly isSparing?: boolean;
  /** Whether the host calls again when a later webhook changed the object; of mutating webhooks only. */
  readonly isReinvoked?: boolean;
}

/** A part of the product that needs the host to call the webhooks; parts add one of these each. */
export interface RegistrationContributor {
  /** Resolves when the needs are known. */
  start(): Promise<void>;
  close(): Promise<void>;
  /** What is needed now; empty when nothing is. */
  listNeeds(): readonly WebhookNeed[];
  /** The objects that are in force once their needs are registered, under the names of the specification. */
  listGoverning(): readonly KubeObject[];
  /** Calls `listener` at every change of these. Returns a function that ends this. */
  subscribe(listener: () => void): () => void;
}
