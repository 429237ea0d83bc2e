import type { CelEnvironment } from '../../../core/cel/check/cel-environment.ts';
import { readsVariable } from '../../../core/cel/check/checked-expression.ts';
import { checkSource } from '../../../core/cel/check-source.ts';
import { compileChecked } from '../../../core/cel/compile-expression.ts';
import { estimateCost } from '../../../core/cel/cost/estimate-cost.ts';
import { countMaxOccurrences, measureSchema, type SchemaSize } from '../../../core/cel/cost/measure-schema.ts';
import { makeSizeOfPath } from '../../../core/cel/cost/size-of-path.ts';
import { buildKubernetesEnvironment, type ExpressionMode } from '../../../core/cel/kubernetes-environment.ts';
import { makeOptionalType } from '../../../core/cel/types/cel-type.ts';
import { completeResource, declareShape, type DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import { shapeOfOpenApi } from '../../../core/cel/types/shape-of-open-api.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { JsonSchemaProps, ValidationRule } from './custom-resource-definition.ts';
import type { KnownRules } from './rule-scope.ts';

/** What an expression costs in the worst case, or why it is none. */
type CompiledText = { readonly cost: bigint; readonly usesOldSelf: boolean } | { readonly fault: string };

/** What became of a rule. */
export interface CompiledRule {
  /** Absent: the rule is empty. */
  readonly rule?: CompiledText;
  /** Absent: there is none, or the rule has a fault. */
  readonly message?: CompiledText;
}

/** What the rules of a schema are compiled with. */
export interface RuleCompiler {
  /** How often a value of the schema may occur in one object at most, where nothing around it says. */
  readonly maxOccurrences: bigint;
  compile(rule: ValidationRule): CompiledRule;
}

const typeName = 'selfType';

/** Compiles the rules of one schema; `undefined`: expressions cannot see its values. */
export function makeRuleCompiler(
  schema: JsonSchemaProps,
  isRoot: boolean,
  known: KnownRules,
): RuleCompiler | undefined {
  const json = schema as unknown as JsonObject;
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const shape = shapeOfOpenApi(json, () => undefined);
  const size = measureSchema(json, isResource);
  if (shape === undefined || size === undefined) return undefined;
  const declared = declareShape(isResource ? completeResource(shape) : shape, typeName);
  return new SchemaRuleCompiler(declared, size, known);
}

class SchemaRuleCompiler implements RuleCompiler {
  readonly maxOccurrences: bigint;
  readonly #self: DeclaredType;
  readonly #size: SchemaSize;
  readonly #known: KnownRules;
  readonly #environments = new Map<string, CelEnvironment>();

  constructor(self: DeclaredType, size: SchemaSize, known: KnownRules) {
    this.#self = self;
    this.#size = size;
    this.#known = known;
    this.maxOccurrences = BigInt(countMaxOccurrences(size));
  }

  compile({ rule, messageExpression = '', optionalOldSelf = false }: ValidationRule): CompiledRule {
    if (rule.trim() === '') return {};
    const ruleMode = this.#known.rules.has(rule) ? 'stored' : 'new';
    const compiled = this.#compileText(rule, ruleMode, optionalOldSelf, 'bool');
    if ('fault' in compiled || messageExpression === '') return { rule: compiled };
    const messageMode = this.#known.messageExpressions.has(messageExpression) ? 'stored' : 'new';
    const message = this.#compileText(messageExpression, messageMode, optionalOldSelf, 'string');
    return { rule: compiled, message };
  }

  #compileText(source: string, mode: ExpressionMode, isOptional: boolean, type: 'bool' | 'string'): CompiledText {
    const isRule = type === 'bool';
    const result = checkSource(source, this.#findEnvironment(mode, isOptional));
    if (result.checked === undefined) {
      return { fault: `${isRule ? '' : 'messageExpression '}compilation failed: ${result.text}` };
    }
    const { checked } = result;
    if (checked.type.kind !== type) {
      return {
        fault: isRule ? 'cel expression must evaluate to a bool' : 'messageExpression must evaluate to a string',
      };
    }
    const compiled = compileChecked(checked);
    if (compiled.program === undefined) {
      return { fault: `${isRule ? 'program' : 'messageExpression'} instantiation failed: ${compiled.text}` };
    }
    const cost = estimateCost(checked, makeSizeOfPath(this.#size)).max;
    return { cost, usesOldSelf: readsVariable(checked, 'oldSelf') };
  }

  #findEnvironment(mode: ExpressionMode, isOptional: boolean): CelEnvironment {
    const key = `${mode} ${isOptional}`;
    const known = this.#environments.get(key);
    if (known !== undefined) return known;
    const { type, objects } = this.#self;
    const variables = { self: type, oldSelf: isOptional ? makeOptionalType(type) : type };
    const environment = buildKubernetesEnvironment({ mode, variables, objects });
    this.#environments.set(key, environment);
    return environment;
  }
}
