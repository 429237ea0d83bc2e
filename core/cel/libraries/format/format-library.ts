import { makeListType, makeOptionalType, stringType } from '../../types/cel-type.ts';
import { ArrayList } from '../../values/array-list.ts';
import { CelOptional, type CelResult } from '../../values/cel-value.ts';
import type { CelLibrary } from '../cel-library.ts';
import { boundWork, costAhead, makeFunction } from '../make-function.ts';
import { costOfMatching, sizeOfArgument } from '../traversal-cost.ts';
import { NamedFormat, namedFormats, namedFormatType } from './named-format.ts';

function validate(format: NamedFormat, text: string): CelOptional {
  const faults = format.findFaults(text);
  return faults.length === 0 ? CelOptional.none : new CelOptional(new ArrayList(faults));
}

function costOfValidate(values: readonly CelResult[]): number {
  const [format] = values;
  return format instanceof NamedFormat ? costOfMatching(sizeOfArgument(values, 1), format.patternSize) : 1;
}

/** Kubernetes' `kubernetes.format`. */
export const formatLibrary: CelLibrary = {
  name: 'kubernetes.format',
  functions: [
    boundWork(
      costAhead(
        makeFunction('validate', [
          {
            id: 'format-validate',
            isMember: true,
            parameters: [namedFormatType, stringType],
            result: makeOptionalType(makeListType(stringType)),
            call: validate,
          },
        ]),
        costOfValidate,
      ),
      4,
    ),
    makeFunction('format.named', [
      {
        id: 'format-named',
        isMember: false,
        parameters: [stringType],
        result: makeOptionalType(namedFormatType),
        call: (name: string) => {
          const format = namedFormats.get(name);
          return format === undefined ? CelOptional.none : new CelOptional(format);
        },
      },
    ]),
    ...Array.from(namedFormats, ([name, format]) =>
      makeFunction(`format.${name}`, [
        { id: `format.${name}`, isMember: false, parameters: [], result: namedFormatType, call: () => format },
      ]),
    ),
  ],
};
