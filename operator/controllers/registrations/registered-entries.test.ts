import { describe, expect, it } from 'vitest';

import type { WebhookEntry } from '../../../admission/registrations/webhook-configuration.ts';
import { RegisteredEntries } from './registered-entries.ts';

function makeEntry(name: string, operator: 'In' | 'NotIn', values: readonly string[]): WebhookEntry {
  const matchExpressions = [{ key: 'kubernetes.io/metadata.name', operator, values }];
  return { name, namespaceSelector: { matchExpressions } } as unknown as WebhookEntry;
}

describe('RegisteredEntries', () => {
  it.for([
    ['before anything is known', undefined, 'team', false],
    ['a namespace that is named', makeEntry('evictions.d', 'In', ['team']), 'team', true],
    ['another one', makeEntry('evictions.d', 'In', ['team']), 'other', false],
    ['all but some', makeEntry('evictions.d', 'NotIn', ['kube-system']), 'team', true],
    ['one of those', makeEntry('evictions.d', 'NotIn', ['kube-system']), 'kube-system', false],
    ['another entry', makeEntry('quotas.d', 'In', ['team']), 'team', false],
  ] as const)('covers %s', ([, entry, namespace, expected]) => {
    const registered = new RegisteredEntries();
    if (entry !== undefined) registered.set({ mutating: [], validating: [entry] }, 'Enforce');
    expect(registered.covers('evictions.d', namespace)).toBe(expected);
  });

  it.for(['Audit', 'Off'] as const)('covers everything while decisions do not bind (%s)', (enforcement) => {
    const registered = new RegisteredEntries();
    registered.set({ mutating: [], validating: [] }, enforcement);
    expect(registered.covers('evictions.d', 'team')).toBe(true);
  });

  it('tells of changes until it is no longer asked to', () => {
    const registered = new RegisteredEntries();
    let told = 0;
    const end = registered.subscribe(() => (told += 1));
    registered.set({ mutating: [], validating: [] }, 'Enforce');
    end();
    registered.set({ mutating: [], validating: [] }, 'Enforce');
    expect(told).toBe(1);
  });
});
