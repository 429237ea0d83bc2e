import type { Usage } from '../../kinds/core/resource-quota/usage.ts';
import type { QuotaRequest, UsageEvaluator } from '../../kinds/core/resource-quota/usage-evaluator.ts';

/** A write that has passed the quotas of its namespace and has not ended yet. */
export interface OpenWrite {
  readonly namespace: string;
  readonly evaluator: UsageEvaluator;
  readonly request: QuotaRequest;
  /** What `status.used` of each quota holds on account of this write, by the quota's uid: what an undo takes back. */
  readonly charges: Map<string, Usage>;
}

/** The writes that were open at some time since the view was made, except those that failed. */
export interface LedgerView {
  readonly writes: ReadonlySet<OpenWrite>;
  /** Ends the view; it is not kept up to date afterwards. */
  close(): void;
}

/**
 * The writes under way in this process. A recount counts what is stored, and what this ledger says may be stored any moment: an object
 * between its charge and its storing is in no list, and a recount without it would let another one in.
 */
export class QuotaLedger {
  readonly #open = new Map<string, Set<OpenWrite>>();
  readonly #views = new Map<string, Set<Set<OpenWrite>>>();
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` while nothing else changes the used amounts of the namespace's quotas in this process. Not reentrant. */
  async runExclusively<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(namespace) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.catch(() => {});
    this.#tails.set(namespace, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(namespace) === tail) this.#tails.delete(namespace);
    }
  }

  /** Adds a write, also to the views that exist. */
  open(write: OpenWrite): void {
    addTo(this.#open, write.namespace, write);
    for (const view of this.#views.get(write.namespace) ?? []) view.add(write);
  }

  /** Removes a write that is stored; views keep it, since their lists may be older than that. */
  settle(write: OpenWrite): void {
    removeFrom(this.#open, write.namespace, write);
  }

  /** Removes a write that failed, after its charges are taken back. */
  drop(write: OpenWrite): void {
    removeFrom(this.#open, write.namespace, write);
    for (const view of this.#views.get(write.namespace) ?? []) view.delete(write);
  }

  /** Makes a view of a namespace. To miss nothing, make it before the objects are listed. */
  observe(namespace: string): LedgerView {
    const writes = new Set(this.#open.get(namespace));
    addTo(this.#views, namespace, writes);
    return { writes, close: () => removeFrom(this.#views, namespace, writes) };
  }

  /** Number of writes under way. */
  countOpen(): number {
    let count = 0;
    for (const writes of this.#open.values()) count += writes.size;
    return count;
  }
}

function addTo<T>(index: Map<string, Set<T>>, key: string, member: T): void {
  const members = index.get(key);
  if (members === undefined) index.set(key, new Set([member]));
  else members.add(member);
}

function removeFrom<T>(index: Map<string, Set<T>>, key: string, member: T): void {
  const members = index.get(key);
  members?.delete(member);
  if (members?.size === 0) index.delete(key);
}
