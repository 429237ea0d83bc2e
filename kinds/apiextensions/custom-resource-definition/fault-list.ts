import type { FieldError } from '../../../core/errors/field-error.ts';

/** Characters of paths and details; more than any answer holds. */
const maxTextLength = 1 << 22;

/** Faults of a schema, the first ones only when their texts are long: each may name a path as long as the schema, at every part of it. */
export class FaultList {
  readonly errors: FieldError[] = [];
  #textLength = 0;

  add(error: FieldError): void {
    if (this.#textLength > maxTextLength) return;
    this.#textLength += error.field.length + error.detail.length;
    this.errors.push(error);
  }

  addAll(errors: Iterable<FieldError>): void {
    for (const error of errors) this.add(error);
  }
}
