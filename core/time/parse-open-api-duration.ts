/** Nanoseconds of a unit of time, by its names; the last of them may go on (`hours`, `seconds`). */
const units: readonly { readonly names: readonly string[]; readonly nanos: bigint }[] = [
  { names: ['ns', 'nano'], nanos: 1n },
  { names: ['us', 'µs', 'micro'], nanos: 1_000n },
  { names: ['ms', 'milli'], nanos: 1_000_000n },
  { names: ['s', 'sec'], nanos: 1_000_000_000n },
  { names: ['m', 'min'], nanos: 60_000_000_000n },
  { names: ['h', 'hr', 'hour'], nanos: 3_600_000_000_000n },
  { names: ['d', 'day'], nanos: 86_400_000_000_000n },
  { names: ['w', 'wk', 'week'], nanos: 604_800_000_000_000n },
];

const goUnits: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const maxInt64 = 2n ** 63n - 1n;
/** More digits than 64 bits have. */
const tooManyDigits = 20;
/** Digits of a fraction that count. */
const fractionDigits = 18;

/** The nanoseconds of a duration as the format `duration` takes it: as Go writes durations, or in words; `undefined` when it is none. */
export function parseOpenApiDuration(text: string): bigint | undefined {
  return parseGoDuration(text) ?? parseWords(text);
}

/** A number of digits; `undefined` when it is beyond 64 bits. */
function parseDigits(digits: string): bigint | undefined {
  const significant = digits.replace(/^0+/, '');
  if (significant.length >= tooManyDigits) return undefined;
  const value = BigInt(significant);
  return value > maxInt64 ? undefined : value;
}

function parseGoDuration(text: string): bigint | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  const rest = text.slice(sign.length);
  if (rest === '0') return 0n;
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of rest.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const factor = goUnits[unit] ?? 1n;
    const count = parseDigits(whole);
    if (count === undefined) return undefined;
    nanos += count * factor;
    const part = fraction.slice(0, fractionDigits);
    if (part !== '') nanos += (BigInt(part) * factor) / 10n ** BigInt(part.length);
    if (nanos > maxInt64 + (sign === '-' ? 1n : 0n)) return undefined;
  }
  return sign === '-' ? -nanos : nanos;
}

function parseWords(text: string): bigint | undefined {
  let nanos = 0n;
  let isKnown = false;
  for (const [, digits = '', word = ''] of text.matchAll(/(?<!\d)(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    const factor = parseDigits(digits);
    if (factor === undefined) return undefined;
    const unit = word.toLowerCase();
    for (const { names, nanos: each } of units) {
      for (const [i, name] of names.entries()) {
        if (unit !== name && !(i === names.length - 1 && unit.startsWith(name))) continue;
        isKnown = true;
        nanos += BigInt.asIntN(64, factor * each);
      }
    }
  }
  return isKnown ? BigInt.asIntN(64, nanos) : undefined;
}
