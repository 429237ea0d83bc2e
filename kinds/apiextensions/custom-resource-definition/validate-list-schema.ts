import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import type { JsonSchemaProps } from './custom-resource-definition.ts';
import { showInternalItems } from './show-internal.ts';
import { singleItems } from './validate-structural.ts';

const listTypeKey = 'x-kubernetes-list-type';
const mapKeysKey = 'x-kubernetes-list-map-keys';
const listTypes = ['atomic', 'set', 'map'];

/** The fault of a schema that has `key` and is not of the type which that needs. */
export function requireType(schema: JsonSchemaProps, type: string, key: string, path: FieldPath): FieldError[] {
  if (schema.type === type) return [];
  const detail = `must be ${type} if ${key} is specified`;
  const own = path.child('type');
  return [(schema.type ?? '') === '' ? makeRequired(own, detail) : makeInvalid(own, schema.type, detail)];
}

/** The items of a set are compared whole, so they must be atomic. */
function validateSetItems(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const items = singleItems(schema);
  if (schema[listTypeKey] !== 'set' || items === undefined) return [];
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const shown = items[listTypeKey] ?? null;
  const own = path.child('items');
  if (items.type === 'array' && shown !== null && shown !== 'atomic') {
    return [makeInvalid(own.child(listTypeKey), shown, detail)];
  }
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    // Kubernetes shows the type of the list here too.
    return [makeInvalid(own.child('x-kubernetes-map-type'), shown, detail)];
  }
  return [];
}

function validateKeysOfMap(schema: JsonSchemaProps, items: JsonSchemaProps, path: FieldPath): FieldError[] {
  const keys = schema[mapKeysKey] ?? [];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const key of keys) {
    const properties = items.properties ?? {};
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) {
      errors.push(makeInvalid(path.child(mapKeysKey), keys, 'entries must all be names of item properties'));
    } else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      // Kubernetes shows the type of the item here.
      errors.push(makeInvalid(path.child('items', 'properties').key(key).child('type'), items.type, detail));
    }
    if (seen.has(key)) {
      errors.push(makeInvalid(path.child(mapKeysKey), keys, 'must not contain duplicate entries'));
    }
    seen.add(key);
  }
  return errors;
}

function validateMapList(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  if (schema[listTypeKey] !== 'map') return [];
  const errors: FieldError[] = [];
  if ((schema[mapKeysKey] ?? []).length === 0) {
    errors.push(makeRequired(path.child(mapKeysKey), `must not be empty if ${listTypeKey} is map`));
  }
  const own = path.child('items');
  if (schema.items === undefined) {
    errors.push(makeRequired(own, `must have a schema if ${listTypeKey} is map`));
    return errors;
  }
  const items = singleItems(schema);
  if (items === undefined) {
    const detail = `must only have a single schema if ${listTypeKey} is map`;
    errors.push(makeInvalid(own, showInternalItems(schema.items), detail));
  } else if (items.type !== 'object') {
    const detail = `must be object if parent array's ${listTypeKey} is map`;
    errors.push(makeInvalid(own.child('type'), items.type ?? '', detail));
  } else {
    return [...errors, ...validateKeysOfMap(schema, items, path)];
  }
  return errors;
}

/** Faults of what is said of the items of a list. */
export function validateListSchema(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const listType = schema[listTypeKey];
  if (listType !== undefined) {
    const wrongType = requireType(schema, 'array', listTypeKey, path);
    errors.push(...(wrongType.length > 0 ? wrongType : validateSetItems(schema, path)));
    if (!listTypes.includes(listType)) {
      errors.push(makeNotSupported(path.child(listTypeKey), listType, listTypes));
    }
  }
  if ((schema[mapKeysKey] ?? []).length > 0 && listType !== 'map') {
    const detail = `must be map if ${mapKeysKey} is non-empty`;
    const own = path.child(listTypeKey);
    errors.push(listType === undefined ? makeRequired(own, detail) : makeInvalid(own, listType, detail));
  }
  return [...errors, ...validateMapList(schema, path)];
}

/** The items of sets and maps may not be null, and the keys of a map's items must always be there. */
export function validateMapKeys(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const items = singleItems(schema);
  const listType = schema[listTypeKey];
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const errors: FieldError[] = [];
  const own = path.child('items');
  if (items.nullable === true) {
    errors.push(makeForbidden(own.child('nullable'), `cannot be nullable when ${listTypeKey} is ${listType}`));
  }
  if (listType === 'set') return errors;
  const properties = items.properties ?? {};
  const required = new Set(items.required);
  for (const key of schema[mapKeysKey] ?? []) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) continue;
    const at = own.child('properties').key(key);
    const because = `this property is in ${mapKeysKey}, so it`;
    if (!required.has(key) && property.default === undefined) {
      errors.push(makeRequired(at.child('default'), `${because} must have a default or be a required property`));
    }
    if (property.nullable === true) errors.push(makeForbidden(at.child('nullable'), `${because} cannot be nullable`));
  }
  return errors;
}
