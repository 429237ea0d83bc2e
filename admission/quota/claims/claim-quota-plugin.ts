import { makeServerTimeoutError, makeTooManyRequestsError } from '../../../core/errors/make-status-error.ts';
import { StatusError } from '../../../core/errors/status.ts';
import type { QuotaRequest, UsageEvaluator } from '../../../kinds/core/resource-quota/usage-evaluator.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../admission-plugin.ts';
import { makeDenial } from '../../make-denial.ts';
import { evaluateQuotaRequest } from '../evaluate-quota-request.ts';
import { type ClaimResult, type ClaimServices, claimWrites, type WaitingWrite } from './claim-writes.ts';

/** Finds how a resource uses quota; `undefined` for one that no quota counts. */
export interface EvaluatorSource {
  find(group: string, resource: string): UsageEvaluator | undefined;
}

/** What the plugin needs. */
export interface ClaimQuotaPluginOptions extends ClaimServices {
  readonly evaluators: EvaluatorSource;
  /** How long a request may take at most, whatever time its caller has. Absent means 7 s. */
  readonly deadlineMillis?: number;
}

interface Waiter extends WaitingWrite {
  readonly resolve: (result: ClaimResult) => void;
}

/** More than this in one swap would only hold up those that come after. */
const MAX_BATCH = 500;
const DEADLINE_MILLIS = 7_000;
const RETRY_AFTER_SECONDS = 1;
const TOO_LATE: ClaimResult = {
  refusal: 'the quotas of the namespace could not be claimed in time',
  isTransient: true,
};

/**
 * Claims quota for writes that a host is about to make ("ResourceQuota"), as its webhook: whatever becomes of the write afterwards, its
 * claim stands in the quotas until a count knows. Nothing is let through that could not be claimed in time. Requests that wait for one
 * namespace are decided together, in the order they came.
 */
export class ClaimQuotaPlugin implements AdmissionPlugin {
  readonly name = 'ResourceQuota';
  readonly #options: ClaimQuotaPluginOptions;
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(options: ClaimQuotaPluginOptions) {
    this.#options = options;
  }

  handles(attributes: AdmissionAttributes): boolean {
    return (
      attributes.namespace !== undefined && evaluateQuotaRequest(this.#options.evaluators, attributes) !== undefined
    );
  }

  /** Claims what the write may use; nothing has to be settled or undone later, a count does both. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { namespace, dryRun, object } = attributes;
    const evaluation = evaluateQuotaRequest(this.#options.evaluators, attributes);
    if (namespace === undefined || evaluation === undefined) return;
    if (!dryRun && (object?.metadata.uid ?? '') === '')
      throw makeDenial(attributes, 'quota cannot count an object without a uid');
    const result = await this.#ask(namespace, evaluation, attributes);
    if (result.error !== undefined) {
      const { group, resource } = attributes.resource;
      const refusal = makeServerTimeoutError(group, resource, attributes.operation.toLowerCase(), RETRY_AFTER_SECONDS);
      throw new StatusError(refusal.status, { cause: result.error });
    }
    if (result.refusal === undefined) return;
    if (result.isTransient === true) {
      throw makeTooManyRequestsError(`${result.refusal}, please try again`, RETRY_AFTER_SECONDS);
    }
    throw makeDenial(attributes, result.refusal);
  }

  #ask(
    namespace: string,
    evaluation: { evaluator: UsageEvaluator; request: QuotaRequest },
    { dryRun, deadlineMillis = Infinity }: AdmissionAttributes,
  ): Promise<ClaimResult> {
    const { clock } = this.#options;
    // A claim for a request that nobody waits for any more would only hold room up.
    const leftMillis = Math.min(deadlineMillis - clock.now(), this.#options.deadlineMillis ?? DEADLINE_MILLIS);
    return new Promise((resolve) => {
      let isAbandoned = false;
      const cancel = clock.schedule(Math.max(0, leftMillis), () => {
        isAbandoned = true;
        resolve(TOO_LATE);
      });
      const answer = (result: ClaimResult): void => {
        cancel();
        resolve(result);
      };
      this.#enqueue(namespace, { ...evaluation, dryRun, isAbandoned: () => isAbandoned, resolve: answer });
    });
  }

  #enqueue(namespace: string, waiter: Waiter): void {
    const waiting = this.#waiting.get(namespace);
    if (waiting !== undefined) {
      waiting.push(waiter);
      return;
    }
    this.#waiting.set(namespace, [waiter]);
    void this.#serve(namespace);
  }

  async #serve(namespace: string): Promise<void> {
    for (;;) {
      const waiting = this.#waiting.get(namespace) ?? [];
      const batch = waiting.splice(0, MAX_BATCH).filter(({ isAbandoned }) => !isAbandoned());
      try {
        const results = batch.length === 0 ? [] : await claimWrites(this.#options, namespace, batch);
        for (const [i, waiter] of batch.entries()) waiter.resolve(results[i] ?? TOO_LATE);
      } catch (error) {
        this.#options.onFailure('claim', error);
        for (const waiter of batch) waiter.resolve({ error });
      }
      if (waiting.length === 0) {
        this.#waiting.delete(namespace);
        return;
      }
    }
  }
}
