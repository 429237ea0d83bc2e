import { makeServerTimeoutError, makeTooManyRequestsError } from '../../core/errors/make-status-error.ts';
import { StatusError } from '../../core/errors/status.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import type { EvictionQueue, QueuedAnswer } from './eviction-queue.ts';
import { readEvictionDryRun, readEvictionOptions } from './eviction-request.ts';
import { makeEvictionDenial } from './make-eviction-denial.ts';

/** What the plugin needs. */
export interface EvictionPluginOptions {
  readonly evictions: EvictionQueue;
  readonly clock: Clock;
  /** How long a request may take at most, whatever time its caller has. Absent means 7 s. */
  readonly deadlineMillis?: number;
  /** Told when budgets could not be read or charged: nobody is let through for it. */
  readonly onFailure: (error: unknown) => void;
}

const longestMillis = 7_000;
const retryAfterSeconds = 1;

/**
 * Asks the budgets of a pod that a host is about to evict ("PodDisruptionBudget"), and charges them: whatever becomes of the eviction
 * afterwards, its charge stands until the pod is gone, or its time is over.
 */
export class EvictionPlugin implements AdmissionPlugin {
  readonly name = 'PodDisruptionBudget';
  readonly #options: EvictionPluginOptions;

  constructor(options: EvictionPluginOptions) {
    this.#options = options;
  }

  handles({ operation, resource, subresource, namespace, object }: AdmissionAttributes): boolean {
    const isEviction = resource.group === '' && resource.resource === 'pods' && subresource === 'eviction';
    return isEviction && operation === 'CREATE' && namespace !== undefined && object !== undefined;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const answer = await this.#ask(attributes);
    switch (answer.outcome) {
      // The host says itself that there is no such pod.
      case 'absent':
      case 'granted':
        return;
      case 'refused':
        throw makeEvictionDenial(answer.refusals);
      case 'mismatched':
        throw answer.fault;
      case 'late':
        throw makeTooManyRequestsError(
          'the disruption budgets of the pod could not be asked in time, please try again',
          retryAfterSeconds,
        );
    }
  }

  async #ask({ namespace = '', name, object, dryRun, deadlineMillis = Infinity }: AdmissionAttributes) {
    const { evictions, clock, onFailure } = this.#options;
    if (object === undefined) throw new Error('an eviction without a body was judged');
    const request = {
      podName: name,
      options: readEvictionOptions(object),
      // The host tells only of its own parameter, and rehearses for either.
      dryRun: dryRun || readEvictionDryRun(object).length > 0,
    };
    const endMillis = Math.min(deadlineMillis, clock.now() + (this.#options.deadlineMillis ?? longestMillis));
    try {
      return (await evictions.decide(namespace, request, endMillis)) satisfies QueuedAnswer;
    } catch (error) {
      onFailure(error);
      const { status } = makeServerTimeoutError('', 'pods/eviction', 'create', retryAfterSeconds);
      throw new StatusError(status, { cause: error });
    }
  }
}
