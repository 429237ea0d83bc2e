import { parseRequestUri } from '../../../../core/cel/libraries/url/parse-url.ts';
import { compileRegex } from '../../../../core/cel/libraries/regex/compile-regex.ts';
import { parseCidr, parseIp } from '../../../../core/validation/ip.ts';
import { isEmail } from './is-email.ts';
import { parseOpenApiDuration } from '../../../../core/time/parse-open-api-duration.ts';

type FormatCheck = (text: string) => boolean;

/** The check of a format of text, under whichever name; `undefined` for a format that is not checked. */
export function findFormatCheck(format: string | undefined): FormatCheck | undefined {
  return format === undefined || format === '' ? undefined : bounded.get(format.replaceAll('-', ''));
}

/** What any text of a format with a bound has at most. */
const maxFormattedLength = 65_536;

function matching(pattern: RegExp): FormatCheck {
  return (text) => pattern.test(text);
}

const uuid = '[0-9a-f]{8}-?[0-9a-f]{4}-?';
const uuidEnd = '-?[0-9a-f]{12}';
const variant = '[89ab][0-9a-f]{3}';
const colorPart = String.raw`[\t\n\f\r ]*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])[\t\n\f\r ]*`;
const maxHostname = 255;
const maxHostnameLabel = 63;

const checks: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', matching(/^[0-9a-fA-F]{24}$/)],
  ['uri', isUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && parseIp(text) !== undefined],
  ['ipv6', (text) => text.includes(':') && isStrictIp(text)],
  ['cidr', (text) => parseCidr(text) !== undefined],
  ['mac', isMac],
  ['uuid', matching(new RegExp(`^${uuid}[0-9a-f]{4}-?[0-9a-f]{4}${uuidEnd}$`, 'i'))],
  ['uuid3', matching(new RegExp(`^${uuid}3[0-9a-f]{3}-?[0-9a-f]{4}${uuidEnd}$`, 'i'))],
  ['uuid4', matching(new RegExp(`^${uuid}4[0-9a-f]{3}-?${variant}${uuidEnd}$`, 'i'))],
  ['uuid5', matching(new RegExp(`^${uuid}5[0-9a-f]{3}-?${variant}${uuidEnd}$`, 'i'))],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', matching(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', matching(new RegExp(String.raw`^rgb\(${colorPart},${colorPart},${colorPart}\)$`))],
  ['byte', matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', (text) => parseOpenApiDuration(text) !== undefined],
  ['datetime', isDateTime],
]);

const unbounded: ReadonlySet<string> = new Set(['byte', 'password']);
const bounded: ReadonlyMap<string, FormatCheck> = new Map(
  [...checks].map(([name, check]): [string, FormatCheck] => [
    name,
    unbounded.has(name) ? check : (text) => text.length <= maxFormattedLength && check(text),
  ]),
);

function isUri(text: string): boolean {
  return !('fault' in parseRequestUri(text));
}

/** Without the leading zeros that IPv4 addresses tolerate. */
function isStrictIp(text: string): boolean {
  return parseIp(text) !== undefined && !/(^|[:.])0\d+(\.|$)/.test(text.slice(text.lastIndexOf(':')));
}

function isHostname(text: string): boolean {
  const pattern = compileRegex(
    String.raw`^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$`,
  );
  if ('fault' in pattern || Buffer.byteLength(text) > maxHostname || !pattern.test(text)) return false;
  return text.split('.').every((label) => Buffer.byteLength(label) <= maxHostnameLabel);
}

/** Pairs of hexadecimal digits between colons or hyphens, or fours between dots: 6, 8 or 20 bytes. */
function isMac(text: string): boolean {
  const bytes = text.includes('.') ? text.split('.').length * 2 : text.split(text[2] ?? ':').length;
  if (bytes !== 6 && bytes !== 8 && bytes !== 20) return false;
  return /^(?:[0-9a-f]{2}(?::[0-9a-f]{2})+|[0-9a-f]{2}(?:-[0-9a-f]{2})+|[0-9a-f]{4}(?:\.[0-9a-f]{4})+)$/i.test(text);
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\t\n\f\r -]+/g, '');
  if (!/^(?:\d{9}X|\d{10})$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, i) => total + (i + 1) * (digit === 'X' ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\t\n\f\r -]+/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = [...digits].slice(0, 12).reduce((total, digit, i) => total + (i % 2 === 0 ? 1 : 3) * Number(digit), 0);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

const creditCard = new RegExp(
  String.raw`^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$`,
);

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, '');
  if (!creditCard.test(digits)) return false;
  const sum = [...digits].toReversed().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 1 : 2);
    return total + (value >= 10 ? (value % 10) + 1 : value);
  }, 0);
  return sum % 10 === 0;
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= days;
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const parts = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|([+-]\d{2}:\d{2}))$/.exec(time);
  return parts !== null && (parts[1] ?? '') <= '23' && (parts[2] ?? '') <= '59' && (parts[3] ?? '') <= '59';
}
