import { addCosts, multiplyCosts } from '../../../core/cel/cost/cost-range.ts';
import type { JsonSchemaProps } from './custom-resource-definition.ts';

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
  /** Whether the schema is that of the defined kind itself. */
  readonly isRoot: boolean;
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
  return { schema, isRoot: true, maxCardinality: 1n, known, costs: { total: 0n, mostExpensive: [] } };
}

/** How many values may be in one of the schema; `undefined`: it does not say. */
function countElements(schema: JsonSchemaProps): bigint | undefined {
  const { type, maxItems, maxProperties } = schema;
  const max = type === 'array' ? maxItems : maxProperties;
  if (type !== 'array' && (type !== 'object' || schema.additionalProperties === undefined)) return 1n;
  return max === undefined ? undefined : max < 0 ? 0n : BigInt(max);
}

/** The scope of a schema directly below that of another. */
export function childScope(scope: RuleScope, child: JsonSchemaProps): RuleScope {
  const count = countElements(scope.schema);
  const isKnown = scope.maxCardinality !== undefined && count !== undefined;
  const maxCardinality = isKnown ? multiplyCosts(scope.maxCardinality, count) : undefined;
  return { ...scope, schema: child, isRoot: false, maxCardinality };
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
