import { intType, makeListType, stringType } from '../../types/cel-type.ts';
import { ArrayList } from '../../values/array-list.ts';
import { CelError, type CelResult, type CelValue } from '../../values/cel-value.ts';
import type { CelFunction, CelLibrary } from '../cel-library.ts';
import { costAhead, makeFunction } from '../make-function.ts';
import { costOfMatching, sizeOfArgument } from '../traversal-cost.ts';
import { compileRegex, estimateRegex } from './compile-regex.ts';

function find(text: string, pattern: string): CelResult {
  const regex = compileRegex(pattern);
  return 'fault' in regex ? new CelError(`Illegal regex: ${regex.fault}`) : regex.find(text);
}

function findAll(text: string, pattern: string, limit: number | bigint = -1): CelResult {
  const regex = compileRegex(pattern);
  if ('fault' in regex) return new CelError(`Illegal regex: ${regex.fault}`);
  return new ArrayList(regex.findAll(text, Number(limit)));
}

function costOfFind(values: readonly CelResult[]): number {
  return costOfMatching(sizeOfArgument(values, 0), sizeOfArgument(values, 1));
}

function refusePattern([, pattern]: readonly (CelValue | undefined)[]): string | undefined {
  const regex = typeof pattern === 'string' ? compileRegex(pattern) : undefined;
  return regex !== undefined && 'fault' in regex ? regex.fault : undefined;
}

function boundWork(fn: CelFunction, isAll: boolean): CelFunction {
  return {
    ...fn,
    refuses: refusePattern,
    work: ([text, pattern]) =>
      typeof text === 'string' && typeof pattern === 'string' ? estimateRegex(text, pattern, isAll) : 0,
  };
}

/** Kubernetes' `kubernetes.regex`; `matches` is standard. */
export const regexLibrary: CelLibrary = {
  name: 'kubernetes.regex',
  functions: [
    boundWork(
      costAhead(
        makeFunction('find', [
          {
            id: 'string_find_string',
            isMember: true,
            parameters: [stringType, stringType],
            result: stringType,
            call: find,
          },
        ]),
        costOfFind,
      ),
      false,
    ),
    boundWork(
      costAhead(
        makeFunction('findAll', [
          {
            id: 'string_find_all_string',
            isMember: true,
            parameters: [stringType, stringType],
            result: makeListType(stringType),
            call: findAll,
          },
          {
            id: 'string_find_all_string_int',
            isMember: true,
            parameters: [stringType, stringType, intType],
            result: makeListType(stringType),
            call: findAll,
          },
        ]),
        costOfFind,
      ),
      true,
    ),
  ],
};
