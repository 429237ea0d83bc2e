interface FieldBounds {
  readonly low: number;
  readonly high: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const fields: readonly FieldBounds[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12, names: months },
  { low: 0, high: 6, names: days },
];
const descriptors = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);

function parseNumber(text: string, { names, low }: FieldBounds): number | string {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + low;
  if (/^-\d+$/.test(text)) return `negative number (${Number(text)}) not allowed: ${text}`;
  if (/^\+?\d+$/.test(text)) return Number(text);
  return `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`;
}

/** Why one part of a field, such as `1-5/2`, cannot be read; `undefined` when it can. */
function describePartFault(part: string, bounds: FieldBounds): string | undefined {
  const [range = '', step, ...moreSteps] = part.split('/');
  const [first = '', last, ...moreEnds] = range.split('-');
  let start = bounds.low;
  let end = bounds.high;
  if (first !== '*' && first !== '?') {
    const low = parseNumber(first, bounds);
    if (typeof low === 'string') return low;
    start = low;
    end = low;
    if (moreEnds.length > 0) return `too many hyphens: ${part}`;
    if (last !== undefined) {
      const high = parseNumber(last, bounds);
      if (typeof high === 'string') return high;
      end = high;
    }
  }
  if (moreSteps.length > 0) return `too many slashes: ${part}`;
  if (step !== undefined) {
    const width = parseNumber(step, { low: 0, high: 0 });
    if (typeof width === 'string') return width;
    if (last === undefined) end = bounds.high;
    if (width === 0) return `step of range should be a positive number: ${part}`;
  }
  if (start < bounds.low) return `beginning of range (${start}) below minimum (${bounds.low}): ${part}`;
  if (end > bounds.high) return `end of range (${end}) above maximum (${bounds.high}): ${part}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${part}`;
  return undefined;
}

/** Why a schedule in cron's five fields, or one of its `@` names, cannot be read; `undefined` when it can. */
export function describeScheduleFault(schedule: string): string | undefined {
  const text = schedule.replace(/^(CRON_)?TZ=\S+\s+/, '');
  if (text.startsWith('@')) {
    if (descriptors.has(text)) return undefined;
    if (/^@every (\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
    return `unrecognized descriptor: ${text}`;
  }
  const parts = text.trim().split(/\s+/);
  if (parts.length !== fields.length) {
    return `expected exactly ${fields.length} fields, found ${parts.length}: [${parts.join(' ')}]`;
  }
  for (const [index, bounds] of fields.entries()) {
    for (const part of (parts[index] ?? '').split(',').filter((piece) => piece !== '')) {
      const fault = describePartFault(part, bounds);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}
