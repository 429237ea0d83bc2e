import type { FieldError } from '../../../../core/errors/field-error.ts';
import { FieldPath } from '../../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeRequired } from '../../../../core/errors/make-field-error.ts';
import type { ObjectMeta } from '../../../../core/meta/kube-object.ts';
import { parseFieldQuery } from '../../../../core/selectors/field-query.ts';
import { parseLabelQuery } from '../../../../core/selectors/label-query.ts';
import { validateLabelSelector } from '../../../../core/selectors/label-selector.ts';
import type {
  AccessReviewSpec,
  ReviewedResource,
  SelectorAttributes,
  SelectorRequirement,
} from './access-review-spec.ts';

const specPath = FieldPath.root('spec');
const resourcePath = FieldPath.root('spec.resourceAttributes');

function validateFieldRequirement(requirement: SelectorRequirement, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const values = requirement.values ?? [];
  if (!requirement.key) errors.push(makeRequired(path.child('key'), 'must be specified'));
  if (requirement.operator === 'In' || requirement.operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(makeRequired(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if ((requirement.operator === 'Exists' || requirement.operator === 'DoesNotExist') && values.length > 0) {
    errors.push(
      makeForbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
    );
  }
  return errors;
}

function validateLabelRequirement(requirement: SelectorRequirement, path: FieldPath): FieldError[] {
  const { key = '', operator = '', values = [] } = requirement;
  const placeholder = FieldPath.root('selector');
  const inSelector = placeholder.child('matchExpressions').index(0).toString();
  const selector = { matchExpressions: [{ key, operator, values }] };
  return validateLabelSelector(selector, placeholder, { allowUnknownOperator: true }).map((error) => ({
    ...error,
    field: path.toString() + error.field.slice(inSelector.length),
  }));
}

function validateSelector(
  selector: SelectorAttributes | undefined,
  path: FieldPath,
  validateRequirement: (requirement: SelectorRequirement, path: FieldPath) => FieldError[],
): FieldError[] {
  if (selector === undefined) return [];
  const errors: FieldError[] = [];
  const requirements = selector.requirements ?? [];
  if (selector.rawSelector && requirements.length > 0) {
    const detail = 'may not specified at the same time as requirements';
    errors.push(makeInvalid(path.child('rawSelector'), selector.rawSelector, detail));
  }
  if (!selector.rawSelector && requirements.length === 0) {
    const detail = `when ${path.toString()} is specified, requirements or rawSelector is required`;
    errors.push(makeRequired(path.child('requirements'), detail));
  }
  const list = path.child('requirements');
  return [...errors, ...requirements.flatMap((requirement, i) => validateRequirement(requirement, list.index(i)))];
}

function validateResource(reviewed: ReviewedResource | undefined): FieldError[] {
  return [
    ...validateSelector(reviewed?.fieldSelector, resourcePath.child('fieldSelector'), validateFieldRequirement),
    ...validateSelector(reviewed?.labelSelector, resourcePath.child('labelSelector'), validateLabelRequirement),
  ];
}

/** Kubernetes shows the attributes by the names that they have in its source. */
function describeNonResource(spec: AccessReviewSpec): unknown {
  const { nonResourceAttributes } = spec;
  return nonResourceAttributes
    ? { Path: nonResourceAttributes.path ?? '', Verb: nonResourceAttributes.verb ?? '' }
    : null;
}

/** Metadata that a client set: reviews are not stored, so there must be none. */
function validateMetadata(metadata: ObjectMeta, allowed: readonly string[], detail: string): FieldError[] {
  const { managedFields: _managedFields, ...rest } = metadata;
  const hasContent = Object.entries(rest).some(
    ([key, value]) => !allowed.includes(key) && value !== undefined && value !== null && value !== '',
  );
  return hasContent ? [makeInvalid(FieldPath.root('metadata'), rest, detail)] : [];
}

/** Every fault of a SubjectAccessReview, a SelfSubjectAccessReview (`self`) or a LocalSubjectAccessReview (`local`). */
export function validateAccessReview(
  spec: AccessReviewSpec,
  metadata: ObjectMeta,
  sort: 'subject' | 'self' | 'local',
): FieldError[] {
  const errors: FieldError[] = [];
  const reviewed = spec.resourceAttributes ?? undefined;
  const nonResource = spec.nonResourceAttributes ?? undefined;
  if (reviewed !== undefined && nonResource !== undefined) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    errors.push(makeInvalid(specPath.child('nonResourceAttributes'), describeNonResource(spec), detail));
  }
  if (reviewed === undefined && nonResource === undefined) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(makeInvalid(specPath.child('resourceAttributes'), null, detail));
  }
  if (sort !== 'self' && !spec.user && (spec.groups ?? []).length === 0) {
    errors.push(
      makeInvalid(specPath.child('user'), spec.user ?? '', 'at least one of user or group must be specified'),
    );
  }
  errors.push(...validateResource(reviewed));
  if (sort !== 'local') return [...errors, ...validateMetadata(metadata, [], 'must be empty')];
  errors.push(...validateMetadata(metadata, ['namespace'], 'must be empty except for namespace'));
  if (reviewed !== undefined && (reviewed.namespace ?? '') !== (metadata.namespace ?? '')) {
    const path = FieldPath.root('spec.resourceAttributes.namespace');
    errors.push(makeInvalid(path, reviewed.namespace ?? '', 'must match metadata.namespace'));
  }
  if (nonResource !== undefined) {
    const path = FieldPath.root('spec.nonResourceAttributes');
    errors.push(makeInvalid(path, describeNonResource(spec), 'disallowed on this kind of request'));
  }
  return errors;
}

function countReadableFieldRequirements(requirements: readonly SelectorRequirement[]): number {
  return requirements.filter(
    ({ operator, values = [] }) => (operator === 'In' || operator === 'NotIn') && values.length === 1,
  ).length;
}

function countReadableLabelRequirements(requirements: readonly SelectorRequirement[]): number {
  return requirements.filter(({ operator = '' }) => ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator))
    .length;
}

function describeSelectorFault(
  name: string,
  selector: SelectorAttributes | undefined,
  parse: (text: string) => object,
  countReadable: (requirements: readonly SelectorRequirement[]) => number,
): string[] {
  if (selector === undefined) return [];
  const requirements = selector.requirements ?? [];
  const readable = countReadable(requirements);
  const isFaulty =
    requirements.length > 0
      ? readable < requirements.length
      : selector.rawSelector !== undefined && 'fault' in parse(selector.rawSelector);
  const how = readable > 0 ? 'partially ignored' : 'ignored';
  return isFaulty ? [`spec.resourceAttributes.${name} ${how} due to parse error`] : [];
}

/** What of a valid review's selectors could not be understood and was left out of account; empty when nothing was. */
export function describeSelectorFaults(spec: AccessReviewSpec): string {
  const reviewed = spec.resourceAttributes ?? undefined;
  return [
    ...describeSelectorFault('fieldSelector', reviewed?.fieldSelector, parseFieldQuery, countReadableFieldRequirements),
    ...describeSelectorFault('labelSelector', reviewed?.labelSelector, parseLabelQuery, countReadableLabelRequirements),
  ].join('; ');
}
