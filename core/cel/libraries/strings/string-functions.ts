import { NAMED_ESCAPES } from '../../../errors/quote-go.ts';
import { ArrayList } from '../../values/array-list.ts';
import { CelError, type CelList, type CelResult } from '../../values/cel-value.ts';
import { describeValue } from '../../values/describe-value.ts';
import { countCodePoints } from '../../values/measure-size.ts';
import { ResultTooLarge } from './result-too-large.ts';
import { isBasic, locateCodePoint } from './code-points.ts';
import { findLastText, TextSearch } from './find-text.ts';

type Int = number | bigint;

function outOfRange(index: Int): CelError {
  return new CelError(`index out of range: ${index}`);
}

/** `text.charAt(index)`; empty one past the end. */
export function charAt(text: string, index: Int): CelResult {
  const unit = index < 0 ? undefined : locateCodePoint(text, Number(index));
  if (unit === undefined) return outOfRange(index);
  return unit === text.length ? '' : String.fromCodePoint(text.codePointAt(unit) ?? 0);
}

/** `text.indexOf(part, offset)` in code points; -1: nowhere. */
export function indexOf(text: string, part: string, offset: Int = 0): CelResult {
  if (part === '') return offset;
  if (offset < 0) return outOfRange(offset);
  const from = locateCodePoint(text, Number(offset));
  if (from === undefined || from >= text.length) return -1;
  const at = new TextSearch(text, part).find(from);
  return at < 0 ? -1 : toCodePoints(text, at);
}

function toCodePoints(text: string, unit: number): number {
  return isBasic(text) ? unit : countCodePoints(text.slice(0, unit));
}

/** `text.lastIndexOf(part)` in code points; -1: nowhere. */
export function lastIndexOf(text: string, part: string): CelResult {
  if (part === '') return countCodePoints(text);
  const at = findLastText(text, part, text.length);
  return at < 0 ? -1 : toCodePoints(text, at);
}

/** `text.lastIndexOf(part, offset)` in code points; -1: nowhere. */
export function lastIndexOfUpTo(text: string, part: string, offset: Int): CelResult {
  if (part === '') return offset;
  if (offset < 0) return outOfRange(offset);
  const from = locateCodePoint(text, Number(offset));
  if (from === undefined || from >= text.length) return -1;
  const at = findLastText(text, part, from);
  return at < 0 ? -1 : toCodePoints(text, at);
}

/** `text.lowerAscii()`: other letters stay. */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** `text.upperAscii()`: other letters stay. */
export function upperAscii(text: string): string {
  return text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** Puts `added` before the first `limit` code points, and at the end if the limit is greater than their number. */
function intersperse(text: string, added: string, limit: number): string {
  const characters = Array.from(text);
  let result = '';
  for (let i = 0; i < characters.length; i++) result += (i < limit ? added : '') + (characters[i] ?? '');
  return characters.length < limit ? result + added : result;
}

/** `text.replace(old, added, limit)`; a negative limit is none. */
export function replace(text: string, old: string, added: string, limit: Int = -1): string {
  const most = limit < 0 ? Infinity : Number(limit);
  if (old === added || most === 0) return text;
  const growth = added.length - old.length;
  const places = old === '' ? text.length + 1 : text.length / old.length;
  if (growth > 0 && text.length + growth * Math.min(most, places) > ResultTooLarge.limit) {
    checkReplacedLength(text, old, added, most);
  }
  if (old === '') return intersperse(text, added, most);
  const search = new TextSearch(text, old);
  let result = '';
  let done = 0;
  for (let count = 0; count < most; count++) {
    const at = search.find(done);
    if (at < 0) break;
    result += text.slice(done, at) + added;
    done = at + old.length;
  }
  return result + text.slice(done);
}

function checkReplacedLength(text: string, old: string, added: string, most: number): void {
  let count = 0;
  if (old === '') {
    count = Math.min(most, text.length + 1);
  } else {
    const search = new TextSearch(text, old);
    for (let at = search.find(0); at >= 0 && count < most; at = search.find(at + old.length)) count++;
  }
  if (text.length + (added.length - old.length) * count > ResultTooLarge.limit) throw new ResultTooLarge();
}

/** `text.split(separator, limit)`; a negative limit is none. */
export function split(text: string, separator: string, limit: Int = -1): ArrayList {
  const most = limit < 0 ? Infinity : Number(limit);
  if (most === 0) return new ArrayList([]);
  if (separator === '') {
    const characters = Array.from(text);
    if (characters.length <= most) return new ArrayList(characters);
    return new ArrayList([...characters.slice(0, most - 1), characters.slice(most - 1).join('')]);
  }
  const search = new TextSearch(text, separator);
  const parts: string[] = [];
  let done = 0;
  while (parts.length < most - 1) {
    const at = search.find(done);
    if (at < 0) break;
    parts.push(text.slice(done, at));
    done = at + separator.length;
  }
  parts.push(text.slice(done));
  return new ArrayList(parts);
}

/** `text.substring(start)` in code points. */
export function substring(text: string, start: Int): CelResult {
  const from = start < 0 ? undefined : locateCodePoint(text, Number(start));
  return from === undefined ? outOfRange(start) : text.slice(from);
}

/** `text.substring(start, end)` in code points. */
export function substringRange(text: string, start: Int, end: Int): CelResult {
  if (start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  const from = start < 0 ? undefined : locateCodePoint(text, Number(start));
  if (from === undefined) return outOfRange(start);
  const to = locateCodePoint(text, Number(end));
  return to === undefined ? outOfRange(end) : text.slice(from, to);
}

const space = /^\p{White_Space}$/u;

function isSpace(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return space.test(text.charAt(at));
}

/** `text.trim()`: white space as Unicode has it. */
export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text, start)) start++;
  while (end > start && isSpace(text, end - 1)) end--;
  return text.slice(start, end);
}

/** `list.join(separator)` */
export function join(list: CelList, separator = ''): CelResult {
  const parts: string[] = [];
  let length = 0;
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (typeof item !== 'string') return new CelError(`join: invalid input: ${describeValue(item)}`);
    parts.push(item);
    length += item.length + separator.length;
    if (length > ResultTooLarge.limit) throw new ResultTooLarge();
  }
  return parts.join(separator);
}

/** `strings.quote(text)` */
export function quote(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return `"${text.replaceAll(/[\x07\b\f\n\r\t\v\\"]/g, (character) => NAMED_ESCAPES[character] ?? '')}"`;
}
