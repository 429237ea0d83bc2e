import {
  boolType,
  bytesType,
  intType,
  makeListType,
  makeMapType,
  makeTypeParameter,
  stringType,
} from '../../types/cel-type.ts';
import { noSuchOverload } from '../../values/arithmetic.ts';
import { CelError, CelList, CelMap, type CelResult, type CelValue } from '../../values/cel-value.ts';
import { countCodePoints } from '../../values/measure-size.ts';
import type { CelFunction } from '../cel-library.ts';
import { compileRegex, estimateRegex } from '../regex/compile-regex.ts';
import { declareSingleton, nameInError } from './declare-overloads.ts';
import { costOfFirst, costOfMatch, costOfSearch } from './standard-costs.ts';

const listOfA = makeListType(makeTypeParameter('A'));
const mapOfAB = makeMapType(makeTypeParameter('A'), makeTypeParameter('B'));

/** `size(value)` */
function sizeOf(value: CelValue): CelResult {
  if (typeof value === 'string') return countCodePoints(value);
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  return value instanceof Uint8Array ? value.length : noSuchOverload;
}

function matches(text: CelValue, pattern: CelValue): CelResult {
  if (typeof text !== 'string' || typeof pattern !== 'string') return noSuchOverload;
  const regex = compileRegex(pattern);
  return 'fault' in regex ? new CelError(regex.fault) : regex.test(text);
}

function refuseMatch(constants: readonly (CelValue | undefined)[]): string | undefined {
  const pattern = constants[1];
  if (typeof pattern !== 'string') return undefined;
  const regex = compileRegex(pattern);
  return 'fault' in regex ? regex.fault : undefined;
}

function declareTest(
  name: string,
  id: string,
  cost: typeof costOfFirst,
  test: (text: string, part: string) => boolean,
): CelFunction {
  const call = (text: CelValue | undefined, part: CelValue | undefined): CelResult =>
    typeof text === 'string' && typeof part === 'string' ? test(text, part) : noSuchOverload;
  return declareSingleton(name, call, [], [[id, [stringType, stringType], boolType, cost]]);
}

/** `size` and what the language says about texts. */
export const textFunctions: readonly CelFunction[] = [
  declareSingleton(
    'size',
    nameInError('size', () => false, sizeOf),
    [
      ['size_bytes', [bytesType], intType],
      ['size_list', [listOfA], intType],
      ['size_map', [mapOfAB], intType],
      ['size_string', [stringType], intType],
    ],
    [
      ['bytes_size', [bytesType], intType],
      ['list_size', [listOfA], intType],
      ['map_size', [mapOfAB], intType],
      ['string_size', [stringType], intType],
    ],
  ),
  declareTest('contains', 'contains_string', costOfSearch, (text, part) => text.includes(part)),
  declareTest('endsWith', 'ends_with_string', costOfFirst, (text, part) => text.endsWith(part)),
  declareTest('startsWith', 'starts_with_string', costOfFirst, (text, part) => text.startsWith(part)),
  {
    ...declareSingleton(
      'matches',
      nameInError('matches', (value) => typeof value === 'string', matches),
      [['matches', [stringType, stringType], boolType]],
      [['matches_string', [stringType, stringType], boolType, costOfMatch]],
    ),
    work: ([text, pattern]) =>
      typeof text === 'string' && typeof pattern === 'string' ? estimateRegex(text, pattern) : 0,
    refuses: refuseMatch,
  },
];
