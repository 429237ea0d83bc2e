import { makeServerTimeoutError, makeTooManyRequestsError } from '../../../core/errors/make-status-error.ts';
import { StatusError } from '../../../core/errors/status.ts';
import type { UsageEvaluator } from '../../../kinds/core/resource-quota/usage-evaluator.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../admission-plugin.ts';
import { makeDenial } from '../../make-denial.ts';
import { NamespaceBatches, type WaitingRequest } from '../../namespace-batches.ts';
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

type Write = Omit<WaitingWrite, 'isAbandoned'>;

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
  readonly #batches: NamespaceBatches<Write, ClaimResult>;

  constructor(options: ClaimQuotaPluginOptions) {
    this.#options = options;
    this.#batches = new NamespaceBatches<Write, ClaimResult>({
      ...{ clock: options.clock, maxBatch: MAX_BATCH, late: TOO_LATE },
      decide: (namespace, batch) => this.#claim(namespace, batch),
    });
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
    // A claim for a request that nobody waits for any more would only hold room up.
    const leftMillis = (attributes.deadlineMillis ?? Infinity) - this.#options.clock.now();
    const withinMillis = Math.min(leftMillis, this.#options.deadlineMillis ?? DEADLINE_MILLIS);
    const result = await this.#batches.ask(namespace, { ...evaluation, dryRun }, withinMillis);
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

  async #claim(namespace: string, batch: readonly WaitingRequest<Write>[]): Promise<readonly ClaimResult[]> {
    try {
      const writes = batch.map(({ request, isAbandoned }) => ({ ...request, isAbandoned }));
      return await claimWrites(this.#options, namespace, writes);
    } catch (error) {
      this.#options.onFailure('claim', error);
      return batch.map(() => ({ error }));
    }
  }
}
