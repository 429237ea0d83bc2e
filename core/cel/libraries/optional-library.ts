import {
  boolType,
  dynType,
  intType,
  makeListType,
  makeMapType,
  makeOpaqueType,
  makeOptionalType,
  makeTypeParameter,
  stringType,
} from '../types/cel-type.ts';
import { ArrayList } from '../values/array-list.ts';
import { CelError, type CelList, CelOptional, type CelResult, type CelValue } from '../values/cel-value.ts';
import { describeValue } from '../values/describe-value.ts';
import { isZeroValue } from '../values/is-zero-value.ts';
import type { CelLibrary } from './cel-library.ts';
import { makeFunction } from './make-function.ts';

const keyType = makeTypeParameter('K');
const valueType = makeTypeParameter('V');
const optionalType = makeOptionalType(valueType);
const listType = makeListType(valueType);
const mapType = makeMapType(keyType, valueType);
const listOfOptionals = makeListType(optionalType);

function getValue({ value }: CelOptional): CelResult {
  return value ?? (value === null ? null : new CelError('optional.none() dereference'));
}

function findItem(list: CelList, index: number): CelOptional {
  return list.size === 0 ? CelOptional.none : new CelOptional(list.at(index));
}

function unwrap(list: CelList): CelResult {
  const values: CelValue[] = [];
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (!(item instanceof CelOptional)) return new CelError(`value ${describeValue(item)} is not optional`);
    if (item.value !== undefined) values.push(item.value);
  }
  return new ArrayList(values);
}

/**
 * cel-go's `cel.lib.optional`, version 2. What selects and indexes, and `or` and `orValue`, which evaluate their argument only where it is
 * needed, are the planner's.
 */
export const optionalLibrary: CelLibrary = {
  name: 'cel.lib.optional',
  types: { optional_type: makeOpaqueType('optional_type') },
  functions: [
    makeFunction('optional.of', [
      {
        id: 'optional_of',
        isMember: false,
        parameters: [valueType],
        result: optionalType,
        call: (value: CelValue) => new CelOptional(value),
      },
    ]),
    makeFunction('optional.ofNonZeroValue', [
      {
        id: 'optional_ofNonZeroValue',
        isMember: false,
        parameters: [valueType],
        result: optionalType,
        call: (value: CelValue) => (isZeroValue(value) ? CelOptional.none : new CelOptional(value)),
      },
    ]),
    makeFunction('optional.none', [
      {
        id: 'optional_none',
        isMember: false,
        parameters: [],
        result: optionalType,
        call: () => CelOptional.none,
        isFunctionBinding: true,
      },
    ]),
    makeFunction('value', [
      { id: 'optional_value', isMember: true, parameters: [optionalType], result: valueType, call: getValue },
    ]),
    makeFunction('hasValue', [
      {
        id: 'optional_hasValue',
        isMember: true,
        parameters: [optionalType],
        result: boolType,
        call: ({ value }: CelOptional) => value !== undefined,
      },
    ]),
    {
      name: 'or',
      overloads: [
        {
          id: 'optional_or_optional',
          isMember: true,
          parameters: [optionalType, optionalType],
          result: optionalType,
        },
      ],
    },
    {
      name: 'orValue',
      overloads: [
        {
          id: 'optional_orValue_value',
          isMember: true,
          parameters: [optionalType, valueType],
          result: valueType,
        },
      ],
    },
    {
      name: '_?._',
      overloads: [
        { id: 'select_optional_field', isMember: false, parameters: [dynType, stringType], result: optionalType },
      ],
    },
    {
      name: '_[?_]',
      overloads: [
        { id: 'list_optindex_optional_int', isMember: false, parameters: [listType, intType], result: optionalType },
        {
          id: 'optional_list_optindex_optional_int',
          isMember: false,
          parameters: [makeOptionalType(listType), intType],
          result: optionalType,
        },
        { id: 'map_optindex_optional_value', isMember: false, parameters: [mapType, keyType], result: optionalType },
        {
          id: 'optional_map_optindex_optional_value',
          isMember: false,
          parameters: [makeOptionalType(mapType), keyType],
          result: optionalType,
        },
      ],
    },
    {
      name: '_[_]',
      overloads: [
        {
          id: 'optional_list_index_int',
          isMember: false,
          parameters: [makeOptionalType(listType), intType],
          result: optionalType,
        },
        {
          id: 'optional_map_index_value',
          isMember: false,
          parameters: [makeOptionalType(mapType), keyType],
          result: optionalType,
        },
      ],
    },
    makeFunction('last', [
      {
        id: 'list_last',
        isMember: true,
        parameters: [listType],
        result: optionalType,
        call: (list: CelList) => findItem(list, list.size - 1),
      },
    ]),
    makeFunction('first', [
      {
        id: 'list_first',
        isMember: true,
        parameters: [listType],
        result: optionalType,
        call: (list: CelList) => findItem(list, 0),
      },
    ]),
    makeFunction('optional.unwrap', [
      {
        id: 'optional_unwrap',
        isMember: false,
        parameters: [listOfOptionals],
        result: listType,
        call: unwrap,
      },
    ]),
    makeFunction('unwrapOpt', [
      {
        id: 'optional_unwrapOpt',
        isMember: true,
        parameters: [listOfOptionals],
        result: listType,
        call: unwrap,
      },
    ]),
  ],
};
