import { CelError, CelList, CelMap, type CelResult } from '../values/cel-value.ts';
import type { Frame } from './frame.ts';
import { nameGoType } from './qualify-value.ts';

/** Where a comprehension puts what it looks at: an item or key, or with a second place an index or key and the value there. */
export interface ItemPlaces {
  readonly place: number;
  readonly place2: number | undefined;
}

/** What a comprehension has found so far; `undefined`: it was not yet asked for. */
export interface LoopState {
  value: CelResult | undefined;
}

/** One turn of a comprehension; false ends it. */
export type Turn = (frame: Frame, state: LoopState) => boolean;

/** Turns once for each item of a list, or key of a map. An error for what has no items; `undefined`: all went well. */
export function iterateRange(
  { place, place2 }: ItemPlaces,
  range: CelResult,
  frame: Frame,
  state: LoopState,
  turn: Turn,
): CelError | undefined {
  const { locals } = frame;
  if (range instanceof CelList) {
    const size = range.size;
    for (let index = 0; index < size; index++) {
      if (place2 === undefined) {
        locals[place] = range.at(index);
      } else {
        locals[place] = index;
        locals[place2] = range.at(index);
      }
      if (!turn(frame, state)) break;
    }
    return undefined;
  }
  if (range instanceof CelMap) {
    for (const key of range.keys()) {
      locals[place] = key;
      if (place2 !== undefined) locals[place2] = range.get(key);
      if (!turn(frame, state)) break;
    }
    return undefined;
  }
  if (range instanceof CelError) return range;
  return new CelError(
    place2 === undefined
      ? `got '${nameGoType(range)}', expected iterable type`
      : `unsupported comprehension range type: ${nameGoType(range)}`,
  );
}
