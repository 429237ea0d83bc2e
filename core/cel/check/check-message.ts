import type { Expression, MessageExpression } from '../syntax/expression.ts';
import { errorType, type CelType } from '../types/cel-type.ts';
import { formatCelType, nameErasedType } from '../types/format-cel-type.ts';
import { checkOptionalItem } from './check-optional.ts';
import type { CheckContext } from './check-context.ts';

/** Checks an expression that makes a value of a named type; `check` checks the value of a field. */
export function checkMessage(
  context: CheckContext,
  node: MessageExpression,
  check: (value: Expression) => Expression,
): MessageExpression {
  const declaration = context.findDeclaration(node.typeName);
  if (declaration === undefined) {
    context.refuseName(node, node.typeName);
    context.types.set(node.id, errorType);
    return node;
  }
  const { type, typeName } = findMessageType(context, node, declaration.name, declaration.type);
  context.types.set(node.id, type);
  context.references.set(node.id, { kind: 'message', typeName: declaration.name });
  const fields = node.fields.map((field) => {
    const value = check(field.value);
    const expected = context.findFieldType(field, typeName, field.field) ?? errorType;
    const actual = field.isOptional ? checkOptionalItem(context, value) : context.typeOf(value);
    if (!context.bindings.unify(expected, actual)) {
      const types = `is '${formatCelType(expected)}' but provided type is '${formatCelType(actual)}'`;
      context.faults.add(field.at, `expected type of field '${field.field}' ${types}`);
    }
    return { ...field, value };
  });
  return { ...node, typeName: declaration.name, fields };
}

function findMessageType(
  context: CheckContext,
  node: MessageExpression,
  typeName: string,
  type: CelType,
): { type: CelType; typeName: string } {
  if (type.kind === 'error') return { type, typeName };
  if (type.kind !== 'type') {
    context.faults.add(node.at, `'${nameErasedType(type)}' is not a type`);
    return { type: errorType, typeName };
  }
  const of = type.of ?? type;
  if (of.kind === 'object') return { type: of, typeName: of.name };
  const wellKnown = nameWellKnownType(of);
  if (wellKnown !== undefined) return { type: of, typeName: wellKnown };
  context.faults.add(node.at, `'${nameErasedType(of)}' is not a message type`);
  return { type: errorType, typeName };
}

const wellKnownNames: Partial<Record<CelType['kind'], string>> = {
  any: 'google.protobuf.Any',
  dyn: 'google.protobuf.Value',
  null: 'google.protobuf.NullValue',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
};
const wrapperNames: Partial<Record<CelType['kind'], string>> = {
  bool: 'google.protobuf.BoolValue',
  bytes: 'google.protobuf.BytesValue',
  double: 'google.protobuf.DoubleValue',
  int: 'google.protobuf.Int64Value',
  string: 'google.protobuf.StringValue',
  uint: 'google.protobuf.UInt64Value',
};

/** The protobuf message that a type of the language is made by. */
function nameWellKnownType(type: CelType): string | undefined {
  if (type.kind === 'wrapper') return wrapperNames[type.of.kind];
  if (type.kind === 'list') return type.items.kind === 'dyn' ? 'google.protobuf.ListValue' : undefined;
  if (type.kind !== 'map') return wellKnownNames[type.kind];
  return type.keys.kind === 'string' && type.values.kind === 'dyn' ? 'google.protobuf.Struct' : undefined;
}
