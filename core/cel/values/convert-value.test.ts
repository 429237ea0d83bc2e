import { describe, expect, it } from 'vitest';

import { CelDouble, CelDuration, CelError, CelTimestamp, CelTypeValue, CelUint, type CelResult } from './cel-value.ts';
import { toBool, toBytes, toDouble, toDuration, toInt, toText, toTimestamp, toUint } from './convert-value.ts';
import { intType } from '../types/cel-type.ts';

/** What conversions of texts answer that Go's `strconv` and `time` refuse; every other row was taken from them. */
const refused = 'refused';

function describeResult(value: CelResult): unknown {
  if (value instanceof CelError) return value.message.startsWith('type conversion error') ? refused : value.message;
  if (value instanceof CelUint) return value.value;
  if (value instanceof CelDouble) return value.value;
  if (value instanceof CelDuration) return value.nanos;
  return value;
}

describe('double', () => {
  it.for([
    ['1_000', 1000],
    ['0x1p4', 16],
    ['0x1_0p0', 16],
    ['-0x1.8p1', -3],
    ['infinity', Infinity],
    ['-Inf', -Infinity],
    ['nan', NaN],
    ['+nan', refused],
    ['1e400', refused],
    ['1e-400', 0],
    ['.5', 0.5],
    ['5.', 5],
    ['1e', refused],
    ['0b1', refused],
    ['0x10', refused],
    [' 1', refused],
    ['', refused],
    ['-0', -0],
  ] as const)('%s', ([text, expected]) => {
    expect(describeResult(toDouble(text))).toBe(expected);
  });
});

describe('int and uint', () => {
  it.for([
    ['+5', 5, refused],
    ['-5', -5, refused],
    ['007', 7, 7n],
    ['0x5', refused, refused],
    ['1_0', refused, refused],
    ['', refused, refused],
    ['+', refused, refused],
    ['9223372036854775807', 9223372036854775807n, 9223372036854775807n],
    ['9223372036854775808', refused, 9223372036854775808n],
    ['-9223372036854775808', -9223372036854775808n, refused],
    ['18446744073709551616', refused, refused],
    ['9'.repeat(100_000), refused, refused],
  ] as const)('%s', ([text, int, uint]) => {
    expect([describeResult(toInt(text)), describeResult(toUint(text))]).toEqual([int, uint]);
  });

  it.for([
    [new CelDouble(1.9), 1, 1n],
    [new CelDouble(-1.9), -1, 'unsigned integer overflow'],
    [new CelDouble(2 ** 63), 'integer overflow', 2n ** 63n],
    [new CelDouble(-(2 ** 63)), 'integer overflow', 'unsigned integer overflow'],
    [new CelDouble(NaN), 'integer overflow', 'unsigned integer overflow'],
    [new CelUint(2n ** 63n), 'integer overflow', 2n ** 63n],
    [new CelDuration(5n), 5, refused],
    [new CelTimestamp(7, 9), 7, refused],
    [true, refused, refused],
  ] as const)('%o', ([value, int, uint]) => {
    expect([describeResult(toInt(value)), describeResult(toUint(value))]).toEqual([int, uint]);
  });
});

describe('timestamp', () => {
  it.for([
    ['2023-01-01T1:00:00Z', '2023-01-01T01:00:00Z'],
    ['2023-01-01T01:00:00,5Z', '2023-01-01T01:00:00.5Z'],
    ['2023-01-01T01:00:00.123456789123Z', '2023-01-01T01:00:00.123456789Z'],
    ['2023-01-01T00:00:00+24:59', '2023-01-01T00:00:00+24:59'],
    ['2023-01-01T00:00:00-00:00', '2023-01-01T00:00:00Z'],
    ['2023-01-01T00:00:00+23:60', '2023-01-01T00:00:00+24:00'],
    ['2023-01-01T00:00:00.5+05:30', '2023-01-01T00:00:00.5+05:30'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999999Z'],
    ['0000-01-01T00:00:00Z', 'timestamp overflow'],
    ['2023-01-01T01:00:00.Z', refused],
    ['2023-02-29T00:00:00Z', refused],
    ['2023-01-01T24:00:00Z', refused],
    ['2023-01-01T00:00:60Z', refused],
    ['2023-01-01t00:00:00z', refused],
    ['2023-01-01T00:00:00+25:00', refused],
    ['10000-01-01T00:00:00Z', refused],
    ['2023-1-01T00:00:00Z', refused],
    ['2023-01-01T00:00:00', refused],
  ] as const)('%s', ([text, expected]) => {
    const value = toTimestamp(text);
    expect(describeResult(value instanceof CelTimestamp ? toText(value) : value)).toBe(expected);
  });
});

describe('duration', () => {
  it.for([
    ['1h', '3600s'],
    ['-1.5h', '-5400s'],
    ['+5s', '5s'],
    ['0', '0s'],
    ['-0', '0s'],
    ['1h1m1s1ms1us1ns', '3661.001001001s'],
    ['.5s', '0.5s'],
    ['1.s', '1s'],
    ['1µs', '0.000001s'],
    ['1μs', '0.000001s'],
    ['0.1ns', '0s'],
    ['0.9999999999s', '0.999999999s'],
    ['9223372036854775807ns', '9223372036.854776s'],
    ['-9223372036854775808ns', '-9223372036.854776s'],
    ['9223372036854775808ns', refused],
    ['3000000h', refused],
    ['1', refused],
    ['', refused],
    ['  1s', refused],
    ['.s', refused],
    ['1d', refused],
    ['1e3s', refused],
    ['1h-1m', refused],
    ['9'.repeat(100_000), refused],
  ] as const)('%s', ([text, expected]) => {
    const value = toDuration(text);
    expect(describeResult(value instanceof CelDuration ? toText(value) : value)).toBe(expected);
  });
});

describe('string', () => {
  it.for([
    [1e20, '1e+20'],
    [123456, '123456'],
    [1234567, '1.234567e+06'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1.5e-7, '1.5e-07'],
    [-1e-5, '-1e-05'],
    [123456789.125, '1.23456789125e+08'],
    [1e100, '1e+100'],
    [-0, '-0'],
    [NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
  ] as const)('of the double %d', ([value, expected]) => {
    expect(toText(new CelDouble(value))).toBe(expected);
  });

  it.for([
    [null, 'null'],
    [true, 'true'],
    [-5, '-5'],
    [2n ** 62n, '4611686018427387904'],
    [new CelUint(7n), '7'],
    [new CelTypeValue(intType), 'int'],
    [new Uint8Array([0xc3, 0xa4]), 'ä'],
    [new Uint8Array([0xc3]), 'invalid UTF-8 in bytes, cannot convert to string'],
    [new Uint8Array([0xef, 0xbb, 0xbf]), '\ufeff'],
  ] as const)('of %o', ([value, expected]) => {
    expect(describeResult(toText(value))).toBe(expected);
  });
});

describe('bool and bytes', () => {
  it.for(['1', 't', 'T', 'TRUE', 'true', 'True'])('%s is true', (text) => {
    expect(toBool(text)).toBe(true);
  });

  it.for(['0', 'f', 'F', 'FALSE', 'false', 'False'])('%s is false', (text) => {
    expect(toBool(text)).toBe(false);
  });

  it.for(['', 'yes', 'tRUE', 'constructor'])('%s is neither', (text) => {
    expect(describeResult(toBool(text))).toBe(refused);
  });

  it('bytes are UTF-8', () => {
    expect(toBytes('ä')).toEqual(new Uint8Array([0xc3, 0xa4]));
  });
});
