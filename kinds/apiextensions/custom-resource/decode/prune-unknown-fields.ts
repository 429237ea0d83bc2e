import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import { asResource, itemsOf, propertyOf, typeAndMetadata, valuesOf } from '../schema-parts.ts';
import type { UnknownPaths } from './unknown-paths.ts';

/** Drops the fields of a resource that its schema does not declare, in place; apiVersion, kind and metadata stay. */
export function pruneResource(object: JsonObject, schema: JsonSchemaProps, unknown?: UnknownPaths): void {
  pruneUnknownFields(object, asResource(schema), unknown);
}

/** Drops the fields of a value that its schema does not declare, in place, and adds their paths, such as `spec.list[0].x`. */
export function pruneUnknownFields(value: JsonValue, schema: JsonSchemaProps, unknown?: UnknownPaths): void {
  new Pruner(unknown).prune(value, schema);
}

class Pruner {
  readonly #unknown: UnknownPaths | undefined;
  readonly #path: string[] = [];

  constructor(unknown: UnknownPaths | undefined) {
    this.#unknown = unknown;
  }

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
        this.#report(key);
        delete object[key];
      }
    }
  }

  #report(key: string): void {
    if (this.#unknown === undefined || this.#unknown.isFull) return;
    this.#unknown.add(`${this.#path.join('')}${this.#path.length === 0 ? '' : '.'}${key}`);
  }
}
