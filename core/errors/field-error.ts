/** Kubernetes' field error types; the value is the `reason` of a Status cause. */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError'
  | 'FieldValueTypeInvalid';

/** One fault of one field, as a value: a user caused it. `detail` is Kubernetes' wording. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** Path in Kubernetes' notation: `spec.limits[0].max[cpu]`. */
  readonly field: string;
  /** The offending value; not shown for `Required`, `Forbidden`, `TooLong`, `TooMany` and `InternalError`. */
  readonly value?: unknown;
  readonly detail: string;
}
