import { findLargeNumber, formatLargeNumberFault } from '../../../../core/decode/find-large-number.ts';
import type { DocumentNotes } from '../../../../core/decode/parsed-document.ts';
import { setOwn, type JsonObject, type JsonValue } from '../../../../core/meta/json.ts';

function isOutside64Bits(value: bigint): boolean {
  return BigInt.asIntN(64, value) !== value;
}

/**
 * Makes doubles, in place, of integers that 64 bits do not hold, as Go reads what has no declared type. Answers why the numbers of the
 * document cannot be read; `undefined` when they can. `notes` are those of the document that the object came in; absent: there is none.
 */
export function settleNumbers(object: JsonObject, notes: DocumentNotes | undefined): string | undefined {
  const large = notes === undefined ? undefined : findLargeNumber(notes);
  if (large !== undefined) return formatLargeNumberFault(large);
  const pending: JsonValue[] = [object];
  for (let container = pending.pop(); container !== undefined; container = pending.pop()) {
    if (typeof container !== 'object' || container === null) continue;
    for (const [key, value] of Object.entries(container)) {
      if (typeof value === 'object' && value !== null) pending.push(value);
      if (typeof value !== 'bigint' || !isOutside64Bits(value)) continue;
      const double = Number(value);
      if (!Number.isFinite(double)) return formatLargeNumberFault(String(value));
      setOwn(container, key, double);
    }
  }
  return undefined;
}
