import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OwnerReference } from '../../../core/meta/kube-object.ts';
import { OwnerGraph } from './owner-graph.ts';
import type { TrackedObject } from './tracked-object.ts';

function refer(uid: string, blockOwnerDeletion = false): OwnerReference {
  return { apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid, blockOwnerDeletion };
}

function track(uid: string, owners: OwnerReference[], awaits?: TrackedObject['awaits']): TrackedObject {
  return { uid, key: `/core/configmaps/a/${uid}`, owners, ...(awaits === undefined ? {} : { awaits }) };
}

describe('OwnerGraph', () => {
  it('looks at an object with a new owner, and not again for the same one', () => {
    const graph = new OwnerGraph();
    expect(graph.put('b', track('b', [refer('a')]))).toEqual(['b']);
    expect(graph.put('b', track('b', [refer('a')]))).toEqual([]);
    expect(graph.put('b', track('b', [refer('a'), refer('c')]))).toEqual(['b']);
    expect(graph.put('b', track('b', [refer('c')]))).toEqual([]);
    expect(graph.put('b', undefined)).toEqual([]);
    expect([graph.find('b'), graph.listDependents('a'), graph.listDependents('c')]).toEqual([undefined, [], []]);
  });

  it('looks at the dependents of what is gone, and remembers it as long as they are there', () => {
    const graph = new OwnerGraph();
    graph.put('b', track('b', [refer('a')]));
    graph.put('c', track('c', [refer('a')]));
    expect(graph.remove('a')).toEqual(['b', 'c']);
    expect(graph.isGone('a')).toBe(true);
    expect(graph.remove('b')).toEqual([]);
    graph.put('c', track('c', [refer('a', true)]));
    expect(graph.isGone('a')).toBe(true);
    graph.remove('c');
    expect(graph.isGone('a')).toBe(false);
    expect(graph.remove('nobody')).toEqual([]);
  });

  it('looks at an owner that waits when a dependent goes, or blocks it no longer', () => {
    const graph = new OwnerGraph();
    graph.put('b', track('b', [refer('a', true)]));
    graph.put('c', track('c', [refer('a', true)]));
    graph.put('d', track('d', [refer('a', true)]));
    expect(graph.put('a', track('a', [], 'dependents'))).toEqual(['a', 'b', 'c', 'd']);
    expect(graph.put('a', track('a', [], 'dependents'))).toEqual([]);
    expect(graph.remove('b')).toEqual(['a']);
    expect(graph.put('c', track('c', [refer('a', false)]))).toEqual(['a', 'c']);
    expect(graph.put('d', undefined)).toEqual(['a']);
  });

  it('looks at what lets its dependents go alone', () => {
    const graph = new OwnerGraph();
    graph.put('b', track('b', [refer('a')]));
    expect(graph.put('a', track('a', [], 'orphans'))).toEqual(['a']);
  });

  it.for<[string, (references: OwnerReference[]) => OwnerReference[]]>([
    ['the other way round', (references) => references.toReversed()],
    ['all changed', (references) => references.map((owner) => ({ ...owner, blockOwnerDeletion: true }))],
    ['none left', () => []],
  ])('takes in very many references in time, then %s', ([, change]) => {
    const graph = new OwnerGraph();
    const references = Array.from({ length: 20_000 }, (_, i) => refer(String(i)));
    const before = process.threadCpuUsage();
    graph.put('b', track('b', references));
    graph.put('b', track('b', change(references)));
    graph.remove('b');
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(2000);
    expect(graph.listDependents('7')).toEqual([]);
  });

  const uid = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const owners = fc.uniqueArray(uid, { maxLength: 3 });
  const change = fc.oneof(
    fc.record({ type: fc.constant('put' as const), uid, owners }),
    fc.record({ type: fc.constant('remove' as const), uid, owners: fc.constant([] as string[]) }),
  );

  it('knows the dependents that the objects name, and none that are gone', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const graph = new OwnerGraph();
        const model = new Map<string, string[]>();
        for (const step of changes) {
          if (step.type === 'remove' || step.owners.length === 0) model.delete(step.uid);
          else model.set(step.uid, step.owners);
          if (step.type === 'remove') graph.remove(step.uid);
          else
            graph.put(
              step.uid,
              step.owners.length === 0
                ? undefined
                : track(
                    step.uid,
                    step.owners.map((name) => refer(name)),
                  ),
            );
        }
        for (const owner of ['a', 'b', 'c', 'd', 'e']) {
          const expected = [...model].filter(([, named]) => named.includes(owner)).map(([name]) => name);
          expect(
            graph
              .listDependents(owner)
              .map((object) => object.uid)
              .toSorted(),
          ).toEqual(expected.toSorted());
          if (expected.length === 0) expect(graph.isGone(owner)).toBe(false);
        }
      }),
      { seed: 20_260_101, numRuns: 200 },
    );
  });
});
