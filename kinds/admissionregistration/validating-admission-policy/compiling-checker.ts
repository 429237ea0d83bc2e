import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInternal, makeInvalid } from '../../../core/errors/make-field-error.ts';
import { compilePolicyExpression, type ExpressionSort, VariableCompiler } from '../policy/compile-policy.ts';
import { buildPolicyEnvironment } from '../policy/policy-environment.ts';
import type { CompiledExpression } from '../policy/compiled-expression.ts';
import type { ExpressionChecker } from './expression-checker.ts';
import type { ValidatingAdmissionPolicySpec } from './schema.ts';

/** Expressions of a policy as it was: they may use what new ones may not yet. */
function listExpressions({
  matchConditions = [],
  variables = [],
  validations = [],
  auditAnnotations = [],
}: ValidatingAdmissionPolicySpec) {
  return new Set([
    ...[...matchConditions, ...variables, ...validations].map(({ expression }) => expression),
    ...validations.flatMap(({ messageExpression = '' }) => (messageExpression === '' ? [] : [messageExpression])),
    ...auditAnnotations.map(({ valueExpression }) => valueExpression),
  ]);
}

/** Whoever is refused is not told more than this, in characters; what comes after it is not even looked for. */
const maxFaultText = 1 << 20;

/** Compiles every expression of a policy as new, but for those that `old` has already. */
export class CompilingChecker implements ExpressionChecker {
  readonly #hasParams: boolean;
  readonly #stored: ReadonlySet<string>;
  readonly #variables: VariableCompiler | undefined;
  #faultText = 0;

  constructor(spec: ValidatingAdmissionPolicySpec, old?: ValidatingAdmissionPolicySpec) {
    this.#hasParams = spec.paramKind !== undefined;
    this.#stored = old === undefined ? new Set() : listExpressions(old);
    const hasVariables = (spec.variables ?? []).length > 0;
    this.#variables = hasVariables ? new VariableCompiler({ mode: 'new', hasParams: this.#hasParams }) : undefined;
  }

  checkCondition(expression: string, path: FieldPath): FieldError[] {
    const trimmed = expression.trim();
    if (this.#isFull()) return [];
    const mode = this.#modeOf(expression);
    const environment = buildPolicyEnvironment({ mode, hasParams: this.#hasParams, hasAuthorizer: true });
    return this.#describe(path, trimmed, compilePolicyExpression(trimmed, 'condition', environment));
  }

  checkVariable(name: string, expression: string, path: FieldPath): FieldError[] {
    if (this.#isFull()) return [];
    return this.#describe(path, expression, this.#variables?.add(name, expression, this.#modeOf(expression)));
  }

  checkValidation(expression: string, path: FieldPath): FieldError[] {
    return this.#describe(path, expression, this.#compile(expression, 'condition'));
  }

  checkMessage(expression: string, path: FieldPath): FieldError[] {
    return this.#describe(path, expression, this.#compile(expression, 'message'));
  }

  checkAnnotation(expression: string, path: FieldPath): FieldError[] {
    return this.#describe(path, expression, this.#compile(expression.trim(), 'annotation'));
  }

  #modeOf(expression: string): 'new' | 'stored' {
    return this.#stored.has(expression) ? 'stored' : 'new';
  }

  #isFull(): boolean {
    return this.#faultText > maxFaultText;
  }

  #compile(expression: string, sort: ExpressionSort): CompiledExpression | undefined {
    if (this.#isFull()) return undefined;
    const mode = this.#modeOf(expression);
    const hasAuthorizer = sort !== 'message';
    const environment =
      this.#variables?.environment(hasAuthorizer, mode) ??
      buildPolicyEnvironment({ mode, hasParams: this.#hasParams, hasAuthorizer });
    return compilePolicyExpression(expression, sort, environment);
  }

  #describe(path: FieldPath, expression: string, compiled: CompiledExpression | undefined): FieldError[] {
    if (compiled?.fault === undefined) return [];
    const { fault, isInternal } = compiled;
    this.#faultText += fault.length;
    return [isInternal === true ? makeInternal(path, fault) : makeInvalid(path, expression, fault)];
  }
}
