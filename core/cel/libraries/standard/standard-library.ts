import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  makeListType,
  makeMapType,
  makeTypeParameter,
  nullType,
  stringType,
  timestampType,
  uintType,
} from '../../types/cel-type.ts';
import type { CelLibrary } from '../cel-library.ts';
import { conversionFunctions } from './conversions.ts';
import { operatorFunctions } from './operators.ts';
import { textFunctions } from './text-functions.ts';
import { timeFunctions } from './time-functions.ts';

/** The operators, functions and types of the language itself. */
export const standardLibrary: CelLibrary = {
  name: 'standard',
  functions: [...operatorFunctions, ...textFunctions, ...conversionFunctions, ...timeFunctions],
  types: {
    bool: boolType,
    bytes: bytesType,
    double: doubleType,
    'google.protobuf.Duration': durationType,
    int: intType,
    list: makeListType(makeTypeParameter('A')),
    map: makeMapType(makeTypeParameter('A'), makeTypeParameter('B')),
    null_type: nullType,
    string: stringType,
    'google.protobuf.Timestamp': timestampType,
    type: { kind: 'type' },
    uint: uintType,
  },
};
