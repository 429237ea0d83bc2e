import { describe, expect, it } from 'vitest';
import { findMissingRules, formatMissingRules } from './cover-rules.ts';
import type { PolicyRule } from './rbac-objects.ts';

const all: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
const pods = (verbs: string[], more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs,
  apiGroups: [''],
  resources: ['pods'],
  ...more,
});

describe('findMissingRules', () => {
  const cases: [string, PolicyRule[], PolicyRule[], string][] = [
    ['nothing asked', [], [], ''],
    ['nothing held', [], [pods(['get'])], '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
    ['the same', [pods(['get'])], [pods(['get'])], ''],
    ['everything', [all], [pods(['get', 'list'])], ''],
    [
      'more verbs',
      [pods(['get'])],
      [pods(['get', 'list', 'watch'])],
      '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
    ],
    ['verbs of two rules', [pods(['get']), pods(['list'])], [pods(['get', 'list'])], ''],
    ['every verb', [pods(['get'])], [pods(['*'])], '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}'],
    [
      'all names',
      [pods(['get'], { resourceNames: ['a'] })],
      [pods(['get'])],
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ],
    ['one name of all', [pods(['get'])], [pods(['get'], { resourceNames: ['a'] })], ''],
    [
      'another name',
      [pods(['get'], { resourceNames: ['a'] })],
      [pods(['get'], { resourceNames: ['a', 'b'] })],
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
    ],
    [
      'a subresource of everything',
      [pods(['get'], { resources: ['*/log'] })],
      [pods(['get'], { resources: ['pods/log'] })],
      '',
    ],
    [
      'a subresource',
      [pods(['get'])],
      [pods(['get'], { resources: ['pods/log'] })],
      '{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}',
    ],
    [
      'resources do not cover paths',
      [all],
      [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
    ],
    [
      'a path below',
      [{ verbs: ['get'], nonResourceURLs: ['/x/*'] }],
      [{ verbs: ['get'], nonResourceURLs: ['/x/y', '/x/y/*'] }],
      '',
    ],
    [
      'several, sorted',
      [],
      [
        pods(['get'], { resources: ['z'] }),
        { verbs: ['get'], nonResourceURLs: ['/x'] },
        pods(['get'], { resources: ['a'] }),
      ],
      '{APIGroups:[""], Resources:["a"], Verbs:["get"]}\n{APIGroups:[""], Resources:["z"], Verbs:["get"]}\n{NonResourceURLs:["/x"], Verbs:["get"]}',
    ],
  ];
  it.for(cases)('%s', ([, held, wanted, missing]) => {
    expect(formatMissingRules(findMissingRules(held, wanted))).toBe(missing);
  });
});
