import { dynType, intType, makeListType, stringType, type CelType } from '../../types/cel-type.ts';
import { CelList, type CelResult, type CelValue } from '../../values/cel-value.ts';
import type { CelFunction, CelLibrary } from '../cel-library.ts';
import { boundWork, costAhead, costByName, makeFunction, type Call } from '../make-function.ts';
import {
  costOfReading,
  costOfReadingTwice,
  costOfWalkingFirst,
  sizeOfArgument,
  traversalFactor,
} from '../traversal-cost.ts';
import { estimateFormat } from './estimate-format.ts';
import { formatWith } from './format-text.ts';
import {
  charAt,
  indexOf,
  join,
  lastIndexOf,
  lastIndexOfUpTo,
  lowerAscii,
  quote,
  replace,
  split,
  substring,
  substringRange,
  trim,
  upperAscii,
} from './string-functions.ts';

const listOfStrings = makeListType(stringType);

type Spec = readonly [id: string, parameters: readonly CelType[], call: Call];

function makeMember(name: string, result: CelType, ...specs: readonly Spec[]): CelFunction {
  const overloads = specs.map(([id, parameters, call]) => ({ id, isMember: true, parameters, result, call }));
  return boundWork(makeFunction(name, overloads), readingWork);
}

// In units of 100 ns for each code unit, as measured for the worst texts.
const readingWork = 0.1;
const rewritingWork = 2;
const maxItems = 10_000_000;

function costOfJoin(_values: readonly CelResult[], result: CelResult): number {
  return Math.ceil(sizeOfArgument([result], 0) * 2 * traversalFactor);
}

function estimateJoin([list, separator]: readonly CelValue[]): number {
  if (!(list instanceof CelList)) return 0;
  // More than any budget; lists that were added up may have any number of items.
  if (list.size > maxItems) return list.size;
  let size = typeof separator === 'string' ? separator.length * Math.max(0, list.size - 1) : 0;
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (typeof item !== 'string') return 0;
    size += item.length;
  }
  // In code points it may be half of that.
  return Math.ceil(size * traversalFactor);
}

function rewrite(fn: CelFunction): CelFunction {
  return costAhead(boundWork(fn, rewritingWork), costOfReadingTwice);
}

/** cel-go's `cel.lib.ext.strings`, version 2. */
export const stringsLibrary: CelLibrary = {
  name: 'cel.lib.ext.strings',
  functions: [
    makeMember('charAt', stringType, ['string_char_at_int', [stringType, intType], charAt]),
    costByName(
      makeMember(
        'indexOf',
        intType,
        ['string_index_of_string', [stringType, stringType], indexOf],
        ['string_index_of_string_int', [stringType, stringType, intType], indexOf],
      ),
      costOfWalkingFirst,
    ),
    costByName(
      makeMember(
        'lastIndexOf',
        intType,
        ['string_last_index_of_string', [stringType, stringType], lastIndexOf],
        ['string_last_index_of_string_int', [stringType, stringType, intType], lastIndexOfUpTo],
      ),
      costOfWalkingFirst,
    ),
    costByName(makeMember('lowerAscii', stringType, ['string_lower_ascii', [stringType], lowerAscii]), costOfReading),
    rewrite(
      makeMember(
        'replace',
        stringType,
        ['string_replace_string_string', [stringType, stringType, stringType], replace],
        ['string_replace_string_string_int', [stringType, stringType, stringType, intType], replace],
      ),
    ),
    rewrite(
      makeMember(
        'split',
        listOfStrings,
        ['string_split_string', [stringType, stringType], split],
        ['string_split_string_int', [stringType, stringType, intType], split],
      ),
    ),
    costByName(
      makeMember(
        'substring',
        stringType,
        ['string_substring_int', [stringType, intType], substring],
        ['string_substring_int_int', [stringType, intType, intType], substringRange],
      ),
      costOfReading,
    ),
    costByName(makeMember('trim', stringType, ['string_trim', [stringType], trim]), costOfReading),
    costByName(makeMember('upperAscii', stringType, ['string_upper_ascii', [stringType], upperAscii]), costOfReading),
    {
      name: 'format',
      overloads: [
        {
          id: 'string_format',
          isMember: true,
          parameters: [stringType, makeListType(dynType)],
          result: stringType,
          call: formatWith as Call,
          cost: costOfReading,
          isFunctionBinding: true,
        },
      ],
      work: estimateFormat,
    },
    makeFunction('strings.quote', [
      {
        id: 'strings_quote',
        isMember: false,
        parameters: [stringType],
        result: stringType,
        call: quote,
        cost: costOfReading,
      },
    ]),
    {
      ...makeMember(
        'join',
        stringType,
        ['list_join', [listOfStrings], join],
        ['list_join_string', [listOfStrings, stringType], join],
      ),
      cost: costOfJoin,
      estimate: estimateJoin,
      work: ([list]) => (list instanceof CelList ? list.size : 0),
    },
  ],
};
