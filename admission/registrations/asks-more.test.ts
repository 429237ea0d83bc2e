import { describe, expect, it } from 'vitest';

import { asksMore } from './asks-more.ts';
import type { SelectorRequirement, WebhookEntry } from './webhook-configuration.ts';

const nameLabel = 'kubernetes.io/metadata.name';

function select(operator: SelectorRequirement['operator'], ...values: string[]): SelectorRequirement {
  return { key: nameLabel, operator, values };
}

function makeEntry(requirements: readonly SelectorRequirement[], more: Partial<WebhookEntry> = {}): WebhookEntry {
  return {
    name: 'defaults.example.org',
    clientConfig: { url: 'https://127.0.0.1', caBundle: 'one' },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' }],
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: { matchExpressions: requirements },
    objectSelector: {},
    sideEffects: 'None',
    timeoutSeconds: 10,
    admissionReviewVersions: ['v1'],
    matchConditions: [],
    ...more,
  };
}

const ab = makeEntry([select('In', 'a', 'b')]);

describe('asksMore', () => {
  it.for<[string, WebhookEntry[], WebhookEntry[], boolean]>([
    ['the same', [ab], [ab], false],
    ['an entry', [], [ab], true],
    ['an entry less', [ab], [], false],
    ['a namespace', [ab], [makeEntry([select('In', 'a', 'b', 'c')])], true],
    ['a namespace for another', [ab], [makeEntry([select('In', 'a', 'c')])], true],
    ['a namespace less', [ab], [makeEntry([select('In', 'a')])], false],
    ['all but one namespace', [ab], [makeEntry([select('NotIn', 'c')])], true],
    ['one more to leave out', [makeEntry([select('NotIn', 'c')])], [makeEntry([select('NotIn', 'c', 'd')])], false],
    ['one less to leave out', [makeEntry([select('NotIn', 'c', 'd')])], [makeEntry([select('NotIn', 'c')])], true],
    [
      'a requirement less',
      [makeEntry([select('In', 'a'), select('NotIn', 'b')])],
      [makeEntry([select('In', 'a')])],
      true,
    ],
    ['other rules', [ab], [{ ...ab, rules: [] }], true],
    ['no objects by label any more', [{ ...ab, objectSelector: { matchExpressions: [] } }], [ab], true],
    ['who answers', [ab], [{ ...ab, clientConfig: { url: 'https://127.0.0.1', caBundle: 'two' } }], false],
    ['what a failure means', [ab], [{ ...ab, failurePolicy: 'Ignore' }], false],
  ])('%s', ([, present, wanted, expected]) => {
    expect(asksMore(present, wanted)).toBe(expected);
  });
});
