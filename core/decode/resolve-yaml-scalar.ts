const words: ReadonlyMap<string, boolean | null> = new Map([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
]);

const infinity = /^[-+]?\.(?:inf|Inf|INF)$/;
const notANumber = /^\.(?:nan|NaN|NAN)$/;
const timestamp = /^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt ]|$)|\D)/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const integerForms: readonly (readonly [RegExp, string])[] = [
  [/^([-+]?)0[xX]([0-9a-fA-F]+)$/, '0x'],
  [/^([-+]?)0[bB]([01]+)$/, '0b'],
  [/^([-+]?)0[oO]?([0-7]+)$/, '0o'],
  [/^([-+]?)(0|[1-9][0-9]*)$/, ''],
];

/**
 * What a plain scalar means to Kubernetes' YAML decoder, that is YAML 1.1 without base 60 and without timestamps:
 * `yes` is true, `012` is ten. Integers beyond ±2^53 are bigints, beyond 64 bits numbers. Throws RangeError for infinities and NaN,
 * with the words of Go's JSON encoder, since JSON has none.
 */
export function resolveYamlScalar(text: string): string | number | bigint | boolean | null {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (infinity.test(text)) throw new RangeError(`json: unsupported value: ${text.startsWith('-') ? '-' : '+'}Inf`);
  if (notANumber.test(text)) throw new RangeError('json: unsupported value: NaN');
  if (!/^[-+.0-9]/.test(text) || timestamp.test(text)) return text;
  const plain = text.startsWith('.') ? text : text.replaceAll('_', '');
  return resolveInteger(plain) ?? resolveFloat(plain) ?? text;
}

function resolveInteger(text: string): number | bigint | undefined {
  if (text.length > 100) return undefined;
  for (const [form, prefix] of integerForms) {
    const match = form.exec(text);
    if (match === null) continue;
    const magnitude = BigInt(`${prefix}${match[2] ?? ''}`);
    const value = match[1] === '-' ? -magnitude : magnitude;
    if (value < -(2n ** 63n) || value >= 2n ** 64n) return undefined;
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  return undefined;
}

function resolveFloat(text: string): number | undefined {
  if (!float.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
