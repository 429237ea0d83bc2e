import {
  anyType,
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  makeListType,
  makeMapType,
  makeObjectType,
  makeOpaqueType,
  makeOptionalType,
  makeTypeParameter,
  nullType,
  stringType,
  timestampType,
  uintType,
  type CelType,
} from '../../core/cel/types/cel-type.ts';
import { parseTypeTerm, type TypeTerm } from '../cel/generator/type-term.ts';

const scalars: Readonly<Record<string, CelType>> = {
  dyn: dynType,
  null: nullType,
  null_type: nullType,
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
  any: anyType,
  timestamp: timestampType,
  duration: durationType,
  'google.protobuf.Timestamp': timestampType,
  'google.protobuf.Duration': durationType,
  'google.protobuf.Any': anyType,
  type: { kind: 'type' },
  'net.IP': makeOpaqueType('net.IP'),
  'net.CIDR': makeOpaqueType('net.CIDR'),
};

/** Reads a type as the oracle writes it. */
export function parseCelType(text: string): CelType {
  return toCelType(parseTypeTerm(text));
}

function toCelType({ name, parameters }: TypeTerm): CelType {
  const [first, second] = parameters.map(toCelType);
  if (first === undefined) {
    // A bare `list` is the name of a type of values.
    if (name === 'list') return makeListType(dynType);
    if (name === 'map') return makeMapType(dynType, dynType);
    const parameter = /^<(?<name>\w+)>$/.exec(name)?.groups?.['name'];
    return scalars[name] ?? (parameter === undefined ? makeObjectType(name) : makeTypeParameter(parameter));
  }
  if (name === 'list') return makeListType(first);
  if (name === 'map') return makeMapType(first, second ?? dynType);
  if (name === 'optional_type') return makeOptionalType(first);
  if (name === 'wrapper') return { kind: 'wrapper', of: first };
  if (name === 'type') return { kind: 'type', of: first };
  return makeOpaqueType(name, parameters.map(toCelType));
}
