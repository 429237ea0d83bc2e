import type { CelType } from './cel-type.ts';

/** Name of a type as faults show it, with its parameters: `list(string)`, `wrapper(int)`, `optional_type(dyn)`. */
export function formatCelType(type: CelType): string {
  const parameters = listTypeParameters(type);
  const name = nameKind(type);
  return parameters.length === 0 ? name : `${name}(${parameters.map(formatCelType).join(', ')})`;
}

/** Name of a type as it is shown where an expression yields it: as in faults, but with the full names of `null_type`, `google.protobuf.Timestamp` and their like. */
export function formatOutputType(type: CelType): string {
  if (type.kind === 'parameter') return `<${type.name}>`;
  const parameters = listTypeParameters(type);
  const name = type.kind === 'wrapper' ? nameKind(type) : nameErasedType(type);
  return parameters.length === 0 ? name : `${name}(${parameters.map(formatOutputType).join(', ')})`;
}

/** Name of the type that values of this type have, without parameters: `list`, `null_type`, `google.protobuf.Timestamp`. */
export function nameErasedType(type: CelType): string {
  switch (type.kind) {
    case 'null':
      return 'null_type';
    case 'timestamp':
      return 'google.protobuf.Timestamp';
    case 'duration':
      return 'google.protobuf.Duration';
    case 'any':
      return 'google.protobuf.Any';
    case 'wrapper':
      return nameErasedType(type.of);
    case 'parameter':
    case 'opaque':
    case 'object':
      return type.name;
    default:
      return type.kind;
  }
}

/** The types a type is made of, such as those of a map's keys and values. */
export function listTypeParameters(type: CelType): readonly CelType[] {
  switch (type.kind) {
    case 'list':
      return [type.items];
    case 'map':
      return [type.keys, type.values];
    case 'type':
      return type.of === undefined ? [] : [type.of];
    case 'opaque':
      return type.parameters;
    default:
      return [];
  }
}

function nameKind(type: CelType): string {
  switch (type.kind) {
    case 'error':
      return '!error!';
    case 'wrapper':
      return `wrapper(${type.of.kind})`;
    case 'parameter':
    case 'opaque':
    case 'object':
      return type.name;
    default:
      return type.kind;
  }
}
