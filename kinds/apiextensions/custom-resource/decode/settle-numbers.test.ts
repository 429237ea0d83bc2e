import { describe, expect, it } from 'vitest';

import { parseJson } from '../../../../core/decode/parse-json.ts';
import type { JsonObject } from '../../../../core/meta/json.ts';
import { settleNumbers } from './settle-numbers.ts';

const nines = '9'.repeat(350);

describe('settleNumbers', () => {
  it.for<{ name: string; text: string; settled?: unknown; fault?: string }>([
    { name: 'keeps what 64 bits hold', text: '{"a":[9223372036854775807]}', settled: { a: [9223372036854775807n] } },
    { name: 'makes a double of more', text: '{"a":[18446744073709551617]}', settled: { a: [18446744073709552000] } },
    {
      name: 'refuses a literal that no double holds',
      text: '{"a":{"b":1e400}}',
      fault: 'json: cannot unmarshal number 1e400 into Go value of type float64',
    },
    {
      name: 'refuses an integer that no double holds',
      text: `{"a":[${nines}]}`,
      fault: `json: cannot unmarshal number ${nines} into Go value of type float64`,
    },
  ])('$name', ({ text, settled, fault }) => {
    const parsed = parseJson(Buffer.from(text));
    if ('fault' in parsed) throw new Error(parsed.fault);
    const object = parsed.value as JsonObject;
    expect(settleNumbers(object, parsed.notes)).toBe(fault);
    if (settled !== undefined) expect(object).toEqual(settled);
  });
});
