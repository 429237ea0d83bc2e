interface LayoutPart {
  /** The part as Go's layouts write it. */
  readonly layout: string;
  readonly pattern: RegExp;
  readonly range?: { readonly name: string; readonly low: number; readonly high: number };
}

function makeLiteral(text: string): LayoutPart {
  return { layout: text, pattern: new RegExp(`^\\${text}`) };
}

const zonePart: LayoutPart = { layout: 'Z07:00', pattern: /^(?:Z|[+-]\d\d:\d\d)/ };

const dateParts: readonly LayoutPart[] = [
  { layout: '2006', pattern: /^\d{4}/ },
  makeLiteral('-'),
  { layout: '01', pattern: /^\d{2}/, range: { name: 'month', low: 1, high: 12 } },
  makeLiteral('-'),
  { layout: '02', pattern: /^\d{2}/ },
  { layout: 'T', pattern: /^T/ },
  { layout: '15', pattern: /^\d{1,2}/, range: { name: 'hour', low: 0, high: 23 } },
  makeLiteral(':'),
  { layout: '04', pattern: /^\d{2}/, range: { name: 'minute', low: 0, high: 59 } },
  makeLiteral(':'),
];

const timeParts: readonly LayoutPart[] = [
  ...dateParts,
  { layout: '05', pattern: /^\d{2}(?:[.,]\d+)?/, range: { name: 'second', low: 0, high: 59 } },
  zonePart,
];

const microTimeParts: readonly LayoutPart[] = [
  ...dateParts,
  { layout: '05', pattern: /^\d{2}/, range: { name: 'second', low: 0, high: 59 } },
  { layout: '.000000', pattern: /^[.,]\d{6}/ },
  zonePart,
];

/** Why `text` is no time, worded as Go's time.Parse does for the layouts of Kubernetes' Time and MicroTime. */
export function describeTimeFault(text: string, format: 'date-time' | 'micro-time'): string {
  const parts = format === 'date-time' ? timeParts : microTimeParts;
  const layout = parts.map((part) => part.layout).join('');
  let rest = text;
  for (const part of parts) {
    const match = part.pattern.exec(rest);
    if (match === null) {
      return `parsing time ${quoteBytes(text)} as ${quoteBytes(layout)}: cannot parse ${quoteBytes(rest)} as ${quoteBytes(part.layout)}`;
    }
    rest = rest.slice(match[0].length);
    const number = Number.parseInt(match[0], 10);
    if (part.range !== undefined && (number < part.range.low || number > part.range.high)) {
      return `parsing time ${quoteBytes(text)}: ${part.range.name} out of range`;
    }
  }
  if (rest !== '') return `parsing time ${quoteBytes(text)}: extra text: ${quoteBytes(rest)}`;
  const zone = /[+-](\d\d):(\d\d)$/.exec(text);
  if (Number(zone?.[1] ?? 0) > 24) return `parsing time ${quoteBytes(text)}: time zone offset hour out of range`;
  if (Number(zone?.[2] ?? 0) > 59) return `parsing time ${quoteBytes(text)}: time zone offset minute out of range`;
  return `parsing time ${quoteBytes(text)}: day out of range`;
}

/** Go's time package quotes byte by byte, unlike the rest of Go. */
function quoteBytes(text: string): string {
  let quoted = '';
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte);
    if (character === '"' || character === '\\') quoted += `\\${character}`;
    else if (byte < 0x20 || byte >= 0x80) quoted += `\\x${byte.toString(16).padStart(2, '0')}`;
    else quoted += character;
  }
  return `"${quoted}"`;
}
