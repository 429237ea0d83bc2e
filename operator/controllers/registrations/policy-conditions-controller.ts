import {
  type EnforcedCondition,
  findPatienceLeft,
  planEnforcedCondition,
} from '../../../admission/registrations/plan-enforced-condition.ts';
import type { CheckedCollection, PolicyContributor } from '../../../admission/registrations/policy-contributor.ts';
import { hasReason } from '../../../core/errors/status.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatTime } from '../../../core/time/time.ts';
import type { ValidatingAdmissionPolicyBinding } from '../../../kinds/admissionregistration/validating-admission-policy-binding/schema.ts';
import type { ValidatingAdmissionPolicy } from '../../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import type { Enforcement, EnforcementSource } from '../../../platform/release/enforcement.ts';
import { type Controller, type ControllerOptions, createControllerQueue } from '../controller-parts.ts';

/** What the controller needs; all of it is started and closed by whoever made it. */
export interface PolicyConditionsOptions extends ControllerOptions {
  readonly domain: string;
  readonly policies: CheckedCollection<ValidatingAdmissionPolicy>;
  readonly bindings: CheckedCollection<ValidatingAdmissionPolicyBinding>;
  readonly contributor: PolicyContributor;
  readonly enforcement: EnforcementSource;
}

const fieldManager = 'bailiwick-registrations';
const conflictMillis = 200;
const concurrency = 4;

type Condition = NonNullable<ValidatingAdmissionPolicy['status']['conditions']>[number];

function isSame(condition: Condition | undefined, wanted: EnforcedCondition): boolean {
  return (
    condition !== undefined &&
    (['status', 'reason', 'message', 'observedGeneration'] as const).every((key) => condition[key] === wanted[key])
  );
}

/** Says in the status of each policy since which generation every replica acts on it, or why not. Of several replicas of the operator only the leader runs it. */
export class PolicyConditionsController implements Controller {
  readonly #options: PolicyConditionsOptions;
  readonly #queue: WorkQueue;
  readonly #ends: (() => void)[] = [];
  /** Generations that are in force, by uid. */
  #governing: ReadonlyMap<string, number> = new Map();
  /** The setting that they are in force by. */
  #registered: Enforcement | undefined;
  /** Since when a generation is waited for, by a setting, by uid. */
  readonly #waiting = new Map<string, { readonly waitsFor: string; readonly sinceMillis: number }>();

  constructor(options: PolicyConditionsOptions) {
    this.#options = options;
    this.#queue = createControllerQueue(options, 'policy-conditions', (name) => this.#reconcile(name), concurrency);
  }

  async start(): Promise<void> {
    const { policies, bindings, contributor, enforcement } = this.#options;
    this.#ends.push(
      policies.index.subscribe(({ key, object, previous }) => {
        if (object === undefined) this.#waiting.delete(previous?.metadata.uid ?? '');
        this.#queue.add(key);
      }),
      bindings.index.subscribe(({ object, previous }) => {
        for (const binding of [object, previous]) this.#queue.add(binding?.spec.policyName ?? '');
      }),
      contributor.subscribe(() => this.#lookAtAll()),
      enforcement.subscribe(() => this.#lookAtAll()),
    );
    this.#lookAtAll();
  }

  /** Takes over which objects are in force, and by which setting, as the registrations have it. */
  setGoverning(objects: readonly KubeObject[], enforcement: Enforcement): void {
    this.#registered = enforcement;
    this.#governing = new Map(objects.map(({ metadata }) => [metadata.uid ?? '', metadata.generation ?? 0]));
    this.#lookAtAll();
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end();
    await this.#queue.close();
  }

  #lookAtAll(): void {
    for (const { metadata } of this.#options.policies.index.list()) this.#queue.add(metadata.name ?? '');
  }

  #findWaited(uid: string, generation: number): number {
    const { clock, enforcement } = this.#options;
    const known = this.#waiting.get(uid);
    const waitsFor = `${generation} ${enforcement.current()}`;
    if (known?.waitsFor === waitsFor) return clock.now() - known.sinceMillis;
    this.#waiting.set(uid, { waitsFor, sinceMillis: clock.now() });
    return 0;
  }

  async #reconcile(name: string): Promise<WorkResult | undefined> {
    const { policies, contributor, enforcement } = this.#options;
    const raw = policies.index.get(name);
    if (raw === undefined) return undefined;
    const { uid = '', generation = 0 } = raw.metadata;
    const policy = policies.enforceable.get(name);
    const invalid = policies.enforceable.listInvalid().find(({ object }) => object === raw);
    const facts = {
      ...{ generation, enforcement: enforcement.current(), faults: invalid?.faults ?? [] },
      ...contributor.findProgress(policy ?? raw),
      registered: this.#governing.get(uid) === generation ? this.#registered : undefined,
      waitedMillis: this.#findWaited(uid, generation),
    };
    const wanted = planEnforcedCondition(facts);
    if (wanted === undefined) return { againAfterMillis: findPatienceLeft(facts) };
    return this.#write(raw, wanted);
  }

  async #write(raw: ValidatingAdmissionPolicy, wanted: EnforcedCondition): Promise<WorkResult | undefined> {
    const { client, clock, domain } = this.#options;
    const { conditions = [], ...status } = (raw.status as ValidatingAdmissionPolicy['status'] | undefined) ?? {};
    const known = conditions.find(({ type }) => type === wanted.type);
    if (isSame(known, wanted)) return undefined;
    const isKept = known?.status === wanted.status;
    const condition = { ...wanted, lastTransitionTime: isKept ? known.lastTransitionTime : formatTime(clock.now()) };
    const object = {
      ...raw,
      status: { ...status, conditions: [...conditions.filter(({ type }) => type !== wanted.type), condition] },
    };
    const resource = {
      group: `admissionregistration.${domain}`,
      version: 'v1',
      resource: 'validatingadmissionpolicies',
    };
    try {
      await client.update({ resource, name: raw.metadata.name ?? '' }, object, { fieldManager }, 'status');
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      if (!hasReason(error, 'Conflict')) throw error;
      return { againAfterMillis: conflictMillis };
    }
    return undefined;
  }
}
