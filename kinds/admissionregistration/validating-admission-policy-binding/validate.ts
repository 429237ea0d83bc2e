import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import {
  makeDuplicate,
  makeForbidden,
  makeInvalid,
  makeNotSupported,
  makeRequired,
} from '../../../core/errors/make-field-error.ts';
import { validateLabelSelector } from '../../../core/selectors/label-selector.ts';
import { checkDns1123Subdomain, checkPathSegmentName } from '../../../core/validation/names.ts';
import { validateMatchResources } from '../match-resources.ts';
import type { ParamRef, ValidatingAdmissionPolicyBinding } from './schema.ts';

const validationActions = ['Audit', 'Deny', 'Warn'];
const notFoundActions = ['Deny', 'Allow'];
const EXCLUSIVE = 'name and selector are mutually exclusive';

function validateParamRef(ref: ParamRef, path: FieldPath): FieldError[] {
  const { name = '', selector, parameterNotFoundAction: action = '' } = ref;
  const errors: FieldError[] = [];
  if (name !== '') {
    const namePath = path.child('name');
    errors.push(...checkPathSegmentName(name, false).map((fault) => makeInvalid(namePath, name, fault)));
    if (selector !== undefined) errors.push(makeForbidden(namePath, EXCLUSIVE));
  }
  if (selector !== undefined) {
    errors.push(...validateLabelSelector(selector, path.child('selector')));
    if (name !== '') errors.push(makeForbidden(path.child('selector'), EXCLUSIVE));
  }
  if (name === '' && selector === undefined) {
    errors.push(makeRequired(path, 'one of name or selector must be specified'));
  }
  const actionPath = path.child('parameterNotFoundAction');
  if (action === '') errors.push(makeRequired(actionPath, ''));
  else if (!notFoundActions.includes(action)) errors.push(makeNotSupported(actionPath, action, notFoundActions));
  return errors;
}

function validateActions(actions: readonly string[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, action] of actions.entries()) {
    if (!validationActions.includes(action)) errors.push(makeNotSupported(path.index(i), action, validationActions));
    if (seen.has(action)) errors.push(makeDuplicate(path.index(i), action));
    seen.add(action);
  }
  if (seen.has('Deny') && seen.has('Warn')) {
    const purpose =
      '(repeating the same validation failure information in the API response and headers serves no purpose)';
    errors.push(makeInvalid(path, actions, `must not contain both Deny and Warn ${purpose}`));
  }
  if (actions.length === 0) errors.push(makeRequired(path, 'at least one validation action is required'));
  return errors;
}

/** Faults of a binding, new or changed ("ValidatingAdmissionPolicyBinding"). */
export function validateBinding({ spec }: ValidatingAdmissionPolicyBinding): FieldError[] {
  const path = FieldPath.root('spec');
  const { policyName = '', paramRef, matchResources } = spec;
  const namePath = path.child('policyName');
  return [
    ...(policyName === ''
      ? [makeRequired(namePath, '')]
      : checkDns1123Subdomain(policyName).map((fault) => makeInvalid(namePath, policyName, fault))),
    ...(paramRef === undefined ? [] : validateParamRef(paramRef, path.child('paramRef'))),
    ...(matchResources === undefined ? [] : validateMatchResources(matchResources, path.child('matchResources'))),
    ...validateActions(spec.validationActions ?? [], path.child('validationActions')),
  ];
}
