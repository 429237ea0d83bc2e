import type { SchemaAlternatives, StructuralSchema } from '../../core/schema/structural-schema.ts';
import { generatedDefinitions } from './schemas.generated.ts';

type GeneratedNode = Omit<StructuralSchema, 'properties' | 'values' | 'items' | 'alternatives'> & {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, GeneratedNode>>;
  readonly values?: GeneratedNode;
  readonly items?: GeneratedNode;
  readonly alternatives?: Omit<SchemaAlternatives, 'object' | 'array'> & {
    readonly object?: GeneratedNode;
    readonly array?: GeneratedNode;
  };
};

const definitions = new Map<string, StructuralSchema>();

function defineLazily(target: object, name: string, make: () => unknown): void {
  Object.defineProperty(target, name, {
    enumerable: true,
    configurable: true,
    get() {
      const value = make();
      Object.defineProperty(target, name, { value, enumerable: true, configurable: true });
      return value;
    },
  });
}

function resolveProperties(nodes: Readonly<Record<string, GeneratedNode>>): Record<string, StructuralSchema> {
  const properties: Record<string, StructuralSchema> = {};
  for (const [name, node] of Object.entries(nodes)) defineLazily(properties, name, () => resolveNode(node));
  return properties;
}

function resolveNode(node: GeneratedNode): StructuralSchema {
  const { $ref: reference, properties, values, items, alternatives, ...rest } = node;
  if (reference !== undefined) {
    const definition = resolveDefinition(reference);
    if (Object.keys(rest).length === 0) return definition;
    // The use of a definition adds its own facts; what is below stays shared, and unresolved until somebody looks.
    const facts: Partial<StructuralSchema> = Object.fromEntries(ownFacts(definition));
    const used: StructuralSchema = { ...facts, ...rest };
    if (definition.type === 'object' && 'properties' in definition)
      defineLazily(used, 'properties', () => definition.properties);
    if ('alternatives' in definition) defineLazily(used, 'alternatives', () => definition.alternatives);
    return used;
  }
  const resolved: object = { ...rest };
  if (properties) defineLazily(resolved, 'properties', () => resolveProperties(properties));
  if (values) defineLazily(resolved, 'values', () => resolveNode(values));
  if (items) defineLazily(resolved, 'items', () => resolveNode(items));
  if (alternatives) defineLazily(resolved, 'alternatives', () => resolveAlternatives(alternatives));
  return resolved as StructuralSchema;
}

function resolveAlternatives(node: NonNullable<GeneratedNode['alternatives']>): SchemaAlternatives {
  const { object, array, ...rest } = node;
  return {
    ...rest,
    ...(object ? { object: resolveNode(object) } : {}),
    ...(array ? { array: resolveNode(array) } : {}),
  };
}

function ownFacts(schema: StructuralSchema): [string, unknown][] {
  return Object.entries(Object.getOwnPropertyDescriptors(schema))
    .filter(([name]) => name !== 'properties' && name !== 'alternatives')
    .map(([name, descriptor]) => [name, descriptor.value]);
}

/**
 * The structure of a type of Kubernetes' API by the name of its definition, such as `io.k8s.api.core.v1.PodSpec`. Parts are resolved
 * when they are first read, and shared. Throws when the generated file has no such definition.
 */
export function resolveDefinition(name: string): StructuralSchema {
  const known = definitions.get(name);
  if (known) return known;
  const text = Object.hasOwn(generatedDefinitions, name) ? generatedDefinitions[name] : undefined;
  if (text === undefined) throw new Error(`there is no generated definition ${name}`);
  const node = JSON.parse(text) as GeneratedNode;
  const schema = resolveNode({ ...node, definition: name });
  definitions.set(name, schema);
  return schema;
}

/** The structure of a pod's Binding. */
export const bindingSchema = resolveDefinition('io.k8s.api.core.v1.Binding');

/** The structure of a pod's Eviction. */
export const evictionSchema = resolveDefinition('io.k8s.api.policy.v1.Eviction');

/** The structure of a service account's TokenRequest. */
export const tokenRequestSchema = resolveDefinition('io.k8s.api.authentication.v1.TokenRequest');
