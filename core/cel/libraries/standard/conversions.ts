import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  makeTypeParameter,
  makeTypeType,
  stringType,
  timestampType,
  uintType,
} from '../../types/cel-type.ts';
import { CelTypeValue, type CelValue } from '../../values/cel-value.ts';
import {
  toBool,
  toBytes,
  toDouble,
  toDuration,
  toInt,
  toText,
  toTimestamp,
  toUint,
} from '../../values/convert-value.ts';
import { runtimeTypeOf } from '../../values/runtime-type.ts';
import type { CelFunction } from '../cel-library.ts';
import { declareConversion, declareSingleton } from './declare-overloads.ts';
import { costOfFirst } from './standard-costs.ts';

const parameterA = makeTypeParameter('A');

/** `type(value)` */
function typeOf(value: CelValue): CelTypeValue {
  return new CelTypeValue(runtimeTypeOf(value));
}

/** Conversions between types, and `type`. One with a constant is done when the expression is planned. */
export const conversionFunctions: readonly CelFunction[] = [
  declareSingleton('type', typeOf, [['type', [parameterA], makeTypeType(parameterA)]]),
  declareSingleton('dyn', (value) => value, [['to_dyn', [parameterA], dynType]]),
  declareConversion('bool', toBool, [
    ['bool_to_bool', [boolType], boolType],
    ['string_to_bool', [stringType], boolType],
  ]),
  declareConversion('bytes', toBytes, [
    ['bytes_to_bytes', [bytesType], bytesType],
    ['string_to_bytes', [stringType], bytesType, costOfFirst],
  ]),
  declareConversion('double', toDouble, [
    ['double_to_double', [doubleType], doubleType],
    ['int64_to_double', [intType], doubleType],
    ['string_to_double', [stringType], doubleType],
    ['uint64_to_double', [uintType], doubleType],
  ]),
  declareConversion('duration', toDuration, [
    ['duration_to_duration', [durationType], durationType],
    ['int64_to_duration', [intType], durationType],
    ['string_to_duration', [stringType], durationType],
  ]),
  declareConversion('int', toInt, [
    ['int64_to_int64', [intType], intType],
    ['double_to_int64', [doubleType], intType],
    ['duration_to_int64', [durationType], intType],
    ['string_to_int64', [stringType], intType],
    ['timestamp_to_int64', [timestampType], intType],
    ['uint64_to_int64', [uintType], intType],
  ]),
  declareConversion('string', toText, [
    ['string_to_string', [stringType], stringType],
    ['bool_to_string', [boolType], stringType],
    ['bytes_to_string', [bytesType], stringType, costOfFirst],
    ['double_to_string', [doubleType], stringType],
    ['duration_to_string', [durationType], stringType],
    ['int64_to_string', [intType], stringType],
    ['timestamp_to_string', [timestampType], stringType],
    ['uint64_to_string', [uintType], stringType],
  ]),
  declareConversion('timestamp', toTimestamp, [
    ['timestamp_to_timestamp', [timestampType], timestampType],
    ['int64_to_timestamp', [intType], timestampType],
    ['string_to_timestamp', [stringType], timestampType],
  ]),
  declareConversion('uint', toUint, [
    ['uint64_to_uint64', [uintType], uintType],
    ['double_to_uint64', [doubleType], uintType],
    ['int64_to_uint64', [intType], uintType],
    ['string_to_uint64', [stringType], uintType],
  ]),
];
