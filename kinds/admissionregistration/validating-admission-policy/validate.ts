import { loadExpressions } from '../../../core/cel/load-expressions.ts';
import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import { parseJsonPath } from '../../../core/json-path/parse-json-path.ts';
import { Deferred } from '../../../core/load/deferred.ts';
import { deepEqual } from '../../../core/meta/deep.ts';
import { validateConditions } from '../../../core/validation/condition.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../../../core/validation/names.ts';
import { validateMatchResources } from '../match-resources.ts';
import { type ExpressionChecker, noExpressionChecker } from './expression-checker.ts';
import type { ParamKind, ValidatingAdmissionPolicy, ValidatingAdmissionPolicySpec } from './schema.ts';
import {
  validateAuditAnnotations,
  validateMatchConditions,
  validateValidation,
  validateVariables,
} from './validate-expressions.ts';

/** What compiles expressions: without policies nothing of it is needed. Validating new and changed policies takes that it was loaded. */
export const expressionCompiler = new Deferred(async () => {
  await loadExpressions();
  return import('./compiling-checker.ts');
});

const failurePolicies = ['Fail', 'Ignore'];

function validateParamApiVersion(apiVersion: string, path: FieldPath): FieldError[] {
  if (apiVersion === '') return [makeRequired(path, '')];
  const parts = apiVersion === '/' ? ['', ''] : apiVersion.split('/');
  if (parts.length > 2) return [makeInvalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const version = parts.at(-1) ?? '';
  const group = parts.length === 2 ? (parts[0] ?? '') : '';
  const errors: FieldError[] = [];
  const groupFaults = group === '' ? [] : checkDns1123Subdomain(group);
  if (groupFaults.length > 0) errors.push(makeInvalid(path, group, groupFaults.join(',')));
  if (version === '') return [...errors, makeInvalid(path, apiVersion, 'version must be specified')];
  const versionFaults = checkDns1035Label(version);
  if (versionFaults.length > 0) errors.push(makeInvalid(path, version, versionFaults.join(',')));
  return errors;
}

function validateParamKind({ apiVersion = '', kind = '' }: ParamKind, path: FieldPath): FieldError[] {
  const errors = validateParamApiVersion(apiVersion, path.child('apiVersion'));
  const kindPath = path.child('kind');
  if (kind === '') return [...errors, makeRequired(kindPath, '')];
  const faults = checkDns1035Label(kind.toLowerCase());
  if (faults.length === 0) return errors;
  const detail = `may have mixed case, but should otherwise match: ${faults.join(',')}`;
  return [...errors, makeInvalid(kindPath, kind, detail)];
}

function validateFailurePolicy(policy: string | undefined, path: FieldPath): FieldError[] {
  if (policy === undefined) return [makeRequired(path, '')];
  return failurePolicies.includes(policy) ? [] : [makeNotSupported(path, policy, failurePolicies)];
}

function validateMatchConstraints(spec: ValidatingAdmissionPolicySpec, path: FieldPath): FieldError[] {
  if (spec.matchConstraints === undefined) return [makeRequired(path, '')];
  const errors = validateMatchResources(spec.matchConstraints, path);
  if ((spec.matchConstraints.resourceRules ?? []).length > 0) return errors;
  return [...errors, makeRequired(path.child('resourceRules'), '')];
}

function validateChecks(
  spec: ValidatingAdmissionPolicySpec,
  policyName: string,
  path: FieldPath,
  checker: ExpressionChecker,
): FieldError[] {
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    return [makeRequired(path.child('validations'), detail), makeRequired(path.child('auditAnnotations'), detail)];
  }
  const validationsPath = path.child('validations');
  return [
    ...validations.flatMap((validation, i) => validateValidation(validation, validationsPath.index(i), checker)),
    ...validateAuditAnnotations(auditAnnotations, policyName, path.child('auditAnnotations'), checker),
  ];
}

function validateSpec(
  { metadata, spec }: ValidatingAdmissionPolicy,
  checker: ExpressionChecker,
  keepsConditions: boolean,
): FieldError[] {
  const path = FieldPath.root('spec');
  const { paramKind, matchConditions = [], variables = [] } = spec;
  return [
    ...validateFailurePolicy(spec.failurePolicy, path.child('failurePolicy')),
    ...(paramKind === undefined ? [] : validateParamKind(paramKind, path.child('paramKind'))),
    ...validateMatchConstraints(spec, path.child('matchConstraints')),
    ...(keepsConditions ? [] : validateMatchConditions(matchConditions, path.child('matchConditions'), checker)),
    ...validateVariables(variables, path.child('variables'), checker),
    ...validateChecks(spec, metadata.name ?? '', path, checker),
  ];
}

/** Faults of a new policy ("ValidatingAdmissionPolicy"). */
export function validatePolicy(policy: ValidatingAdmissionPolicy): FieldError[] {
  const { CompilingChecker } = expressionCompiler.value;
  return validateSpec(policy, new CompilingChecker(policy.spec), false);
}

/** The same but for those that only a compiler finds. */
export function validatePolicyStructure(policy: ValidatingAdmissionPolicy): FieldError[] {
  return validateSpec(policy, noExpressionChecker, false);
}

/** Faults of a changed policy; expressions that it had before may use what new ones may not yet, and match conditions that stay as they are, with the same paramKind, are not looked at again. */
export function validatePolicyUpdate(policy: ValidatingAdmissionPolicy, old: ValidatingAdmissionPolicy): FieldError[] {
  const keepsConditions =
    deepEqual(policy.spec.paramKind, old.spec.paramKind) &&
    deepEqual(policy.spec.matchConditions ?? [], old.spec.matchConditions ?? []);
  const { CompilingChecker } = expressionCompiler.value;
  return validateSpec(policy, new CompilingChecker(policy.spec, old.spec), keepsConditions);
}

function validateFieldRef(fieldRef: string, path: FieldPath): FieldError[] {
  const text = fieldRef.trim();
  if (text === '') return [makeRequired(path, '')];
  const parsed = parseJsonPath(text);
  return 'fault' in parsed ? [makeInvalid(path, text, `invalid JSONPath: ${parsed.fault}`)] : [];
}

/** Faults of a policy's status: its warnings and conditions. */
export function validatePolicyStatus({ status }: ValidatingAdmissionPolicy): FieldError[] {
  const path = FieldPath.root('status');
  const warningsPath = path.child('typeChecking', 'expressionWarnings');
  const warnings = status.typeChecking?.expressionWarnings ?? [];
  return [
    ...warnings.flatMap(({ fieldRef, warning }, i) => [
      ...(warning === '' ? [makeRequired(warningsPath.index(i).child('warning'), '')] : []),
      ...validateFieldRef(fieldRef, warningsPath.index(i).child('fieldRef')),
    ]),
    ...validateConditions(status.conditions, path.child('conditions')),
  ];
}
