import type { SchemaFormat } from '../../schema/structural-schema.ts';
import { parseOpenApiDuration } from '../../time/parse-open-api-duration.ts';
import { CelDuration, CelError, CelTimestamp, type CelValue } from './cel-value.ts';
import { parseTimestamp } from './time-text.ts';

/**
 * A text as the value that its format declares, in rules of definitions. A text that is none is an error, which the evaluation then
 * yields; it stands in the place of a value until it is used.
 */
export function readDeclaredText(text: string, format: SchemaFormat): CelValue {
  const value = parse(text, format);
  return value instanceof CelError ? (value as unknown as CelValue) : value;
}

function parse(text: string, format: SchemaFormat): CelValue | CelError {
  switch (format) {
    case 'date-time':
      return parseDateTime(text) ?? new CelError(`Invalid date-time formatted string ${text}: ${describe(text)}`);
    case 'date':
      return parseDate(text) ?? new CelError(`Invalid date formatted string ${text}: ${describe(text)}`);
    case 'duration': {
      const nanos = parseOpenApiDuration(text);
      if (nanos !== undefined) return new CelDuration(nanos);
      return new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
    }
    case 'byte':
      return parseBytes(text);
    default:
      return text;
  }
}

function describe(text: string): string {
  return `parsing time "${text}": cannot parse`;
}

function parseDateTime(text: string): CelValue | undefined {
  if (text === '') return new CelTimestamp(0, 0);
  const parsed = parseTimestamp(text) ?? parseTimestamp(`${text}Z`);
  return parsed instanceof CelError ? undefined : parsed;
}

function parseDate(text: string): CelValue | undefined {
  const parsed = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined;
  return parsed instanceof CelError ? undefined : parsed;
}

/** Base64 in the alphabet of URLs, as OpenAPI's format has it. */
function parseBytes(text: string): CelValue | CelError {
  const bare = text.replaceAll(/[\r\n]/g, '');
  const wrong = /[^A-Za-z0-9_=-]/.exec(bare)?.index ?? (bare.length % 4 === 0 ? undefined : bare.length);
  if (wrong !== undefined)
    return new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${wrong}`);
  return new Uint8Array(Buffer.from(bare, 'base64url'));
}
