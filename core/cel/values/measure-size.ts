import { CelError, CelList, CelMap, CelOpaque, type CelResult } from './cel-value.ts';

const surrogate = /[\ud800-\udbff][\udc00-\udfff]/;
const longLength = 4096;
/** The long text that was counted last, as expressions ask for the size of the same one again and again. */
const last = { text: '', count: 0 };

/** How many code points a text has. */
export function countCodePoints(text: string): number {
  // Of a text of Latin letters the engine knows at once that it has no surrogates.
  if (text.length < longLength) return surrogate.test(text) ? countPairs(text) : text.length;
  if (last.text !== text) {
    last.text = text;
    last.count = surrogate.test(text) ? countPairs(text) : text.length;
  }
  return last.count;
}

function countPairs(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xd800) continue;
    if ((text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      count--;
      index++;
    }
  }
  return count;
}

/** What cost is measured by: code points, bytes, items or entries; 1 of a value that has no size, and of an error. */
export function measureSize(value: CelResult): number {
  if (typeof value === 'string') return countCodePoints(value);
  if (typeof value !== 'object' || value === null || value instanceof CelError) return 1;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof CelOpaque ? (value.size ?? 1) : 1;
}
