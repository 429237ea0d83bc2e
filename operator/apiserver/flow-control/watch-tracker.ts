import { findExactValue, parseFieldQuery } from '../../../core/selectors/field-query.ts';
import type { RequestInfo } from '../request-info.ts';

/** Fields by which watches of a resource are told apart before an event is made for them. */
const INDEXED_FIELDS: Readonly<Record<string, string>> = { pods: 'spec.nodeName' };

const READ_ONLY: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'proxy']);

function makeKey(info: RequestInfo, namespace: string, name: string): string {
  return `${info.apiGroup}/${info.resource}/${namespace}/${name}`;
}

/** Whether a watch only gets events of objects with one value of the indexed field: a write seldom concerns it. */
function isNarrowed(info: RequestInfo): boolean {
  const field = INDEXED_FIELDS[info.resource];
  if (field === undefined || info.fieldSelector === '') return false;
  const query = parseFieldQuery(info.fieldSelector);
  const value = 'fault' in query ? undefined : findExactValue(query, field);
  return value !== undefined && value !== '';
}

const nothing = (): void => undefined;

/** Counts the watches that are open, so that a write can be charged for the events that it causes. */
export class WatchTracker {
  readonly #counts = new Map<string, number>();

  /** Counts a watch until the returned function is called, once. */
  register(info: RequestInfo): () => void {
    if (isNarrowed(info)) return nothing;
    const key = makeKey(info, info.namespace, info.name);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    };
  }

  /** How many watches may get an event of what a request changes; 0 for one that only reads. */
  countInterested(info: RequestInfo): number {
    if (this.#counts.size === 0 || READ_ONLY.has(info.verb)) return 0;
    let count = this.#counts.get(makeKey(info, '', '')) ?? 0;
    if (info.namespace !== '') count += this.#counts.get(makeKey(info, info.namespace, '')) ?? 0;
    if (info.name !== '') count += this.#counts.get(makeKey(info, info.namespace, info.name)) ?? 0;
    return count;
  }
}
