import { describe, expect, it } from 'vitest';
import * as names from './names.ts';
import rows from './testdata/names.json' with { type: 'json' };

const checks = {
  checkDns1123Label: names.checkDns1123Label,
  checkDns1123Subdomain: names.checkDns1123Subdomain,
  checkDns1123SubdomainWithUnderscore: names.checkDns1123SubdomainWithUnderscore,
  checkDns1035Label: names.checkDns1035Label,
  checkWildcardDns1123Subdomain: names.checkWildcardDns1123Subdomain,
  checkQualifiedName: names.checkQualifiedName,
  checkLabelValue: names.checkLabelValue,
  checkPortName: names.checkPortName,
  checkCIdentifier: names.checkCIdentifier,
  checkPercent: names.checkPercent,
  checkHttpHeaderName: names.checkHttpHeaderName,
  checkEnvVarName: names.checkEnvVarName,
  checkConfigMapKey: names.checkConfigMapKey,
};

describe('name checks', () => {
  // The rows are Kubernetes' own answers; an absent list is empty.
  it.for(rows as ({ name: string } & Partial<Record<keyof typeof checks, string[]>>)[])('$name', (row) => {
    for (const [name, check] of Object.entries(checks)) {
      expect([name, check(row.name)]).toEqual([name, row[name as keyof typeof checks] ?? []]);
    }
  });

  it('takes ports from 1 to 65535', () => {
    expect(names.checkPortNumber(1)).toEqual([]);
    expect(names.checkPortNumber(0)).toEqual(['must be between 1 and 65535, inclusive']);
    expect(names.checkPortNumber(65536)).toEqual(['must be between 1 and 65535, inclusive']);
  });

  it('lets a generateName end in a dash', () => {
    expect(names.checkSubdomainName('web-', true)).toEqual([]);
    expect(names.checkSubdomainName('web-', false)).not.toEqual([]);
    expect(names.checkLabelName('a.b-', true)).toEqual(['must not contain dots']);
  });

  it.for([
    ['a:b', false, []],
    ['.', false, ["may not be '.'"]],
    ['.', true, []],
    ['a/b%', false, ["may not contain '/'", "may not contain '%'"]],
  ] as const)('path segment %s, prefix %j: %j', ([name, prefix, expected]) => {
    expect(names.checkPathSegmentName(name, prefix)).toEqual(expected);
  });
});
