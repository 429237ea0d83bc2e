import { quoteGo } from '../../../errors/quote-go.ts';
import { CelError, type CelList, type CelResult } from '../../values/cel-value.ts';
import {
  type FormatClause,
  formatBinary,
  formatHex,
  formatInteger,
  formatOctal,
  formatText,
  makeFixed,
  makeScientific,
} from './format-clauses.ts';
import { FormatError } from './format-error.ts';
import { ResultTooLarge } from './result-too-large.ts';

const encoder = new TextEncoder();

function makeClause(letter: string, precision: number | undefined): FormatClause {
  switch (letter) {
    case 's':
      return formatText;
    case 'd':
      return formatInteger;
    case 'f':
      return makeFixed(precision);
    case 'e':
      return makeScientific(precision);
    case 'b':
      return formatBinary;
    case 'o':
      return formatOctal;
    case 'x':
      return formatHex;
    case 'X':
      return (value) => formatHex(value).toUpperCase();
    default: {
      // Go looks at one byte.
      const byte = String.fromCharCode(encoder.encode(letter)[0] ?? 0);
      throw new FormatError(`could not parse formatting clause: unrecognized formatting clause "${byte}"`);
    }
  }
}

function refusePrecision(message: string): never {
  throw new FormatError(`could not parse formatting clause: error while parsing precision: ${message}`);
}

function parsePrecision(digits: string): number {
  const fault = digits === '' ? 'invalid syntax' : BigInt(digits) >= 2n ** 63n ? 'value out of range' : undefined;
  if (fault === undefined) return Number(digits);
  return refusePrecision(
    `error while converting precision to integer: strconv.Atoi: parsing ${quoteGo(digits)}: ${fault}`,
  );
}

/** A clause at `at`, which is that of the `%`, and where it ends. */
function readClause(format: string, at: number): { clause: FormatClause; end: number } {
  let end = at + 1;
  let precision: number | undefined;
  if (format.charAt(end) === '.') {
    const digits = /^[0-9]*/.exec(format.slice(end + 1, end + 64))?.[0] ?? '';
    end += 1 + digits.length;
    if (end >= format.length) refusePrecision('could not find end of precision specifier');
    precision = parsePrecision(digits);
  }
  const letter = String.fromCodePoint(format.codePointAt(end) ?? 0);
  return { clause: makeClause(letter, precision), end: end + letter.length };
}

function writeAll(format: string, list: CelList): string {
  let text = '';
  let index = 0;
  for (let at = 0; at < format.length;) {
    const percent = format.indexOf('%', at);
    if (percent < 0) return text + format.slice(at);
    text += format.slice(at, percent);
    if (format.charAt(percent + 1) === '%') {
      text += '%';
      at = percent + 2;
      continue;
    }
    if (index >= list.size) throw new FormatError(`index ${index} out of range`);
    if (percent + 1 >= format.length) throw new FormatError('unexpected end of string');
    const { clause, end } = readClause(format, percent);
    text += writeOne(clause, list, index);
    if (text.length > ResultTooLarge.limit) throw new ResultTooLarge();
    index++;
    at = end;
  }
  return text;
}

function writeOne(clause: FormatClause, list: CelList, index: number): string {
  try {
    return clause(list.at(index));
  } catch (error) {
    if (error instanceof FormatError) throw new FormatError(`error during formatting: ${error.message}`);
    throw error;
  }
}

/** `format.format(list)` as cel-go's strings library wrote it up to its third version. */
export function formatWith(format: string, list: CelList): CelResult {
  try {
    return writeAll(format, list);
  } catch (error) {
    if (error instanceof FormatError) return new CelError(error.message);
    throw error;
  }
}
