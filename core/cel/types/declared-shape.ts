import type { CelField, CelObjectType } from '../check/cel-environment.ts';
import { makeListType, makeMapType, makeObjectType, stringType, type CelType } from './cel-type.ts';
import { escapeFieldName } from './escape-field-name.ts';

/** What a schema is to expressions; `undefined` in its place is a schema that they cannot see. */
export type DeclaredShape =
  | { readonly kind: 'scalar'; readonly type: CelType }
  | { readonly kind: 'list'; readonly items: DeclaredShape }
  | { readonly kind: 'map'; readonly values: DeclaredShape }
  /** By the names of properties. */
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, DeclaredShape> };

/** A type and the types with fields that it is made of, as an environment wants them. */
export interface DeclaredType {
  readonly type: CelType;
  readonly objects: readonly CelObjectType[];
}

const stringShape: DeclaredShape = { kind: 'scalar', type: stringType };

/** Declares a shape; types with fields are named after where they are in `name`, such as `Pod.spec.containers.@idx`. */
export function declareShape(shape: DeclaredShape, name: string): DeclaredType {
  const objects: CelObjectType[] = [];
  return { type: declare(shape, name, objects), objects };
}

/** The shape of a whole resource: what every resource has is there, whatever its schema says. */
export function completeResource(shape: DeclaredShape): DeclaredShape {
  if (shape.kind !== 'object' || hasTypeAndMeta(shape.fields)) return shape;
  const metadata: DeclaredShape = {
    kind: 'object',
    fields: new Map([
      ['name', stringShape],
      ['generateName', stringShape],
    ]),
  };
  const added = [
    ['kind', stringShape],
    ['apiVersion', stringShape],
    ['metadata', metadata],
  ] as const;
  return { kind: 'object', fields: new Map([...shape.fields, ...added]) };
}

function hasTypeAndMeta(fields: ReadonlyMap<string, DeclaredShape>): boolean {
  const metadata = fields.get('metadata');
  if (!isString(fields.get('kind')) || !isString(fields.get('apiVersion')) || metadata?.kind !== 'object') return false;
  return isString(metadata.fields.get('name')) && isString(metadata.fields.get('generateName'));
}

function isString(shape: DeclaredShape | undefined): boolean {
  return shape?.kind === 'scalar' && shape.type.kind === 'string';
}

function declare(shape: DeclaredShape, name: string, objects: CelObjectType[]): CelType {
  switch (shape.kind) {
    case 'scalar':
      return shape.type;
    case 'list':
      return makeListType(declare(shape.items, `${name}.@idx`, objects));
    case 'map':
      return makeMapType(stringType, declare(shape.values, `${name}.@elem`, objects));
    default:
      return declareObject(shape.fields, name, objects);
  }
}

function declareObject(
  properties: ReadonlyMap<string, DeclaredShape>,
  name: string,
  objects: CelObjectType[],
): CelType {
  const fields = new Map<string, CelField>();
  for (const [property, shape] of properties) {
    const escaped = escapeFieldName(property);
    if (escaped !== undefined) fields.set(escaped, { type: declare(shape, `${name}.${escaped}`, objects), property });
  }
  objects.push({ name, fields });
  return makeObjectType(name);
}
