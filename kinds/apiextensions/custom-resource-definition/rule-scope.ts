import { addCosts, multiplyCosts } from '../../../core/cel/cost/cost-range.ts';
import { completeProperties } from '../../../core/cel/cost/measure-schema.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import { typeAndMetadata } from '../custom-resource/schema-parts.ts';
import type { JsonSchemaProps } from './custom-resource-definition.ts';
import { singleItems } from './validate-structural.ts';

/** What was in force before a definition is changed; nothing of it when the definition is new. */
export interface KnownRules {
  /** Rules and message expressions that are compiled as those in force are. */
  readonly rules: ReadonlySet<string>;
  readonly messageExpressions: ReadonlySet<string>;
  /** Whether the schema is as it was, so that no rule in it has become too expensive. */
  readonly isUnchanged: boolean;
}

/** What the rules of all schemas of a definition cost in the worst case. */
export interface RuleCosts {
  total: bigint;
  /** The most expensive, most expensive first, by the texts of their paths. */
  mostExpensive: readonly { readonly path: string; readonly cost: bigint }[];
}

/** What is known of a schema to judge its rules. */
export interface RuleScope {
  readonly schema: JsonSchemaProps;
  /** The schema as expressions see it: it differs where a resource has fields that its schema does not declare. */
  readonly typed: JsonSchemaProps;
  /** Whether the schema is that of the defined kind itself. */
  readonly isRoot: boolean;
  /** Whether rules are looked at in the schema or around it: the type of its values is then a part of a known one. */
  readonly isWithinRules: boolean;
  /** Whether the values are items of what is no list, of which nobody knows the type. */
  readonly isTypeless: boolean;
  /** How many values of it there may be in one object at most; `undefined`: nothing around it says. */
  readonly maxCardinality: bigint | undefined;
  readonly known: KnownRules;
  readonly costs: RuleCosts;
}

/** Cost of all rules of a schema that is too much. */
export const maxTotalCost = 100_000_000n;
const maxNamed = 4;

/** The scope of the schema of a kind. */
export function makeRootScope(schema: JsonSchemaProps, known: KnownRules): RuleScope {
  const costs = { total: 0n, mostExpensive: [] };
  return {
    ...{ schema, typed: schema, isRoot: true, isTypeless: false, maxCardinality: 1n, known, costs },
    isWithinRules: hasRules(schema),
  };
}

function hasRules(schema: JsonSchemaProps): boolean {
  return (schema['x-kubernetes-validations'] ?? []).length > 0;
}

/** How many values may be in one of the schema; `undefined`: it does not say. */
function countElements(schema: JsonSchemaProps): bigint | undefined {
  const { type, maxItems, maxProperties } = schema;
  const max = type === 'array' ? maxItems : maxProperties;
  if (type !== 'array' && (type !== 'object' || schema.additionalProperties === undefined)) return 1n;
  return max === undefined ? undefined : max < 0 ? 0n : BigInt(max);
}

function enterSchema(scope: RuleScope, child: JsonSchemaProps, typed: JsonSchemaProps | undefined): RuleScope {
  const count = countElements(scope.schema);
  const isKnown = scope.maxCardinality !== undefined && count !== undefined;
  return {
    ...scope,
    schema: child,
    typed: scope.isWithinRules ? (typed ?? child) : child,
    isRoot: false,
    isTypeless: false,
    isWithinRules: scope.isWithinRules || hasRules(child),
    maxCardinality: isKnown ? multiplyCosts(scope.maxCardinality, count) : undefined,
  };
}

/** The scope of the schema of a property. */
export function propertyScope(scope: RuleScope, key: string, property: JsonSchemaProps): RuleScope {
  const { typed, isRoot } = scope;
  const isResource = isRoot || typed['x-kubernetes-embedded-resource'] === true;
  const declared = (typed.properties ?? {}) as JsonObject;
  const properties = isResource && typeAndMetadata.has(key) ? completeProperties(declared) : declared;
  const seen = Object.hasOwn(properties, key) ? (properties[key] as JsonSchemaProps) : undefined;
  return enterSchema(scope, property, seen);
}

/** The scope of the schema of values. */
export function valueScope(scope: RuleScope, values: JsonSchemaProps): RuleScope {
  const { additionalProperties } = scope.typed;
  return enterSchema(scope, values, typeof additionalProperties === 'object' ? additionalProperties : undefined);
}

/** The scope of the schema of items. */
export function itemScope(scope: RuleScope, items: JsonSchemaProps): RuleScope {
  const isTypeless = scope.isWithinRules && scope.typed.type !== 'array';
  return { ...enterSchema(scope, items, singleItems(scope.typed)), isTypeless };
}

/** Adds the cost of an expression to that of all of them. */
export function noteCost({ costs }: RuleScope, path: string, cost: bigint): void {
  costs.total = addCosts(costs.total, cost);
  if (cost < maxTotalCost / 100n) return;
  const sorted = [...costs.mostExpensive, { path, cost }].sort((a, b) =>
    a.cost < b.cost ? 1 : a.cost > b.cost ? -1 : 0,
  );
  costs.mostExpensive = sorted.slice(0, maxNamed);
}
