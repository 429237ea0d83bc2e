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

/** The nanoseconds of a duration as the format `duration` takes it: as Go writes durations, or in words; `undefined` when it is none. */
export function parseOpenApiDuration(text: string): bigint | undefined {
  return parseGoDuration(text) ?? parseWords(text);
}

function parseGoDuration(text: string): bigint | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  const rest = text.slice(sign.length);
  if (rest === '0') return 0n;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of rest.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const factor = goUnits[unit] ?? 1n;
    nanos += BigInt(whole === '' ? 0 : whole) * factor;
    if (fraction !== '') nanos += (BigInt(fraction) * factor) / 10n ** BigInt(fraction.length);
    if (nanos > maxInt64 + (sign === '-' ? 1n : 0n)) return undefined;
  }
  return sign === '-' ? -nanos : nanos;
}

function parseWords(text: string): bigint | undefined {
  let nanos = 0n;
  let isKnown = false;
  for (const [, digits = '', word = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const factor = BigInt(digits);
    if (factor > maxInt64) return undefined;
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
