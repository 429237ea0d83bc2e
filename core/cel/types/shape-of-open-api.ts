import { isJsonObject, type JsonObject, type JsonValue } from '../../meta/json.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  stringType,
  timestampType,
  type CelType,
} from './cel-type.ts';
import { completeResource, type DeclaredShape } from './declared-shape.ts';

/** A schema of a document by what refers to it, such as `#/components/schemas/io.k8s.api.core.v1.Pod`; `undefined`: there is none. */
export type ReferenceResolver = (reference: string) => JsonObject | undefined;

/** A reference that leads nowhere. */
export class UnresolvedReference extends Error {
  override readonly name = 'UnresolvedReference';
}

const empty: DeclaredShape = { kind: 'object', fields: new Map() };
const stringTypes: Readonly<Record<string, CelType>> = {
  byte: bytesType,
  duration: durationType,
  date: timestampType,
  'date-time': timestampType,
};

/** The shape of a schema of OpenAPI; a schema within itself is an object without fields. Throws UnresolvedReference. */
export function shapeOfOpenApi(schema: JsonObject, resolve: ReferenceResolver): DeclaredShape | undefined {
  return new OpenApiReader(resolve).read(schema);
}

class OpenApiReader {
  readonly #resolve: ReferenceResolver;
  /** References that led to what is being read. */
  readonly #within = new Set<string>();

  constructor(resolve: ReferenceResolver) {
    this.#resolve = resolve;
  }

  read(schema: JsonObject): DeclaredShape | undefined {
    const reference = findReference(schema);
    if (reference === undefined) return this.#describe(schema);
    if (this.#within.has(reference)) return empty;
    const resolved = this.#resolve(reference);
    if (resolved === undefined) throw new UnresolvedReference(`the schema '${reference}' does not exist`);
    this.#within.add(reference);
    const shape = this.#describe(resolved);
    this.#within.delete(reference);
    return shape;
  }

  #describe(schema: JsonObject): DeclaredShape | undefined {
    if (schema['format'] === 'int-or-string' || schema['x-kubernetes-int-or-string'] === true) return scalar(dynType);
    switch (findType(schema)) {
      case 'array': {
        const items = this.#readPart(schema['items']);
        return items && { kind: 'list', items };
      }
      case 'object': {
        if (!isJsonObject(schema['additionalProperties'])) return this.#describeObject(schema);
        const values = this.#readPart(schema['additionalProperties']);
        return values && { kind: 'map', values };
      }
      case 'string':
        return scalar(stringTypes[String(schema['format'])] ?? stringType);
      case 'boolean':
        return scalar(boolType);
      case 'number':
        return scalar(doubleType);
      case 'integer':
        return scalar(intType);
      default:
        return undefined;
    }
  }

  #describeObject(schema: JsonObject): DeclaredShape {
    const fields = new Map<string, DeclaredShape>();
    for (const [name, property] of Object.entries(isJsonObject(schema['properties']) ? schema['properties'] : {})) {
      const shape = this.#readPart(property);
      if (shape !== undefined) fields.set(name, shape);
    }
    return { kind: 'object', fields };
  }

  /** The shape of an item, a value or a property. */
  #readPart(schema: JsonValue | undefined): DeclaredShape | undefined {
    if (!isJsonObject(schema)) return undefined;
    const shape = this.read(schema);
    const isResource = schema['x-kubernetes-embedded-resource'] === true;
    return isResource && shape !== undefined ? completeResource(shape) : shape;
  }
}

/** A reference may be wrapped, so that something can stand beside it. */
function findReference(schema: JsonObject): string | undefined {
  if (typeof schema['$ref'] === 'string') return schema['$ref'];
  for (const part of Array.isArray(schema['allOf']) ? schema['allOf'] : []) {
    const reference = isJsonObject(part) ? findReference(part) : undefined;
    if (reference !== undefined) return reference;
  }
  return undefined;
}

function findType(schema: JsonObject): JsonValue | undefined {
  const { type } = schema;
  if (type !== undefined) return Array.isArray(type) ? type[0] : type;
  // A quantity: documents say that it may be written as a number, yet it is always a string.
  const choices = Array.isArray(schema['oneOf'])
    ? schema['oneOf'].map((choice) => isJsonObject(choice) && choice['type'])
    : [];
  return choices.length === 2 && choices.includes('string') && choices.includes('number') ? 'string' : undefined;
}

function scalar(type: CelType): DeclaredShape {
  return { kind: 'scalar', type };
}
