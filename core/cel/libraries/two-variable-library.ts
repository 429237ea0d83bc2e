import { makeMapType, makeTypeParameter } from '../types/cel-type.ts';
import { CelError, type CelMap, type CelResult } from '../values/cel-value.ts';
import { insertKey } from '../values/value-map.ts';
import type { CelLibrary } from './cel-library.ts';
import { makeFunction } from './make-function.ts';

const keyType = makeTypeParameter('K');
const valueType = makeTypeParameter('V');
const mapType = makeMapType(keyType, valueType);

function insertAll(map: CelMap, other: CelMap): CelResult {
  let all: CelResult = map;
  for (const key of other.keys()) {
    all = insertKey(all as CelMap, key, other.get(key) ?? null);
    if (all instanceof CelError) return all;
  }
  return all;
}

/** cel-go's `cel.lib.ext.comprev2`: what its macros call. */
export const twoVariableLibrary: CelLibrary = {
  name: 'cel.lib.ext.comprev2',
  functions: [
    makeFunction('cel.@mapInsert', [
      {
        id: '@mapInsert_map_key_value',
        isMember: false,
        parameters: [mapType, keyType, valueType],
        result: mapType,
        call: insertKey,
      },
      { id: '@mapInsert_map_map', isMember: false, parameters: [mapType, mapType], result: mapType, call: insertAll },
    ]),
  ],
};
