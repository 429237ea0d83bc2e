import { boolType, intType, makeObjectType, stringType, type CelType } from '../../types/cel-type.ts';
import { CelError, CelOpaque, type CelResult, type CelValue } from '../../values/cel-value.ts';
import { toCanonicalInt } from '../../values/integers.ts';
import type { CelFunction, CelLibrary } from '../cel-library.ts';
import { boundWork, costByName, makeFunction, type Call } from '../make-function.ts';
import { rememberTexts } from '../remember-texts.ts';
import { costOfReading } from '../traversal-cost.ts';
import { compareSemvers, parseSemver, type SemverVersion } from './parse-semver.ts';

const semverType = makeObjectType('kubernetes.Semver');

class Semver extends CelOpaque {
  readonly type = semverType;
  readonly version: SemverVersion;

  constructor(version: SemverVersion) {
    super();
    this.version = version;
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof Semver)) return new CelError('no such overload');
    return compareSemvers(this.version, other.version) === 0;
  }
}

const parseStrictly = rememberTexts((text) => parseSemver(text, false));
const parseLeniently = rememberTexts((text) => parseSemver(text, true));

function convertToSemver(text: string, isLenient = false): CelResult {
  const version = isLenient ? parseLeniently(text) : parseStrictly(text);
  return 'fault' in version ? new CelError(version.fault) : new Semver(version);
}

function isSemver(text: string, isLenient = false): boolean {
  return !('fault' in (isLenient ? parseLeniently(text) : parseStrictly(text)));
}

function makeReading(part: 'major' | 'minor' | 'patch'): CelFunction {
  // Kubernetes wraps around beyond 2^63-1.
  const call = ({ version }: Semver): CelResult => toCanonicalInt(BigInt.asIntN(64, version[part]));
  return makeFunction(part, [
    { id: `semver_${part}`, isMember: true, parameters: [semverType], result: intType, call },
  ]);
}

function makeComparison(name: string, id: string, result: CelType, call: Call): CelFunction {
  return makeFunction(name, [{ id, isMember: true, parameters: [semverType, semverType], result, call }]);
}

function chargeParsing(fn: CelFunction): CelFunction {
  return boundWork(costByName(fn, costOfReading), 1);
}

/** Kubernetes' `kubernetes.Semver`, version 1. */
export const semverLibrary: CelLibrary = {
  name: 'kubernetes.Semver',
  functions: [
    chargeParsing(
      makeFunction('semver', [
        {
          id: 'string_to_semver',
          isMember: false,
          parameters: [stringType],
          result: semverType,
          call: convertToSemver,
        },
        {
          id: 'string_bool_to_semver',
          isMember: false,
          parameters: [stringType, boolType],
          result: semverType,
          call: convertToSemver,
        },
      ]),
    ),
    chargeParsing(
      makeFunction('isSemver', [
        { id: 'is_semver_string', isMember: false, parameters: [stringType], result: boolType, call: isSemver },
        {
          id: 'is_semver_string_bool',
          isMember: false,
          parameters: [stringType, boolType],
          result: boolType,
          call: isSemver,
        },
      ]),
    ),
    makeComparison(
      'isGreaterThan',
      'semver_is_greater_than',
      boolType,
      (a: Semver, b: Semver) => compareSemvers(a.version, b.version) > 0,
    ),
    makeComparison(
      'isLessThan',
      'semver_is_less_than',
      boolType,
      (a: Semver, b: Semver) => compareSemvers(a.version, b.version) < 0,
    ),
    makeComparison('compareTo', 'semver_compare_to', intType, (a: Semver, b: Semver) =>
      compareSemvers(a.version, b.version),
    ),
    makeReading('major'),
    makeReading('minor'),
    makeReading('patch'),
  ],
};
