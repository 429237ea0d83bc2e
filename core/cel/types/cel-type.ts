/** A type of the language, or one that a library or an environment declares. */
export type CelType =
  | {
      readonly kind:
        | 'dyn'
        | 'null'
        | 'bool'
        | 'int'
        | 'uint'
        | 'double'
        | 'string'
        | 'bytes'
        | 'timestamp'
        | 'duration'
        | 'any'
        | 'error';
    }
  | { readonly kind: 'list'; readonly items: CelType }
  | { readonly kind: 'map'; readonly keys: CelType; readonly values: CelType }
  /** The type of a type; `of` is absent for the name `type` itself. */
  | { readonly kind: 'type'; readonly of?: CelType }
  /** A type parameter of an overload, such as `A`. */
  | { readonly kind: 'parameter'; readonly name: string }
  /** A primitive that may be null: `google.protobuf.Int64Value` and its like. */
  | { readonly kind: 'wrapper'; readonly of: CelType }
  /** A type without fields, such as `optional_type` of one parameter, `net.IP` or `kubernetes.Quantity`. */
  | { readonly kind: 'opaque'; readonly name: string; readonly parameters: readonly CelType[] }
  /** A type with fields, which the environment's types declare by this name. */
  | { readonly kind: 'object'; readonly name: string };

export const dynType: CelType = { kind: 'dyn' };
export const nullType: CelType = { kind: 'null' };
export const boolType: CelType = { kind: 'bool' };
export const intType: CelType = { kind: 'int' };
export const uintType: CelType = { kind: 'uint' };
export const doubleType: CelType = { kind: 'double' };
export const stringType: CelType = { kind: 'string' };
export const bytesType: CelType = { kind: 'bytes' };
export const timestampType: CelType = { kind: 'timestamp' };
export const durationType: CelType = { kind: 'duration' };
export const anyType: CelType = { kind: 'any' };
/** What the checker gives a node that it refused. */
export const errorType: CelType = { kind: 'error' };

/** The type of lists of `items`. */
export function makeListType(items: CelType): CelType {
  return { kind: 'list', items };
}

/** The type of maps from `keys` to `values`. */
export function makeMapType(keys: CelType, values: CelType): CelType {
  return { kind: 'map', keys, values };
}

/** The type of a type, as `type(x)` has it. */
export function makeTypeType(of: CelType): CelType {
  return { kind: 'type', of };
}

/** A type parameter of an overload. */
export function makeTypeParameter(name: string): CelType {
  return { kind: 'parameter', name };
}

/** A type without fields. */
export function makeOpaqueType(name: string, parameters: readonly CelType[] = []): CelType {
  return { kind: 'opaque', name, parameters };
}

/** The type of a value that may be absent. */
export function makeOptionalType(of: CelType): CelType {
  return makeOpaqueType('optional_type', [of]);
}

/** A type with fields. */
export function makeObjectType(name: string): CelType {
  return { kind: 'object', name };
}
