import { makeConflictError, makeExpiredError, makeNotFoundError } from '../../../../core/errors/make-status-error.ts';
import type { KubeObject } from '../../../../core/meta/kube-object.ts';
import { quantityFromInteger, quantityToInteger } from '../../../../core/quantity/quantity.ts';
import { measureObjects } from '../../../../kinds/core/resource-quota/plan-status.ts';
import type { LedgerQuota, QuotaLedgerStatus } from '../../../../kinds/core/resource-quota/quota-claim.ts';
import { readUsage } from '../../../../kinds/core/resource-quota/usage.ts';
import type { UsageEvaluator } from '../../../../kinds/core/resource-quota/usage-evaluator.ts';
import type { ResourceClient } from '../../../../platform/resources/resource-client.ts';
import type { VirtualTime } from './virtual-time.ts';

/** An object that uses `cpu`, only some of which (`hot`) are in the scope of some quotas; nothing once it is `over`. */
export interface Thing extends KubeObject {
  readonly spec: { readonly cpu: number; readonly hot: boolean };
  readonly status: { readonly over: boolean };
}

const ONE = quantityFromInteger(1);

/** How things use quota. */
export const thingEvaluator: UsageEvaluator<Thing> = {
  group: '',
  resource: 'pods',
  handles: () => true,
  selectResources: (names) => [...names].filter((name) => ['pods', 'count/pods', 'requests.cpu'].includes(name)),
  matchesScope: (_requirement, thing) => thing.spec.hot,
  measure: ({ spec, status }) =>
    new Map([
      ['count/pods', ONE],
      ...(status.over ? [] : ([['pods', ONE], ['requests.cpu', quantityFromInteger(spec.cpu)]] as const)),
    ]),
};

/** How a host is better or worse than a real one. */
export interface HostFlaws {
  /** How long after its start a write can still be stored; absent: 34 s. */
  readonly writeMillis?: number;
  /** Accepts a status whatever has been stored since it was read. */
  readonly ignoresVersions?: boolean;
  /** Loses count of counts. */
  readonly losesSerial?: boolean;
  /** How many believe that they lead from the beginning; absent: mostly one. */
  readonly leaders?: number;
}

/** What a program is to the host: one that may die, and whose requests take some time. */
export interface Caller {
  readonly isAlive: boolean;
  /** How long the next message takes. */
  nextLatencyMillis(): number;
  /** Whether the next answer is lost. */
  losesAnswer(): boolean;
}

const NAMESPACE = 'n';

/** A host's objects and quotas, in one namespace, all changes at once; looks after every change that nothing is over a limit. */
export class SimulatedHost {
  readonly time: VirtualTime;
  readonly flaws: HostFlaws;
  readonly things = new Map<string, Thing>();
  readonly quotas = new Map<string, LedgerQuota>();
  readonly faults: string[] = [];
  readonly listeners = new Set<(change: { deleted?: string; quota?: LedgerQuota }) => void>();
  readonly #history = new Map<string, { atMillis: number; quota: LedgerQuota }[]>();
  readonly #pages = new Map<string, Thing[]>();
  #revision = 100;

  constructor(time: VirtualTime, flaws: HostFlaws = {}) {
    this.time = time;
    this.flaws = flaws;
  }

  addQuota(name: string, hard: Record<string, string>, scopes: string[]): void {
    const metadata = { name, namespace: NAMESPACE, uid: `quota-${name}`, generation: 1 };
    const spec = { hard, ...(scopes.length === 0 ? {} : { scopes }) };
    this.#putQuota({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec, status: {} });
  }

  /** Changes what a quota allows. */
  respecify(name: string, hard: Record<string, string>): void {
    const quota = this.quotas.get(name) as LedgerQuota;
    const metadata = { ...quota.metadata, generation: (quota.metadata.generation ?? 0) + 1 };
    this.#putQuota({ ...quota, metadata, spec: { ...quota.spec, hard } });
  }

  /** The state of a quota as it was at a time; its first one before that. */
  recall(name: string, atMillis: number): LedgerQuota | undefined {
    const history = this.#history.get(name);
    return (history?.findLast((entry) => entry.atMillis <= atMillis) ?? history?.[0])?.quota;
  }

  /** Creates or changes an object; false when it has changed meanwhile. */
  store(thing: Thing): boolean {
    const { uid = '', resourceVersion } = thing.metadata;
    const current = this.things.get(uid);
    if (current?.metadata.resourceVersion !== resourceVersion) return false;
    const stored = { ...thing, metadata: { ...thing.metadata, resourceVersion: this.#next() } };
    this.things.set(uid, stored);
    this.#check(`${current === undefined ? 'created' : 'changed'} ${uid}`);
    this.#tell({});
    return true;
  }

  remove(uid: string): void {
    this.#next();
    if (this.things.delete(uid)) this.#tell({ deleted: uid });
  }

  /** What is stored uses of a quota's resources. */
  measure(quota: LedgerQuota): Record<string, number> {
    const usage = measureObjects(quota.spec, thingEvaluator, this.things.values(), 0);
    return Object.fromEntries([...usage].map(([name, amount]) => [name, Number(quantityToInteger(amount))]));
  }

  /** The verbs that quota needs, as one program calls them. */
  connect(caller: Caller): ResourceClient {
    const call = async <T>(operation: () => T): Promise<T> => {
      if (!caller.isAlive) return new Promise(() => {});
      await this.time.sleep(caller.nextLatencyMillis());
      let outcome: { value: T } | { error: unknown };
      try {
        outcome = { value: operation() };
      } catch (error) {
        outcome = { error };
      }
      const isLost = caller.losesAnswer();
      await this.time.sleep(caller.nextLatencyMillis());
      if (!caller.isAlive) return new Promise(() => {});
      if (isLost) throw new Error('connection reset');
      if ('error' in outcome) throw outcome.error;
      return outcome.value;
    };
    const client = {
      get: (reference: { name: string }) => call(() => this.#read(reference.name)),
      update: (reference: { name: string }, body: KubeObject & { status: QuotaLedgerStatus }) =>
        call(() => this.#swap(reference.name, body)),
      list: (_reference: object, options: { continue?: string }) => call(() => this.#list(options.continue)),
    };
    return client as unknown as ResourceClient;
  }

  #read(name: string): LedgerQuota {
    const quota = this.quotas.get(name);
    if (quota === undefined) throw makeNotFoundError('', 'resourcequotas', name);
    if (this.flaws.losesSerial !== true || quota.status?.count === undefined) return quota;
    return { ...quota, status: { ...quota.status, count: { ...quota.status.count, serial: 0 } } };
  }

  #swap(name: string, { metadata, status }: KubeObject & { status: QuotaLedgerStatus }): LedgerQuota {
    const quota = this.quotas.get(name);
    if (quota === undefined) throw makeNotFoundError('', 'resourcequotas', name);
    const isOutrun = metadata.resourceVersion !== quota.metadata.resourceVersion;
    if (isOutrun && this.flaws.ignoresVersions !== true) {
      throw makeConflictError('', 'resourcequotas', name, 'the object has been modified');
    }
    const stored = this.#putQuota({ ...quota, status: structuredClone(status) });
    this.#check(`status of ${name}`);
    return stored;
  }

  #putQuota(quota: LedgerQuota): LedgerQuota {
    const { name = '' } = quota.metadata;
    const stored = { ...quota, metadata: { ...quota.metadata, resourceVersion: this.#next() } };
    this.quotas.set(name, stored);
    const history = this.#history.get(name) ?? [];
    history.push({ atMillis: this.time.now, quota: stored });
    this.#history.set(name, history);
    this.#tell({ quota: stored });
    return stored;
  }

  /** Pages of three, all at one revision. */
  #list(token: string | undefined): object {
    const rest = token === undefined ? [...this.things.values()] : this.#pages.get(token);
    if (rest === undefined) throw makeExpiredError('expired');
    const next = rest.length > 3 ? this.#next() : undefined;
    if (next !== undefined) this.#pages.set(next, rest.slice(3));
    return {
      metadata: { resourceVersion: String(this.#revision), ...(next === undefined ? {} : { continue: next }) },
      items: rest.slice(0, 3),
    };
  }

  #next(): string {
    return String((this.#revision += 1));
  }

  #tell(change: { deleted?: string; quota?: LedgerQuota }): void {
    for (const listener of this.listeners) listener(change);
  }

  #check(what: string): void {
    for (const quota of this.quotas.values()) {
      const { name } = quota.metadata;
      const used = readUsage(quota.status?.used);
      const hard = readUsage(quota.spec.hard);
      const isKnown = quota.status?.count?.generation === quota.metadata.generation;
      for (const [resource, amount] of Object.entries(this.measure(quota))) {
        const at = `${what} at ${this.time.now} ms: ${name} has ${resource}=${amount}`;
        const limit = hard.get(resource);
        if (limit !== undefined && amount > Number(quantityToInteger(limit))) this.faults.push(`${at} over its limit`);
        const counted = used.get(resource);
        if (isKnown && counted !== undefined && amount > Number(quantityToInteger(counted))) {
          this.faults.push(`${at}, but used ${quantityToInteger(counted)}`);
        }
      }
    }
  }
}

