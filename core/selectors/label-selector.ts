import type { FieldError } from '../errors/field-error.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { makeForbidden, makeInvalid, makeRequired } from '../errors/make-field-error.ts';
import { checkLabelValue } from '../validation/names.ts';
import { validateLabelKey, validateLabels } from '../validation/object-meta.ts';

/** One expression of a selector; `operator` is In, NotIn, Exists or DoesNotExist. */
export interface LabelSelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

/** Kubernetes' metav1.LabelSelector: all of its parts must hold. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

/** An object's labels; absent means none. */
export type Labels = Readonly<Record<string, string>> | undefined;

/** What an update tolerates because the stored object already has it. */
export interface LabelSelectorValidationOptions {
  readonly allowInvalidLabelValue?: boolean;
  readonly allowUnknownOperator?: boolean;
}

function readLabel(labels: Labels, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function matchesRequirement(requirement: LabelSelectorRequirement, labels: Labels): boolean {
  const value = readLabel(labels, requirement.key);
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** Whether labels satisfy a selector. An absent selector matches nothing, an empty one everything, an unknown operator nothing. */
export function matchesLabelSelector(selector: LabelSelector | undefined | null, labels: Labels): boolean {
  if (selector === undefined || selector === null) return false;
  const pairs = Object.entries(selector.matchLabels ?? {});
  if (!pairs.every(([key, value]) => readLabel(labels, key) === value)) return false;
  return (selector.matchExpressions ?? []).every((requirement) => matchesRequirement(requirement, labels));
}

/** What a selector asks of labels, by key, so that no more has to be looked at than the labels that there are. */
interface CompiledSelector {
  readonly wanted: ReadonlyMap<string, ReadonlySet<string>>;
  readonly unwanted: ReadonlyMap<string, ReadonlySet<string>>;
  readonly present: ReadonlySet<string>;
  readonly absent: ReadonlySet<string>;
}

/** `undefined` for a selector that matches nothing. */
function compileRequirements({ matchLabels, matchExpressions }: LabelSelector): CompiledSelector | undefined {
  const wanted = new Map<string, Set<string>>();
  const unwanted = new Map<string, Set<string>>();
  const present = new Set<string>();
  const absent = new Set<string>();
  const want = (key: string, values: readonly string[]): void => {
    const known = wanted.get(key);
    wanted.set(key, new Set(known === undefined ? values : values.filter((value) => known.has(value))));
  };
  for (const [key, value] of Object.entries(matchLabels ?? {})) want(key, [value]);
  for (const { key, operator, values = [] } of matchExpressions ?? []) {
    if (operator === 'In') want(key, values);
    else if (operator === 'Exists') present.add(key);
    else if (operator === 'DoesNotExist') absent.add(key);
    else if (operator !== 'NotIn') return undefined;
    else {
      const known = unwanted.get(key);
      if (known === undefined) unwanted.set(key, new Set(values));
      else for (const value of values) known.add(value);
    }
  }
  return { wanted, unwanted, present, absent };
}

function matchesCompiled({ wanted, unwanted, present, absent }: CompiledSelector, labels: Labels): boolean {
  for (const [key, values] of wanted) {
    const value = readLabel(labels, key);
    if (value === undefined || !values.has(value)) return false;
  }
  for (const key of present) if (readLabel(labels, key) === undefined) return false;
  if (absent.size === 0 && unwanted.size === 0) return true;
  for (const [key, value] of Object.entries(labels ?? {})) {
    if (absent.has(key) || unwanted.get(key)?.has(value) === true) return false;
  }
  return true;
}

/** The same answers as `matchesLabelSelector`, for one selector and many objects: each costs no more than its labels, however long the selector is. */
export function compileLabelSelector(selector: LabelSelector | undefined | null): (labels: Labels) => boolean {
  const compiled = selector === undefined || selector === null ? undefined : compileRequirements(selector);
  return compiled === undefined ? () => false : (labels) => matchesCompiled(compiled, labels);
}

function validateRequirement(
  requirement: Partial<LabelSelectorRequirement>,
  path: FieldPath,
  options: LabelSelectorValidationOptions,
): FieldError[] {
  const { key = '', operator = '', values = [] } = requirement;
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      const detail = "must be specified when `operator` is 'In' or 'NotIn'";
      errors.push(makeRequired(path.child('values'), detail));
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      errors.push(makeForbidden(path.child('values'), detail));
    }
  } else if (options.allowUnknownOperator !== true) {
    errors.push(makeInvalid(path.child('operator'), operator, 'not a valid selector operator'));
  }
  errors.push(...validateLabelKey(key, path.child('key')));
  if (options.allowInvalidLabelValue === true) return errors;
  const valueErrors = values.flatMap((value, i) =>
    checkLabelValue(value).map((fault) => makeInvalid(path.child('values').index(i), value, fault)),
  );
  return [...errors, ...valueErrors];
}

/** Every fault of a selector; none for an absent one. */
export function validateLabelSelector(
  selector: LabelSelector | undefined | null,
  path: FieldPath,
  options: LabelSelectorValidationOptions = {},
): FieldError[] {
  if (selector === undefined || selector === null) return [];
  const expressions = selector.matchExpressions ?? [];
  return [
    ...validateLabels(selector.matchLabels, path.child('matchLabels')),
    ...expressions.flatMap((requirement, i) =>
      validateRequirement(requirement, path.child('matchExpressions').index(i), options),
    ),
  ];
}

const TEXT_OF_OPERATOR: Readonly<Record<string, (key: string, values: string) => string>> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};

/** The selector as a query (`a=b,c in (d,e)`), ordered by key; empty for one that selects everything or is absent. */
export function formatLabelSelector(selector: LabelSelector | undefined | null): string {
  const terms: [string, string][] = Object.entries(selector?.matchLabels ?? {}).map(([k, v]) => [k, `${k}=${v}`]);
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    const text = TEXT_OF_OPERATOR[operator]?.(key, values.toSorted().join(','));
    if (text !== undefined) terms.push([key, text]);
  }
  terms.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return terms.map(([, text]) => text).join(',');
}
