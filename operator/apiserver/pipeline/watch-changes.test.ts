import { describe, expect, it } from 'vitest';

import { buildKindRegistry } from '../../../kinds/registry.ts';
import { makeRow } from '../http/make-table.ts';
import { findTarget } from './resource-target.ts';
import type { AnyObject } from './stored-encoding.ts';
import { makeBookmark } from './watch-changes.ts';

const registry = buildKindRegistry('bailiwick.dev');

describe('makeBookmark', () => {
  it('shows what the kind always shows, a version and the mark', () => {
    const target = findTarget(registry, 'networking.bailiwick.dev', 'v1', 'networkpolicies');
    if (target === undefined) throw new Error('the kind is not registered');
    expect(makeBookmark(target, 7, true)).toEqual({
      kind: 'NetworkPolicy',
      apiVersion: 'networking.bailiwick.dev/v1',
      metadata: { resourceVersion: '7', annotations: { 'k8s.io/initial-events-end': 'true' } },
      spec: { podSelector: {} },
    });
  });

  it.for(registry.kinds.map((kind) => [`${kind.kind} of ${kind.apiVersion}`, kind] as const))(
    'makes a %s that fits into a Table',
    ([, kind]) => {
      const target = findTarget(registry, kind.group, kind.version, kind.plural);
      if (target === undefined) throw new Error('the kind is not registered');
      const bookmark = makeBookmark(target, 7, false) as AnyObject;
      expect(makeRow(kind, bookmark, 'Metadata', 'meta.k8s.io/v1', 0)).toHaveProperty('cells');
    },
  );
});
