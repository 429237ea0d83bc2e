import { makeFieldSet, type FieldSet } from './field-set.ts';
import { makeFieldElement } from './path-element.ts';

/** Paths of named fields that a write resets, such as `[['status'], ['metadata', 'labels']]`. */
export type ResetFields = readonly (readonly string[])[];

const compiled = new WeakMap<ResetFields, FieldSet>();

/** The set of the given paths; `undefined` when there are none. */
export function compileResetFields(fields: ResetFields | undefined): FieldSet | undefined {
  if (fields === undefined || fields.length === 0) return undefined;
  let set = compiled.get(fields);
  if (set === undefined) {
    set = makeFieldSet(fields.map((path) => path.map(makeFieldElement)));
    compiled.set(fields, set);
  }
  return set;
}
