import { z } from 'zod';
import type { FieldError } from '../../core/errors/field-error.ts';
import type { FieldPath } from '../../core/errors/field-path.ts';
import { makeForbidden, makeNotSupported, makeRequired } from '../../core/errors/make-field-error.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import { choice, note, omitted, pointer, text } from '../schema-vocabulary.ts';

const operations = ['CREATE', 'UPDATE'];

const anyObjectSchema = note(z.record(z.string(), z.unknown()), {
  definition: 'io.k8s.apimachinery.pkg.runtime.RawExtension',
  goType: 'runtime.RawExtension',
  preserveUnknown: true,
  description: 'An object of any kind.',
}) as unknown as z.ZodType<JsonObject>;

/** Fields of a spec that describe the write to review. */
export const reviewedWriteFields = {
  operation: omitted(choice(operations, 'v1.Operation'), 'CREATE (when absent) or UPDATE.'),
  subresource: omitted(text(), 'Subresource that is written, such as resize; absent for the object itself.'),
  object: pointer(anyObjectSchema, 'The object as it would be written, with apiVersion and kind.'),
  oldObject: pointer(anyObjectSchema, 'The object as it is stored, for UPDATE.'),
};

/** The write that a review is about. */
export interface ReviewedWrite {
  operation?: string | undefined;
  subresource?: string | undefined;
  object?: JsonObject | undefined;
  oldObject?: JsonObject | undefined;
}

function validateObject(object: JsonObject, path: FieldPath): FieldError[] {
  return ['apiVersion', 'kind'].flatMap((field) => {
    const value = object[field];
    return typeof value === 'string' && value !== '' ? [] : [makeRequired(path.child(field), '')];
  });
}

/** Faults of the write, as far as they show without knowing the kind of the object. */
export function validateReviewedWrite(write: ReviewedWrite, path: FieldPath): FieldError[] {
  const { operation = 'CREATE', object, oldObject } = write;
  const oldPath = path.child('oldObject');
  const errors: FieldError[] = [];
  if (!operations.includes(operation)) {
    errors.push(makeNotSupported(path.child('operation'), operation, operations));
  }
  if (object === undefined) errors.push(makeRequired(path.child('object'), ''));
  else errors.push(...validateObject(object, path.child('object')));
  if (operation === 'UPDATE') {
    if (oldObject === undefined) errors.push(makeRequired(oldPath, "must be specified when `operation` is 'UPDATE'"));
    else errors.push(...validateObject(oldObject, oldPath));
  } else if (oldObject !== undefined) {
    errors.push(makeForbidden(oldPath, "may not be specified when `operation` is not 'UPDATE'"));
  }
  return errors;
}
