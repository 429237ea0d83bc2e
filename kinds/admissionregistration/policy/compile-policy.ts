import type { CelEnvironment } from '../../../core/cel/check/cel-environment.ts';
import { checkSource } from '../../../core/cel/check-source.ts';
import { compileChecked } from '../../../core/cel/compile-expression.ts';
import {
  boolType,
  type CelType,
  dynType,
  makeListType,
  makeMapType,
  nullType,
  stringType,
} from '../../../core/cel/types/cel-type.ts';
import { isSameType } from '../../../core/cel/types/compare-cel-types.ts';
import { formatCelType, formatOutputType } from '../../../core/cel/types/format-cel-type.ts';
import type {
  AuditAnnotation,
  MatchCondition,
  PolicyValidation,
  ValidatingAdmissionPolicySpec,
} from '../validating-admission-policy/schema.ts';
import type { CompiledExpression } from './compiled-expression.ts';
import type { ExpressionPool } from './expression-pool.ts';
import { buildPolicyEnvironment, DeclaredVariables, type PolicyEnvironmentOptions } from './policy-environment.ts';

/** What an expression may yield. */
export type ExpressionSort = 'condition' | 'message' | 'annotation' | 'variable';

/** A policy's expressions, ready to be evaluated; shared by evaluations. */
export interface CompiledPolicy {
  readonly matchConditions: readonly { readonly condition: MatchCondition; readonly compiled: CompiledExpression }[];
  readonly variables: ReadonlyMap<string, CompiledExpression>;
  readonly validations: readonly {
    readonly validation: PolicyValidation;
    readonly compiled: CompiledExpression;
    /** Absent: the validation has no messageExpression. */
    readonly message?: CompiledExpression;
  }[];
  readonly annotations: readonly { readonly annotation: AuditAnnotation; readonly compiled: CompiledExpression }[];
}

const resultTypes: Readonly<Record<ExpressionSort, readonly CelType[]>> = {
  condition: [boolType],
  message: [stringType],
  annotation: [stringType, nullType],
  variable: [],
};

function describeWrongType(sort: ExpressionSort, type: CelType): string | undefined {
  const allowed = resultTypes[sort];
  if (allowed.length === 0 || allowed.some((one) => isSameType(one, type))) return undefined;
  const [first] = allowed;
  const wanted =
    allowed.length === 1 && first !== undefined
      ? formatOutputType(first)
      : `one of [${allowed.map(formatOutputType).join(' ')}]`;
  return `must evaluate to ${wanted} but got ${formatOutputType(type)}`;
}

/** Compiles one expression of a policy, and checks what it yields. */
export function compilePolicyExpression(
  source: string,
  sort: ExpressionSort,
  environment: CelEnvironment,
): CompiledExpression {
  const result = checkSource(source, environment);
  if (result.checked === undefined) return { source, fault: `compilation failed: ${result.text}` };
  const wrongType = describeWrongType(sort, result.checked.type);
  if (wrongType !== undefined) return { source, fault: wrongType };
  const compilation = compileChecked(result.checked);
  if (compilation.program !== undefined) return { source, program: compilation.program };
  return { source, fault: `program instantiation failed: ${compilation.text}`, isInternal: true };
}

/** What Kubernetes keeps of a variable's type: scalars, and lists and maps of them. */
export function loosenType(type: CelType): CelType {
  switch (type.kind) {
    case 'list':
      return makeListType(loosenType(type.items));
    case 'map':
      return makeMapType(loosenType(type.keys), loosenType(type.values));
    case 'type':
    case 'parameter':
    case 'wrapper':
    case 'opaque':
    case 'object':
    case 'error':
      return dynType;
    default:
      return type;
  }
}

/** Compiles composed variables in their order: each may use those before it. */
export class VariableCompiler {
  readonly compiled = new Map<string, CompiledExpression>();
  readonly #options: Omit<PolicyEnvironmentOptions, 'variables' | 'hasAuthorizer'>;
  readonly #variables = new DeclaredVariables();
  readonly #environments = new Map<string, CelEnvironment>();
  #signature = '';

  constructor(options: Omit<PolicyEnvironmentOptions, 'variables' | 'hasAuthorizer'>) {
    this.#options = options;
  }

  /** Names and types of the variables so far; compilers with the same ones have environments in which an expression means the same. */
  get signature(): string {
    return this.#signature;
  }

  /** The environment of what may use the variables; those that are compiled later are in it then. */
  environment(hasAuthorizer: boolean, mode = this.#options.mode): CelEnvironment {
    const key = `${mode} ${hasAuthorizer}`;
    let environment = this.#environments.get(key);
    if (environment === undefined) {
      const variables = this.#variables;
      environment = buildPolicyEnvironment({ ...this.#options, mode, hasAuthorizer, variables });
      this.#environments.set(key, environment);
    }
    return environment;
  }

  /** Compiles the next variable; one that cannot be compiled is known to those after it, as of any type. */
  add(name: string, expression: string, mode = this.#options.mode): CompiledExpression {
    return this.declare(name, compilePolicyExpression(expression, 'variable', this.environment(true, mode)));
  }

  /** Adds a variable that is compiled already, in the environment as it is. */
  declare(name: string, compiled: CompiledExpression): CompiledExpression {
    const type = loosenType(compiled.program?.type ?? dynType);
    this.#variables.add(name, type);
    this.#signature += `${name} ${formatCelType(type)}\n`;
    this.compiled.set(name, compiled);
    return compiled;
  }
}

/** Compiles a policy that is in force; what it has in common with others of the pool is not compiled again. */
export function compilePolicy(spec: ValidatingAdmissionPolicySpec, pool: ExpressionPool): CompiledPolicy {
  const hasParams = spec.paramKind !== undefined;
  const variables = new VariableCompiler({ mode: 'stored', hasParams });
  const compile = (expression: string, sort: ExpressionSort): CompiledExpression =>
    pool.share(`${hasParams} ${sort}\n${variables.signature}\n${expression}`, () =>
      compilePolicyExpression(expression, sort, variables.environment(sort !== 'message')),
    );
  for (const { name, expression } of spec.variables ?? []) variables.declare(name, compile(expression, 'variable'));
  return {
    variables: variables.compiled,
    matchConditions: (spec.matchConditions ?? []).map((condition) => ({
      condition,
      compiled: compile(condition.expression, 'condition'),
    })),
    validations: (spec.validations ?? []).map((validation) => {
      const { expression, messageExpression = '' } = validation;
      const compiled = compile(expression, 'condition');
      if (messageExpression === '') return { validation, compiled };
      return { validation, compiled, message: compile(messageExpression, 'message') };
    }),
    annotations: (spec.auditAnnotations ?? []).map((annotation) => ({
      annotation,
      compiled: compile(annotation.valueExpression, 'annotation'),
    })),
  };
}
