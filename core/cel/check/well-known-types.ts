import {
  anyType, boolType, bytesType, doubleType, durationType, dynType, intType, makeListType, makeMapType, stringType, timestampType, uintType,
  type CelType,
} from '../types/cel-type.ts'; // prettier-ignore
import type { CelObjectType, EnvironmentParts } from './cel-environment.ts';

const structType = makeMapType(stringType, dynType);
const listValueType = makeListType(dynType);

const wrappers: Readonly<Record<string, CelType>> = {
  BoolValue: boolType,
  BytesValue: bytesType,
  DoubleValue: doubleType,
  FloatValue: doubleType,
  Int32Value: intType,
  Int64Value: intType,
  StringValue: stringType,
  UInt32Value: uintType,
  UInt64Value: uintType,
};

const messages: Readonly<Record<string, Readonly<Record<string, CelType>>>> = {
  Any: { type_url: stringType, value: bytesType },
  Duration: { seconds: intType, nanos: intType },
  Empty: {},
  ListValue: { values: listValueType },
  Struct: { fields: structType },
  Timestamp: { seconds: intType, nanos: intType },
  Value: {
    null_value: intType,
    number_value: doubleType,
    string_value: stringType,
    bool_value: boolType,
    struct_value: structType,
    list_value: listValueType,
  },
};

const messageTypes: Readonly<Record<string, CelType>> = {
  Any: anyType,
  Duration: durationType,
  ListValue: listValueType,
  Struct: structType,
  Timestamp: timestampType,
  Value: dynType,
};

/** The protobuf messages that every environment knows, and what they are in the language. */
export const wellKnownTypes: EnvironmentParts = {
  libraries: [
    {
      name: 'google.protobuf',
      functions: [],
      types: Object.fromEntries([
        ...Object.entries(wrappers).map(([name, of]) => [qualify(name), { kind: 'wrapper', of }] as const),
        ...Object.entries(messageTypes).map(([name, type]) => [qualify(name), type] as const),
      ]),
    },
  ],
  objects: [
    ...Object.entries(wrappers).map(([name, value]) => declareMessage(name, { value })),
    ...Object.entries(messages).map(([name, fields]) => declareMessage(name, fields)),
  ],
  constants: new Map([['google.protobuf.NullValue.NULL_VALUE', { type: intType, value: 0 }]]),
};

function declareMessage(name: string, fields: Readonly<Record<string, CelType>>): CelObjectType {
  const declared = Object.entries(fields).map(([field, type]) => [field, { type, property: field }] as const);
  return { name: qualify(name), fields: new Map(declared), isBuiltIn: true };
}

function qualify(name: string): string {
  return `google.protobuf.${name}`;
}
