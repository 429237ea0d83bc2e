import { describe, expect, it } from 'vitest';
import { checkWriteParameters, readDeleteOptions, readListParameters, readWriteRequest } from './query-parameters.ts';

describe('readListParameters', () => {
  it.for([
    ['limit=abc', 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['limit=', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['timeoutSeconds=99999999999999999999', 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    ['resourceVersionMatch=Exact', 'resourceVersionMatch is forbidden unless resourceVersion is provided'],
    [
      'resourceVersionMatch=Foo&resourceVersion=1',
      'Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      'continue=a&resourceVersionMatch=Exact&resourceVersion=1',
      'resourceVersionMatch is forbidden when continue is provided',
    ],
    ['sendInitialEvents=true', 'sendInitialEvents is forbidden for list'],
    ['watch=1&sendInitialEvents=true', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'],
    [
      'watch=1&resourceVersion=5&resourceVersionMatch=NotOlderThan',
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
    [
      'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact',
      'Unsupported value: "Exact": supported values: "NotOlderThan"',
    ],
  ] as const)('%s is refused', ([query, message]) => {
    expect(() => readListParameters(new URLSearchParams(query))).toThrow(message);
  });

  it.for([
    ['watch=1', true],
    ['watch=1&resourceVersion=0', true],
    ['watch=1&resourceVersion=7', undefined],
    ['watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', false],
    ['', undefined],
  ] as const)('%s begins with the state there is: %s', ([query, expected]) => {
    expect(readListParameters(new URLSearchParams(query)).sendInitialEvents).toBe(expected);
  });
});

describe('checkWriteParameters', () => {
  it('reads what a write says', () => {
    const query = new URLSearchParams('dryRun=All&fieldManager=me&fieldValidation=Strict');
    expect(checkWriteParameters('create', readWriteRequest(query))).toEqual({
      dryRun: true,
      fieldManager: 'me',
      fieldValidation: 'Strict',
      force: false,
      given: { dryRun: ['All'], fieldManager: 'me', fieldValidation: 'Strict' },
    });
  });

  it.for([
    ['create', 'dryRun=Foo', 'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Foo"]'],
    ['update', 'dryRun=', 'UpdateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: [""]'],
    ['create', 'fieldValidation=x', 'supported values: "", "Ignore", "Strict", "Warn"'],
    ['create', `fieldManager=${'a'.repeat(129)}`, 'fieldManager: Too long: may not be more than 128 bytes'],
    ['application/merge-patch+json', 'force=true', 'force: Forbidden: may not be specified for non-apply patch'],
    ['application/apply-patch+yaml', '', 'fieldManager: Required value: is required for apply patch'],
  ] as const)('%s with %s is refused', ([operation, query, message]) => {
    expect(() => checkWriteParameters(operation, readWriteRequest(new URLSearchParams(query)))).toThrow(message);
  });
});

describe('readDeleteOptions', () => {
  it('reads every option of the query', () => {
    const query = new URLSearchParams(
      'gracePeriodSeconds=3&orphanDependents=false&propagationPolicy=Orphan&dryRun=All',
    );
    expect(readDeleteOptions(query)).toEqual({
      gracePeriodSeconds: 3,
      orphanDependents: false,
      propagationPolicy: 'Orphan',
      dryRun: ['All'],
    });
  });
});

describe('the timeout of a watch', () => {
  it.for([
    ['-5', -1],
    ['0', 0],
    ['600', 600],
    ['99999999999', 2_147_483],
    ['9223372036854775807', 2_147_483],
  ] as const)('reads a timeout of %s seconds as one that a timer can keep, or that is over', ([text, seconds]) => {
    const query = new URLSearchParams(`watch=1&timeoutSeconds=${text}`);
    expect(readListParameters(query).timeoutSeconds).toBe(seconds);
  });
});
