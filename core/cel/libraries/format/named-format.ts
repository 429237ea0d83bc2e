import {
  checkDns1035Name,
  checkLabelName,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomainName,
} from '../../../validation/names.ts';
import { makeObjectType, type CelType } from '../../types/cel-type.ts';
import { CelError, CelOpaque, type CelValue } from '../../values/cel-value.ts';
import { rememberTexts } from '../remember-texts.ts';
import { parseRequestUri } from '../url/parse-url.ts';

/** Type of formats. */
export const namedFormatType: CelType = makeObjectType('kubernetes.NamedFormat');

/** A format that texts can be held against. */
export class NamedFormat extends CelOpaque {
  readonly type = namedFormatType;
  readonly name: string;
  /** Length of the regular expression that Kubernetes takes for its cost. */
  readonly patternSize: number;
  /** What is wrong with a text; empty: nothing. */
  readonly findFaults: (text: string) => string[];

  constructor(name: string, patternSize: number, findFaults: (text: string) => string[]) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.findFaults = rememberTexts(findFaults);
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof NamedFormat ? this.name === other.name : new CelError('no such overload');
  }
}

function findUriFaults(text: string): string[] {
  const url = parseRequestUri(text);
  return 'fault' in url ? [url.fault] : [];
}

function makeTest(message: string, test: (text: string) => boolean): (text: string) => string[] {
  return (text) => (test(text) ? [] : [message]);
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const time = /^([0-9]{2}):([0-9]{2}):([0-9]{2})([^\n][0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/;

function isDate(text: string): boolean {
  const match = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12) return false;
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day >= 1 && day <= days;
}

function isDateTime(text: string): boolean {
  const [date = '', clock] = text.toLowerCase().split('t');
  if (clock === undefined || !isDate(date)) return false;
  const match = time.exec(clock);
  if (match === null) return false;
  const [, hours = '', minutes = '', seconds = ''] = match;
  return hours <= '23' && minutes <= '59' && seconds <= '59';
}

function tabulate(...formats: readonly [key: string, format: NamedFormat][]): ReadonlyMap<string, NamedFormat> {
  return new Map(formats);
}

/** The formats, by the name that `format.named` takes. */
export const namedFormats: ReadonlyMap<string, NamedFormat> = tabulate(
  ['dns1123Label', new NamedFormat('DNS1123Label', 30, (text) => checkLabelName(text, false))],
  ['dns1123Subdomain', new NamedFormat('DNS1123Subdomain', 60, (text) => checkSubdomainName(text, false))],
  ['dns1035Label', new NamedFormat('DNS1035Label', 30, (text) => checkDns1035Name(text, false))],
  ['qualifiedName', new NamedFormat('QualifiedName', 60, checkQualifiedName)],
  ['dns1123LabelPrefix', new NamedFormat('DNS1123LabelPrefix', 30, (text) => checkLabelName(text, true))],
  ['dns1123SubdomainPrefix', new NamedFormat('DNS1123SubdomainPrefix', 60, (text) => checkSubdomainName(text, true))],
  ['dns1035LabelPrefix', new NamedFormat('DNS1035LabelPrefix', 30, (text) => checkDns1035Name(text, true))],
  ['labelValue', new NamedFormat('LabelValue', 40, checkLabelValue)],
  ['uri', new NamedFormat('URI', 1103, findUriFaults)],
  [
    'uuid',
    new NamedFormat(
      'uuid',
      70,
      makeTest('does not match the UUID format', (text) => uuid.test(text)),
    ),
  ],
  [
    'byte',
    new NamedFormat(
      'byte',
      84,
      makeTest('invalid base64', (text) => base64.test(text)),
    ),
  ],
  ['date', new NamedFormat('date', 71, makeTest('invalid date', isDate))],
  ['datetime', new NamedFormat('datetime', 71, makeTest('invalid datetime', isDateTime))],
);
