import type { AdmissionAttributes, AdmissionPlugin, AdmissionReservation } from '../admission-plugin.ts';
import { makeDenial } from '../make-denial.ts';
import { type ChargeRequest, type ChargeResult, chargeWrites, undoWrite } from './charge-writes.ts';
import type { OpenWrite } from './quota-ledger.ts';
import { evaluateQuotaRequest } from './evaluate-quota-request.ts';
import type { QuotaServices } from './recount-quota.ts';

/** What the plugin needs; the ledger is the one that the quota controller has. */
export interface ResourceQuotaPluginOptions extends QuotaServices {
  /** Told when a charge could not be taken back; the next recount repairs it. */
  readonly onFailure: (error: unknown) => void;
}

interface Waiter extends ChargeRequest {
  readonly resolve: (result: ChargeResult) => void;
  readonly reject: (error: unknown) => void;
}

/** More than this in one swap would only hold up those that come after. */
const MAX_BATCH = 500;

/**
 * Charges writes to the quotas of their namespace, last in the chain ("ResourceQuota"). Requests that wait for one namespace are
 * decided together, in the order they came, and stored in one swap a quota.
 */
export class ResourceQuotaPlugin implements AdmissionPlugin {
  readonly name = 'ResourceQuota';
  readonly #options: ResourceQuotaPluginOptions;
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(options: ResourceQuotaPluginOptions) {
    this.#options = options;
  }

  handles(attributes: AdmissionAttributes): boolean {
    return (
      attributes.namespace !== undefined && evaluateQuotaRequest(this.#options.evaluators, attributes) !== undefined
    );
  }

  async reserve(attributes: AdmissionAttributes): Promise<AdmissionReservation | undefined> {
    const { namespace, dryRun } = attributes;
    const evaluation = evaluateQuotaRequest(this.#options.evaluators, attributes);
    if (namespace === undefined || evaluation === undefined) return undefined;
    const result = await new Promise<ChargeResult>((resolve, reject) => {
      this.#enqueue(namespace, { ...evaluation, dryRun, resolve, reject });
    });
    if (result.refusal !== undefined) throw makeDenial(attributes, result.refusal);
    return result.write === undefined ? undefined : this.#makeReservation(result.write);
  }

  #makeReservation(write: OpenWrite): AdmissionReservation {
    let isClosed = false;
    return {
      settle: () => {
        if (!isClosed) this.#options.ledger.settle(write);
        isClosed = true;
      },
      undo: async () => {
        if (isClosed) return;
        isClosed = true;
        try {
          await undoWrite(this.#options, write);
        } catch (error) {
          this.#options.onFailure(error);
        }
      },
    };
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
    const { ledger } = this.#options;
    for (;;) {
      let batch: Waiter[] = [];
      try {
        const results = await ledger.runExclusively(namespace, () => {
          batch = this.#waiting.get(namespace)?.splice(0, MAX_BATCH) ?? [];
          return chargeWrites(this.#options, namespace, batch);
        });
        for (const [i, waiter] of batch.entries()) waiter.resolve(results[i] ?? { refusal: 'not decided' });
      } catch (error) {
        for (const waiter of batch) waiter.reject(error);
      }
      if (this.#waiting.get(namespace)?.length === 0) {
        this.#waiting.delete(namespace);
        return;
      }
    }
  }
}
