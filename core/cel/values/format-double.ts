const largeExponent = 6;

/** A double in the shortest form that reads back as itself, with an exponent below 1e-04 and from 1e+06 on, as Go's `%g` writes it. */
export function formatDouble(value: number): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string];
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < largeExponent) return formatFixed(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** A double in the shortest form that reads back as itself, never with an exponent. */
export function formatFixed(value: number): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  const text = String(Math.abs(value));
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const [mantissa, exponentText] = text.split('e') as [string, string | undefined];
  if (exponentText === undefined) return sign + text;
  const exponent = Number(exponentText);
  const [whole, fraction = ''] = mantissa.split('.') as [string, string | undefined];
  const digits = whole + fraction;
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  return sign + digits.padEnd(exponent + 1, '0');
}

function formatSpecial(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return undefined;
  return value > 0 ? '+Inf' : '-Inf';
}
