import { completeResource, type DeclaredShape } from '../../../../core/cel/types/declared-shape.ts';
import { shapeOfOpenApi } from '../../../../core/cel/types/shape-of-open-api.ts';
import type { JsonObject } from '../../../../core/meta/json.ts';
import type { StructuralSchema } from '../../../../core/schema/structural-schema.ts';
import { measureExpression } from '../../../admissionregistration/policy/measure-source.ts';
import type { JsonSchemaProps, ValidationRule } from '../../custom-resource-definition/custom-resource-definition.ts';
import { itemsOf, valuesOf } from '../schema-parts.ts';
import { hasRules } from '../schema-traits.ts';
import { toDeclaredStructure } from '../to-structural-schema.ts';
import { compileRules, type CompiledRule } from './compile-rule.ts';

/** The rules of a schema and of those inside it. */
export interface RuleNode {
  /** Gives the type of the values, and tells which items of a list are the same. */
  readonly schema: JsonSchemaProps;
  /** How expressions see the values. */
  readonly structure: StructuralSchema;
  /** What compiling the rules of the values themselves takes, about, in characters of rules. */
  readonly compileWork: number;
  /** Whether they are compiled already; reading them compiles them. */
  readonly isCompiled: boolean;
  readonly rules: readonly CompiledRule[];
  readonly items?: RuleNode;
  readonly values?: RuleNode;
  readonly properties: ReadonlyMap<string, RuleNode>;
}

/** The rules of a schema; `undefined` when there are none. `isResource`: the schema is that of a whole resource. */
export function buildRules(schema: JsonSchemaProps, isResource: boolean): RuleNode | undefined {
  if (!hasRules(schema)) return undefined;
  const shape = shapeOfOpenApi(schema as JsonSchemaProps & JsonObject, () => undefined);
  if (shape === undefined) return undefined;
  const seen = isResource ? completeResource(shape) : shape;
  return buildNode({ schema, structure: toDeclaredStructure(schema, isResource), shape: seen });
}

/** What is known of the values that rules are about. */
interface Subject {
  readonly schema: JsonSchemaProps;
  readonly structure: StructuralSchema;
  readonly shape: DeclaredShape;
}

function buildNode(subject: Subject): RuleNode | undefined {
  const { schema, structure, shape } = subject;
  const own = schema['x-kubernetes-validations'] ?? [];
  const [itemSchema, valueSchema] = [itemsOf(schema), valuesOf(schema)];
  const items =
    itemSchema !== undefined && hasRules(itemSchema) && shape.kind === 'list'
      ? buildChild(itemSchema, structure.items, shape.items)
      : undefined;
  const values =
    valueSchema !== undefined && hasRules(valueSchema) && shape.kind === 'map'
      ? buildChild(valueSchema, structure.values, shape.values)
      : undefined;
  const properties = buildProperties(subject);
  if (own.length + properties.size === 0 && items === undefined && values === undefined) return undefined;
  let compiled: readonly CompiledRule[] | undefined;
  let work: number | undefined;
  return {
    schema,
    structure,
    get compileWork() {
      work ??= own.reduce((sum, rule) => sum + measureRule(rule), 0);
      return work;
    },
    get isCompiled() {
      return compiled !== undefined;
    },
    get rules() {
      compiled ??= own.length === 0 ? [] : compileRules(own, schema, shape);
      return compiled;
    },
    ...(items === undefined ? {} : { items }),
    ...(values === undefined ? {} : { values }),
    properties,
  };
}

/** Time for the types that a rule sees, in characters that take as long. */
const ruleWork = 200;

function measureRule({ rule, messageExpression = '' }: ValidationRule): number {
  return ruleWork + measureExpression(rule) + measureExpression(messageExpression);
}

function buildProperties({ schema, structure, shape }: Subject): Map<string, RuleNode> {
  const properties = new Map<string, RuleNode>();
  if (shape.kind !== 'object') return properties;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!hasRules(property)) continue;
    const child = buildChild(property, structure.properties?.[name], shape.fields.get(name));
    if (child !== undefined) properties.set(name, child);
  }
  return properties;
}

/** What expressions cannot see has no rules. */
function buildChild(
  schema: JsonSchemaProps,
  structure: StructuralSchema | undefined,
  shape: DeclaredShape | undefined,
): RuleNode | undefined {
  if (structure === undefined || shape === undefined) return undefined;
  return buildNode({ schema, structure, shape });
}
