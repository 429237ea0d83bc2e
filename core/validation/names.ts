import { isPrintable } from '../errors/quote-go.ts';

const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const DNS1123_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS1123_SUBDOMAIN = `${DNS1123_LABEL}(\\.${DNS1123_LABEL})*`;
const DNS1123_LABEL_UNDERSCORE = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const DNS1123_SUBDOMAIN_UNDERSCORE = `${DNS1123_LABEL_UNDERSCORE}(\\.${DNS1123_LABEL_UNDERSCORE})*`;
const DNS1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const WILDCARD_SUBDOMAIN = `\\*\\.${DNS1123_SUBDOMAIN}`;
const C_IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';
const PERCENT = '[0-9]+%';
const HTTP_HEADER_NAME = '[-A-Za-z0-9]+';
const CONFIG_MAP_KEY = '[-._a-zA-Z0-9]+';
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

/** Patterns of whole names, without anchors; none of them bounds a length. */
export const namePatterns = {
  dns1035Label: DNS1035_LABEL,
  dns1123Label: DNS1123_LABEL,
  dns1123Subdomain: DNS1123_SUBDOMAIN,
  labelValue: LABEL_VALUE,
  namePart: QUALIFIED_NAME,
} as const;

const compiled = new Map<string, RegExp>();

function matchesWhole(pattern: string, value: string): boolean {
  let regex = compiled.get(pattern);
  if (regex === undefined) {
    regex = new RegExp(`^(?:${pattern})$`);
    compiled.set(pattern, regex);
  }
  return regex.test(value);
}

/** Length of a text in bytes of UTF-8: what Go calls its length. */
export function countBytes(text: string): number {
  return Buffer.byteLength(text);
}

/** Kubernetes' wording for a text that is too long. */
function describeMaxLength(length: number): string {
  return `must be no more than ${length} characters`;
}

/** Kubernetes' wording for a text that does not match a pattern. */
export function describePattern(message: string, pattern: string, ...examples: string[]): string {
  const regex = `regex used for validation is '${pattern}'`;
  if (examples.length === 0) return `${message} (${regex})`;
  return `${message} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}${regex})`;
}

/** Kubernetes' wording for a number outside of a range. */
function describeRange(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}

function checkPattern(value: string, pattern: string, maxLength: number, message: string): string[] {
  const faults: string[] = [];
  if (countBytes(value) > maxLength) faults.push(describeMaxLength(maxLength));
  if (!matchesWhole(pattern, value)) faults.push(message);
  return faults;
}

/** Faults of an RFC 1123 label (at most 63 characters, no dots); empty when it is one. */
export function checkDns1123Label(value: string): string[] {
  const message =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  const isSubdomain = matchesWhole(DNS1123_SUBDOMAIN, value);
  return checkPattern(
    value,
    DNS1123_LABEL,
    63,
    isSubdomain ? 'must not contain dots' : describePattern(message, DNS1123_LABEL, 'my-name', '123-abc'),
  );
}

/** Faults of an RFC 1123 subdomain (at most 253 characters); empty when it is one. */
export function checkDns1123Subdomain(value: string): string[] {
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return checkPattern(value, DNS1123_SUBDOMAIN, 253, describePattern(message, DNS1123_SUBDOMAIN, 'example.com'));
}

/** Faults of an RFC 1123 subdomain that may hold underscores; empty when it is one. */
export function checkDns1123SubdomainWithUnderscore(value: string): string[] {
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  const detail = describePattern(message, DNS1123_SUBDOMAIN_UNDERSCORE, 'example.com');
  return checkPattern(value, DNS1123_SUBDOMAIN_UNDERSCORE, 253, detail);
}

/** Faults of an RFC 1035 label (starts with a letter); empty when it is one. */
export function checkDns1035Label(value: string): string[] {
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return checkPattern(value, DNS1035_LABEL, 63, describePattern(message, DNS1035_LABEL, 'my-name', 'abc-123'));
}

/** Faults of a wildcard subdomain such as `*.example.com`; empty when it is one. */
export function checkWildcardDns1123Subdomain(value: string): string[] {
  const message =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return checkPattern(value, WILDCARD_SUBDOMAIN, 253, describePattern(message, WILDCARD_SUBDOMAIN, '*.example.com'));
}

const QUALIFIED_NAME_DETAIL = describePattern(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED_NAME,
  'MyName',
  'my.name',
  '123-abc',
);

/** Faults of a qualified name: up to 63 characters, optionally after a DNS subdomain and a slash; empty when it is one. */
export function checkQualifiedName(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    const prefixed = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a qualified name ${QUALIFIED_NAME_DETAIL} ${prefixed}`];
  }
  const faults: string[] = [];
  const name = parts[parts.length - 1] ?? '';
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    const prefixFaults = prefix === '' ? ['must be non-empty'] : checkDns1123Subdomain(prefix);
    faults.push(...prefixFaults.map((fault) => `prefix part ${fault}`));
  }
  if (name === '') faults.push('name part must be non-empty');
  else if (countBytes(name) > 63) faults.push(`name part ${describeMaxLength(63)}`);
  if (!matchesWhole(QUALIFIED_NAME, name)) faults.push(`name part ${QUALIFIED_NAME_DETAIL}`);
  return faults;
}

const LABEL_VALUE_DETAIL = describePattern(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  'MyValue',
  'my_value',
  '12345',
);

/** Faults of a label's value; empty when it is fine. */
export function checkLabelValue(value: string): string[] {
  return checkPattern(value, LABEL_VALUE, 63, LABEL_VALUE_DETAIL);
}

/** Faults of a port number (1 to 65535); empty when it is one. */
export function checkPortNumber(port: number): string[] {
  return checkRange(port, 1, 65535);
}

/** Faults of a number that must lie in an inclusive range; empty when it does. */
export function checkRange(value: number, low: number, high: number): string[] {
  return value >= low && value <= high ? [] : [describeRange(low, high)];
}

/** Faults of a port's name (RFC 6335, lower case); empty when it is one. */
export function checkPortName(name: string): string[] {
  const faults: string[] = [];
  if (countBytes(name) > 15) faults.push(describeMaxLength(15));
  if (!/^[-a-z0-9]+$/.test(name)) {
    faults.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(name)) faults.push('must contain at least one letter (a-z)');
  if (name.includes('--')) faults.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) faults.push('must not begin or end with a hyphen');
  return faults;
}

/** Faults of a C identifier; empty when it is one. */
export function checkCIdentifier(value: string): string[] {
  if (matchesWhole(C_IDENTIFIER, value)) return [];
  const message =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  return [describePattern(message, C_IDENTIFIER, 'my_name', 'MY_NAME', 'MyName')];
}

/** Faults of a percentage such as `93%`; empty when it is one. */
export function checkPercent(value: string): string[] {
  if (matchesWhole(PERCENT, value)) return [];
  const message = "a valid percent string must be a numeric string followed by an ending '%'";
  return [describePattern(message, PERCENT, '1%', '93%')];
}

/** Faults of an HTTP header's name; empty when it is one. */
export function checkHttpHeaderName(value: string): string[] {
  if (matchesWhole(HTTP_HEADER_NAME, value)) return [];
  const message = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [describePattern(message, HTTP_HEADER_NAME, 'X-Header-Name')];
}

/** Faults of an environment variable's name as Kubernetes 1.34 takes it (printable ASCII without `=`); empty when it is one. */
export function checkEnvVarName(value: string): string[] {
  const faults = value === '' ? ['environment variable name must be non-empty'] : [];
  for (const character of value) {
    if (character > '\x7f' || character === '=' || !isPrintable(character)) {
      faults.push("a valid environment variable name must consist only of printable ASCII characters other than '='");
      break;
    }
  }
  return faults;
}

/** Faults of a key of a ConfigMap or Secret; empty when it is one. */
export function checkConfigMapKey(value: string): string[] {
  const message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
  const detail = describePattern(message, CONFIG_MAP_KEY, 'key.name', 'KEY_NAME', 'key-name');
  const faults = checkPattern(value, CONFIG_MAP_KEY, 253, detail);
  if (value === '.') faults.push("must not be '.'");
  else if (value === '..') faults.push("must not be '..'");
  else if (value.startsWith('..')) faults.push("must not start with '..'");
  return faults;
}

function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

/** A kind's rule for names that are DNS-1123 subdomains; `prefix` is true for a generateName, which may end in a dash. */
export function checkSubdomainName(name: string, prefix: boolean): string[] {
  return checkDns1123Subdomain(prefix ? maskTrailingDash(name) : name);
}

/** As checkSubdomainName, for names that are DNS-1123 labels. */
export function checkLabelName(name: string, prefix: boolean): string[] {
  return checkDns1123Label(prefix ? maskTrailingDash(name) : name);
}

/** As checkSubdomainName, for names that are DNS-1035 labels. */
export function checkDns1035Name(name: string, prefix: boolean): string[] {
  return checkDns1035Label(prefix ? maskTrailingDash(name) : name);
}

/** Faults of a name that becomes a segment of a path (RBAC's rule); a generateName is judged the same. */
export function checkPathSegmentName(name: string, prefix: boolean): string[] {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((illegal) => name.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
}
