import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { ValidatingAdmissionPolicyBinding } from '../../kinds/admissionregistration/validating-admission-policy-binding/schema.ts';
import type { ValidatingAdmissionPolicy } from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import type { CollectionChange, CollectionIndex } from '../../platform/resources/collection-index.ts';
import { type EnforceableIndex, isSameGeneration } from '../enforceable-index.ts';
import { planPolicyNeeds } from './plan-policy-needs.ts';
import { parseVersion, type SeenVersions } from './replica-presence.ts';
import type { RegistrationContributor, WebhookNeed } from './webhook-need.ts';

/** An index of objects, and those of them that can be acted on. */
export interface CheckedCollection<T extends KubeObject> {
  readonly index: CollectionIndex<T>;
  /** Over the same index. */
  readonly enforceable: EnforceableIndex<T>;
}

/** The replicas that judge, and what each has seen. */
export interface PresenceSource {
  start(): Promise<void>;
  close(): Promise<void>;
  list(): readonly SeenVersions[];
  /** Calls `listener` when this may have changed. Returns a function that ends this. */
  subscribe(listener: () => void): () => void;
}

/** Where policies, their bindings and the replicas are; started and closed with the contributor. */
export interface PolicyContributorOptions {
  readonly policies: CheckedCollection<ValidatingAdmissionPolicy>;
  readonly bindings: CheckedCollection<ValidatingAdmissionPolicyBinding>;
  readonly presence: PresenceSource;
  readonly domain: string;
}

/** How far a policy has come on its way to the replicas. */
export interface PolicyProgress {
  /** Bindings of it that can be acted on. */
  readonly bindings: number;
  /** Replicas, and how many of them have not seen the policy or one of its bindings as they are. */
  readonly replicas: { readonly total: number; readonly behind: number };
}

/** What policies and their bindings need of a host; they govern once every replica has seen them. */
export class PolicyContributor implements RegistrationContributor {
  readonly #options: PolicyContributorOptions;
  /** At which version the generation of an object was first seen, by uid. */
  readonly #versions = new Map<string, bigint>();
  /** Bindings by the name of their policy; `undefined` after a change. */
  #bound: ReadonlyMap<string, readonly ValidatingAdmissionPolicyBinding[]> | undefined;

  constructor(options: PolicyContributorOptions) {
    this.#options = options;
    const { policies, bindings } = options;
    policies.index.subscribe((change) => this.#note(change));
    bindings.index.subscribe((change) => {
      this.#bound = undefined;
      this.#note(change);
    });
  }

  async start(): Promise<void> {
    const { policies, bindings, presence } = this.#options;
    await Promise.all([policies.index.start(), bindings.index.start(), presence.start()]);
  }

  async close(): Promise<void> {
    const { policies, bindings, presence } = this.#options;
    await Promise.all([policies.index.close(), bindings.index.close(), presence.close()]);
  }

  listNeeds(): readonly WebhookNeed[] {
    const { policies, bindings, domain } = this.#options;
    return planPolicyNeeds(policies.enforceable.list(), bindings.enforceable.list(), domain);
  }

  listGoverning(): readonly KubeObject[] {
    return this.#options.policies.enforceable.list().flatMap((policy) => {
      const bindings = this.#findBindings(policy);
      const { total, behind } = this.#countReplicas(policy, bindings);
      return bindings.length === 0 || total === 0 || behind > 0 ? [] : [policy, ...bindings];
    });
  }

  /** How far a policy of this name has come. */
  findProgress(policy: ValidatingAdmissionPolicy): PolicyProgress {
    const bindings = this.#findBindings(policy);
    return { bindings: bindings.length, replicas: this.#countReplicas(policy, bindings) };
  }

  subscribe(listener: () => void): () => void {
    const { policies, bindings, presence } = this.#options;
    const ends = [policies.enforceable, bindings.enforceable].map((index) =>
      index.subscribe(({ object, previous }) => {
        // Statuses are written when types were checked and when a policy is in force, and nothing that is registered hangs on them.
        if (object === undefined || previous === undefined || !isSameGeneration(object, previous)) listener();
      }),
    );
    ends.push(presence.subscribe(listener));
    return () => {
      for (const end of ends) end();
    };
  }

  #findBindings({ metadata }: KubeObject): readonly ValidatingAdmissionPolicyBinding[] {
    this.#bound ??= Map.groupBy(this.#options.bindings.enforceable.list(), ({ spec }) => spec.policyName ?? '');
    return this.#bound.get(metadata.name ?? '') ?? [];
  }

  #note({ object, previous }: CollectionChange<KubeObject>): void {
    if (object === undefined) this.#versions.delete(previous?.metadata.uid ?? '');
    else if (previous === undefined || !isSameGeneration(object, previous)) {
      this.#versions.set(object.metadata.uid ?? '', parseVersion(object.metadata.resourceVersion));
    }
  }

  #countReplicas(policy: KubeObject, bindings: readonly KubeObject[]): PolicyProgress['replicas'] {
    const seen = this.#options.presence.list();
    const findVersion = ({ metadata }: KubeObject): bigint => this.#versions.get(metadata.uid ?? '') ?? 0n;
    const policyVersion = findVersion(policy);
    const isBehind = (replica: SeenVersions): boolean =>
      replica.policies < policyVersion || bindings.some((binding) => replica.bindings < findVersion(binding));
    return { total: seen.length, behind: seen.filter(isBehind).length };
  }
}
