import { namePatterns } from '../core/validation/names.ts';
import type { CrdFieldNotes, CrdFields, CrdRule } from './crd-notes.ts';

const { dns1123Subdomain, namePart } = namePatterns;
const QUALIFIED_NAME = `^(${dns1123Subdomain}/)?${namePart}$`;
/** A DNS subdomain before the slash has up to 253 characters, the name after it up to 63. */
const QUALIFIED_LENGTHS = '^([^/]{1,253}/)?[^/]{1,63}$';
const REASON = '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$';
const OCTET = '0*(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])';

/** Labels of one selector; a namespace has far fewer. */
const MAX_LABELS = 500;

/** A text that matches a whole pattern and has at most `maxLength` characters. */
export function wholePattern(pattern: string, maxLength?: number): CrdFieldNotes {
  return { pattern: `^(${pattern})$`, ...(maxLength === undefined ? {} : { maxLength }) };
}

/** A DNS-1123 subdomain. */
export const subdomainField: CrdFieldNotes = wholePattern(dns1123Subdomain, 253);

/** A DNS-1123 subdomain, or an empty text. */
export const optionalSubdomainField: CrdFieldNotes = wholePattern(`(${dns1123Subdomain})?`, 253);

/** A host, or a wildcard in its first label. */
export const hostField: CrdFieldNotes = wholePattern(String.raw`(\*\.)?${dns1123Subdomain}`, 253);

/** An IPv4 address in the lenient notation that names of hosts must not have. */
export const ipv4Pattern = String.raw`^(${OCTET}\.){3}${OCTET}$`;

/** A name that becomes a segment of a path. */
export const pathSegmentField: CrdFieldNotes = { pattern: '^[^/%]*$', not: { enum: ['.', '..'] } };

/** A text with more than white space. */
export const filledTextField: CrdFieldNotes = { pattern: String.raw`\S` };

/** A qualified name, such as `example.com/name`. */
export const qualifiedNameField: CrdFieldNotes = {
  pattern: QUALIFIED_NAME,
  maxLength: 317,
  allOf: [{ pattern: QUALIFIED_LENGTHS }],
};

/** What a port's name must match, all of it; its length is at most 15. */
export const portNamePatterns = ['^[a-z0-9]+(-[a-z0-9]+)*$', '[a-z]'] as const;

/** CEL: whether the text of `name` is a qualified name. */
export function isQualifiedName(name: string): string {
  return `${name}.matches(r'${QUALIFIED_NAME}') && ${name}.matches(r'${QUALIFIED_LENGTHS}')`;
}

/** CEL: whether `*` stands alone in a list of `others`. */
export function wildcardRule(others: string): CrdRule {
  return { rule: "size(self) <= 1 || !('*' in self)", message: `if '*' is present, must not specify other ${others}` };
}

const keyRule: CrdRule = {
  rule: `self.all(key, ${isQualifiedName('key')})`,
  message: 'keys must be qualified names, such as example.com/name',
};
const requirementRules: readonly CrdRule[] = [
  {
    rule: "!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)",
    message: "must be specified when `operator` is 'In' or 'NotIn'",
    reason: 'FieldValueRequired',
    fieldPath: '.values',
  },
  {
    rule: "self.operator in ['In', 'NotIn'] || !has(self.values) || size(self.values) == 0",
    message: "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    reason: 'FieldValueForbidden',
    fieldPath: '.values',
  },
];
// The same as structure: it costs nothing, however many selectors there may be.
const requirementChoice: CrdFieldNotes['oneOf'] = [
  { properties: { operator: { enum: ['In', 'NotIn'] }, values: { minItems: 1 } }, required: ['values'] },
  { properties: { operator: { enum: ['Exists', 'DoesNotExist'] }, values: { maxItems: 0 } } },
];

/**
 * Fields of a label selector at `path`. `isSingle` says that an object has one of them, so that rules in CEL are affordable;
 * otherwise the keys of matchLabels go unchecked.
 */
export function labelSelectorFields(path: string, isSingle: boolean): CrdFields {
  const expressions = `${path}.matchExpressions`;
  const value: CrdFieldNotes = wholePattern(namePatterns.labelValue, 63);
  return {
    ...(isSingle ? { [`${path}.matchLabels`]: { maxProperties: MAX_LABELS, rules: [keyRule] } } : {}),
    [`${path}.matchLabels{}`]: value,
    ...(isSingle ? { [expressions]: { maxItems: MAX_LABELS } } : {}),
    [`${expressions}[]`]: {
      required: ['key', 'operator'],
      ...(isSingle ? { rules: requirementRules } : { oneOf: requirementChoice }),
    },
    [`${expressions}[].key`]: qualifiedNameField,
    [`${expressions}[].operator`]: { enum: ['In', 'NotIn', 'Exists', 'DoesNotExist'] },
    [`${expressions}[].values[]`]: value,
  };
}

/** Fields of a list of conditions at `path`. */
export function conditionFields(path: string): CrdFields {
  return {
    [`${path}[]`]: { required: ['type', 'status', 'lastTransitionTime', 'reason'] },
    [`${path}[].type`]: qualifiedNameField,
    [`${path}[].status`]: { enum: ['True', 'False', 'Unknown'] },
    [`${path}[].observedGeneration`]: { minimum: 0 },
    [`${path}[].reason`]: { minLength: 1, maxLength: 1024, pattern: REASON },
    [`${path}[].message`]: { maxLength: 32_768 },
  };
}
