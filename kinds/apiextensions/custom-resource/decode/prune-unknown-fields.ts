import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import { asResource, itemsOf, propertyOf, typeAndMetadata, valuesOf } from '../schema-parts.ts';

/**
 * Drops the fields of a resource that its schema does not declare, in place; apiVersion, kind and metadata stay. Answers their paths,
 * such as `spec.list[0].x`, in order.
 */
export function pruneResource(object: JsonObject, schema: JsonSchemaProps): string[] {
  return pruneUnknownFields(object, asResource(schema));
}

/** Drops the fields of a value that its schema does not declare, in place. Answers their paths in order. */
export function pruneUnknownFields(value: JsonValue, schema: JsonSchemaProps): string[] {
  const pruner = new Pruner();
  pruner.prune(value, schema);
  return pruner.unknown.toSorted();
}

class Pruner {
  readonly unknown: string[] = [];
  readonly #path: string[] = [];

  prune(value: JsonValue | undefined, schema: JsonSchemaProps | undefined): void {
    const isOpen = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
    if (Array.isArray(value)) this.#pruneItems(value, schema, isOpen);
    else if (isJsonObject(value)) this.#pruneMembers(value, schema, isOpen);
  }

  #pruneItems(items: JsonValue[], schema: JsonSchemaProps | undefined, isOpen: boolean): void {
    let below = itemsOf(schema);
    if (isOpen && below === undefined) return;
    // What is in an open list is open as well.
    if (isOpen) below = { ...below, 'x-kubernetes-preserve-unknown-fields': true };
    for (const [index, item] of items.entries()) {
      this.#path.push(`[${index}]`);
      this.prune(item, below);
      this.#path.pop();
    }
  }

  #pruneMembers(object: JsonObject, schema: JsonSchemaProps | undefined, isOpen: boolean): void {
    const isResource = schema?.['x-kubernetes-embedded-resource'] === true;
    for (const key of Object.keys(object)) {
      if (isResource && typeAndMetadata.has(key)) continue;
      const property = propertyOf(schema, key);
      if (property !== undefined || schema?.additionalProperties !== undefined) {
        this.#path.push(this.#path.length === 0 ? key : `.${key}`);
        this.prune(object[key], property ?? valuesOf(schema));
        this.#path.pop();
      } else if (!isOpen) {
        this.unknown.push(`${this.#path.join('')}${this.#path.length === 0 ? '' : '.'}${key}`);
        delete object[key];
      }
    }
  }
}
