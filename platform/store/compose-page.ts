import type { KeyIndex } from './key-index.ts';
import { endOfPrefix, toSortKey } from './key-order.ts';
import type { StoreListOptions } from './object-store.ts';
import type { KeptObject } from './value-slabs.ts';

/** An object at an older revision; without a value where that is only in the file. */
export interface FormerObject {
  readonly key: string;
  readonly revision: number;
  readonly value?: Buffer;
}

/** What the keys that have changed since an older revision held then; `undefined` for a key that did not exist. */
export type FormerState = Map<string, FormerObject | undefined>;

/** One page of the state that `former` makes of the current one, in key order. Every key of `former` starts with `prefix`. */
export function composePage(
  current: KeyIndex<KeptObject>,
  prefix: string,
  { startAfter, limit = Infinity, isReadOnce = false }: StoreListOptions,
  former: FormerState,
): { readonly items: readonly FormerObject[]; readonly remaining: number } {
  const read = (object: KeptObject): FormerObject => (isReadOnce ? object.readOnce() : object.read());
  const start = toSortKey(prefix);
  const end = endOfPrefix(start);
  const after = startAfter === undefined ? start : `${toSortKey(startAfter)}\0`;
  const from = after > start ? after : start;

  let replaced = 0;
  let total = current.count(from, end);
  const returned: { readonly sortKey: string; readonly object: FormerObject }[] = [];
  for (const [key, object] of former) {
    const sortKey = toSortKey(key);
    if (sortKey < from) continue;
    if (current.get(sortKey) !== undefined) {
      replaced++;
      total--;
    }
    if (object === undefined) continue;
    returned.push({ sortKey, object });
    total++;
  }
  returned.sort((a, b) => (a.sortKey < b.sortKey ? -1 : 1));

  const kept = current.slice(from, end, limit + replaced);
  const items: FormerObject[] = [];
  let next = 0;
  for (const object of former.size === 0 ? [] : kept) {
    if (items.length >= limit) break;
    if (former.has(object.key)) continue;
    const sortKey = toSortKey(object.key);
    while (next < returned.length && returned[next]!.sortKey < sortKey) items.push(returned[next++]!.object);
    items.push(read(object));
  }
  while (next < returned.length && items.length < limit) items.push(returned[next++]!.object);
  const page = former.size === 0 ? kept.map(read) : items.slice(0, limit);
  return { items: page, remaining: total - page.length };
}
