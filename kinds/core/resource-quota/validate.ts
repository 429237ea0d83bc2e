import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import { quantityToMilli, readQuantity, signOfQuantity } from '../../../core/quantity/quantity.ts';
import { listResourceNames, readAmount } from '../resource-lists.ts';
import type { ResourceList } from '../resource-lists.ts';
import { isIntegerResourceName, isStandardQuotaResourceName, validateQuotaResourceName } from '../resource-names.ts';
import { deriveSchema } from '../../derive-schema.ts';
import { showGoStruct } from '../../show-go-struct.ts';
import { quotaScopes, scopeSelectorSchema } from './schema.ts';
import { conflictingScopes, resourcesOfScope, scopesWithoutValues } from './scopes.ts';
import type { ResourceQuota, ResourceQuotaSpec, ScopeRequirement } from './schema.ts';

const selectorShape = deriveSchema(scopeSelectorSchema);

function isKnownScope(scope: string): boolean {
  return (quotaScopes as readonly string[]).includes(scope);
}

function validateAmounts(list: ResourceList | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of listResourceNames(list)) {
    const amount = readAmount(list, name) ?? '0';
    const amountPath = path.key(name);
    const quantity = readQuantity(amount);
    errors.push(...validateQuotaResourceName(name, amountPath));
    if (signOfQuantity(quantity) < 0)
      errors.push(makeInvalid(amountPath, amount, 'must be greater than or equal to 0'));
    if (isIntegerResourceName(name) && quantityToMilli(quantity) % 1000n !== 0n) {
      errors.push(makeInvalid(amountPath, amount, 'must be an integer'));
    }
  }
  return errors;
}

function listUnscopedResources(spec: ResourceQuotaSpec, scope: string): string[] {
  const allowed = resourcesOfScope.get(scope);
  if (allowed === undefined) return [];
  return listResourceNames(spec.hard).filter((name) => isStandardQuotaResourceName(name) && !allowed.includes(name));
}

function validateScopePairs(named: readonly string[], spec: ResourceQuotaSpec, path: FieldPath): FieldError[] {
  return conflictingScopes
    .filter((pair) => pair.every((scope) => named.includes(scope)))
    .map(() => makeInvalid(path, spec.scopes, 'conflicting scopes'));
}

function validateScopes(spec: ResourceQuotaSpec, path: FieldPath): FieldError[] {
  const scopes = spec.scopes ?? [];
  const errors: FieldError[] = [];
  for (const scope of scopes) {
    if (!isKnownScope(scope)) errors.push(makeInvalid(path, scopes, 'unsupported scope'));
    for (const _name of listUnscopedResources(spec, scope)) {
      errors.push(makeInvalid(path, scopes, 'unsupported scope applied to resource'));
    }
  }
  return [...errors, ...validateScopePairs(scopes, spec, path)];
}

function validateOperator(requirement: ScopeRequirement, path: FieldPath): FieldError[] {
  const { operator, scopeName, values = [] } = requirement;
  const errors: FieldError[] = [];
  if (scopesWithoutValues.has(scopeName) && operator !== 'Exists') {
    errors.push(
      makeInvalid(
        path.child('operator'),
        operator,
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
          'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity',
      ),
    );
  }
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) {
        const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
        errors.push(makeRequired(path.child('values'), detail));
      }
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
        errors.push(makeInvalid(path.child('values'), values, detail));
      }
      break;
    default:
      errors.push(makeInvalid(path.child('operator'), operator, 'not a valid selector operator'));
  }
  return errors;
}

// Kubernetes leaves the index of the requirement out of these paths.
function validateScopeSelector(spec: ResourceQuotaSpec, path: FieldPath): FieldError[] {
  const requirements = spec.scopeSelector?.matchExpressions ?? [];
  const errors: FieldError[] = [];
  for (const requirement of requirements) {
    const { scopeName } = requirement;
    if (!isKnownScope(scopeName)) errors.push(makeInvalid(path.child('scopeName'), scopeName, 'unsupported scope'));
    for (const _name of listUnscopedResources(spec, scopeName)) {
      errors.push(
        makeInvalid(path, showGoStruct(spec.scopeSelector, selectorShape), 'unsupported scope applied to resource'),
      );
    }
    errors.push(...validateOperator(requirement, path));
  }
  const named = requirements.map((requirement) => requirement.scopeName);
  return [...errors, ...validateScopePairs(named, spec, path)];
}

function validateSpec(spec: ResourceQuotaSpec): FieldError[] {
  const path = FieldPath.root('spec');
  return [
    ...validateAmounts(spec.hard, path.child('hard')),
    ...validateScopes(spec, path.child('scopes')),
    ...validateScopeSelector(spec, path.child('scopeSelector', 'matchExpressions')),
  ];
}

/** Faults of a new quota's spec and status ("ResourceQuota"). */
export function validateResourceQuota(quota: ResourceQuota): FieldError[] {
  return [...validateSpec(quota.spec), ...validateResourceQuotaStatus(quota)];
}

/** Faults of a changed quota's spec: those of a new one, and the scopes must stay the same. */
export function validateResourceQuotaUpdate(quota: ResourceQuota, old: ResourceQuota): FieldError[] {
  const errors = validateSpec(quota.spec);
  const scopes = new Set(quota.spec.scopes);
  if (scopes.symmetricDifference(new Set(old.spec.scopes)).size > 0) {
    errors.push(makeInvalid(FieldPath.root('spec', 'scopes'), quota.spec.scopes, 'field is immutable'));
  }
  return errors;
}

/** Faults of a quota's status. */
export function validateResourceQuotaStatus(quota: ResourceQuota): FieldError[] {
  const path = FieldPath.root('status');
  return [
    ...validateAmounts(quota.status.hard, path.child('hard')),
    ...validateAmounts(quota.status.used, path.child('used')),
  ];
}
