import { multiplyCosts } from '../../../core/cel/cost/cost-range.ts';
import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInternal, makeInvalid } from '../../../core/errors/make-field-error.ts';
import { makeRuleCompiler, type CompiledRule, type RuleCompiler } from './compile-rule.ts';
import type { JsonSchemaProps, ValidationRule } from './custom-resource-definition.ts';
import { noteCost, type RuleScope } from './rule-scope.ts';
import { showInternalRule } from './show-internal.ts';

const maxRuleCost = 10_000_000n;
const advice =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

/** Words for a cost beyond its limit. */
export function describeExcess(name: string, cost: bigint, limit: bigint): string {
  const factor = Number(cost) / Number(limit);
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${name} exceeds budget by factor of ${shown} ${advice}`;
}

/**
 * Faults of the rules of a schema: those that do not compile, cost too much, or compare with an old value that cannot be found.
 * `uncorrelatedPath` is the schema within which that is so.
 */
export function validateRules(
  schema: JsonSchemaProps,
  path: FieldPath,
  scope: RuleScope,
  uncorrelatedPath: FieldPath | undefined,
): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return [];
  const own = path.child('x-kubernetes-validations');
  if (scope.isTypeless) return [makeInternal(own, 'failed to convert to declType for CEL validation rules')];
  const compiler = makeRuleCompiler(scope.typed, scope.isRoot, scope.known);
  if (compiler === undefined) {
    const detail = 'failed to construct type information for x-kubernetes-validations rules';
    return [makeInternal(own, `internal error: ${detail}: unable to convert structural schema to CEL declarations`)];
  }
  return rules.flatMap((rule, index) => validateRule(rule, compiler, own.index(index), scope, uncorrelatedPath));
}

function validateRule(
  rule: ValidationRule,
  compiler: RuleCompiler,
  path: FieldPath,
  scope: RuleScope,
  uncorrelatedPath: FieldPath | undefined,
): FieldError[] {
  const compiled = compiler.compile(rule);
  const errors = [
    ...validateExpression(rule, compiled, compiler, path, scope),
    ...validateMessage(rule, compiled, path, scope),
  ];
  if (compiled.rule !== undefined && 'usesOldSelf' in compiled.rule && compiled.rule.usesOldSelf) {
    if (uncorrelatedPath === undefined) return errors;
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatedPath.toString()}`;
    return [...errors, makeInvalid(path.child('rule'), rule.rule, detail)];
  }
  if (rule.optionalOldSelf === undefined) return errors;
  const detail = 'may not be set if oldSelf is not used in rule';
  return [...errors, makeInvalid(path.child('optionalOldSelf'), rule.optionalOldSelf, detail)];
}

function validateExpression(
  rule: ValidationRule,
  { rule: compiled }: CompiledRule,
  { maxOccurrences }: RuleCompiler,
  path: FieldPath,
  scope: RuleScope,
): FieldError[] {
  const own = path.child('rule');
  if (compiled === undefined) return [];
  if ('fault' in compiled) return [makeInvalid(own, showInternalRule(rule), compiled.fault)];
  const cost = multiplyCosts(compiled.cost, scope.maxCardinality ?? maxOccurrences);
  noteCost(scope, own.toString(), cost);
  if (scope.known.isUnchanged || cost <= maxRuleCost) return [];
  return [makeForbidden(own, describeExcess('estimated rule cost', cost, maxRuleCost))];
}

function validateMessage(
  rule: ValidationRule,
  { message }: CompiledRule,
  path: FieldPath,
  scope: RuleScope,
): FieldError[] {
  const own = path.child('messageExpression');
  if (message === undefined) return [];
  if ('fault' in message) return [makeInvalid(own, showInternalRule(rule), message.fault)];
  noteCost(scope, own.toString(), message.cost);
  if (scope.known.isUnchanged || message.cost <= maxRuleCost) return [];
  return [makeForbidden(own, describeExcess('estimated messageExpression cost', message.cost, maxRuleCost))];
}
