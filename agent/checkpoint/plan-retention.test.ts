import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { RetentionLimit, RetentionSettings } from './checkpoint-settings.ts';
import { findRoomFault, planRetention, type RetainedArchive } from './plan-retention.ts';

const none: RetentionLimit = { maxCount: undefined, maxBytes: undefined };
const boundless: RetentionSettings = {
  ...{ container: none, pod: none, namespace: none, node: none },
  ...{ maxAgeMillis: undefined, podGoneAgeMillis: undefined },
};
const nowMillis = 1_000_000;

/** An archive of `namespace/pod/container`, so many bytes large, complete at a time. */
function describeArchive(place: string, completedAtMillis: number, more: Partial<RetainedArchive> = {}) {
  const [namespace = '', podName = '', containerName = ''] = place.split('/');
  const defaults = { sizeBytes: 10, pinned: false, podGoneSinceMillis: undefined };
  return { namespace, podName, containerName, completedAtMillis, ...defaults, ...more };
}

function listRemovals(archives: readonly RetainedArchive[], settings: Partial<RetentionSettings>): string[] {
  return planRetention(archives, { ...boundless, ...settings }, nowMillis).map(
    ({ archive, reason }) =>
      `${archive.namespace}/${archive.podName}/${archive.containerName}@${archive.completedAtMillis} ${reason}`,
  );
}

describe('planRetention', () => {
  const shop = [
    describeArchive('shop/web/app', 30),
    describeArchive('shop/web/app', 10),
    describeArchive('shop/web/side', 20),
    describeArchive('shop/db/app', 15),
    describeArchive('bank/web/app', 5),
  ];

  it.for<[string, Partial<RetentionSettings>, string[]]>([
    ['nothing without bounds', {}, []],
    ['the oldest of a container', { container: { ...none, maxCount: 1 } }, ['shop/web/app@10 ContainerCount']],
    ['the oldest bytes of a container', { container: { ...none, maxBytes: 19 } }, ['shop/web/app@10 ContainerBytes']],
    ['the oldest of a pod', { pod: { ...none, maxCount: 2 } }, ['shop/web/app@10 PodCount']],
    [
      'the oldest bytes of a pod',
      { pod: { ...none, maxBytes: 10 } },
      ['shop/web/app@10 PodBytes', 'shop/web/side@20 PodBytes'],
    ],
    ['the oldest of a namespace', { namespace: { ...none, maxCount: 3 } }, ['shop/web/app@10 NamespaceCount']],
    [
      'the oldest bytes of a namespace',
      { namespace: { ...none, maxBytes: 25 } },
      ['shop/web/app@10 NamespaceBytes', 'shop/db/app@15 NamespaceBytes'],
    ],
    [
      'the oldest of the node',
      { node: { ...none, maxCount: 3 } },
      ['bank/web/app@5 NodeCount', 'shop/web/app@10 NodeCount'],
    ],
    ['the oldest bytes of the node', { node: { ...none, maxBytes: 45 } }, ['bank/web/app@5 NodeBytes']],
    [
      'the old ones of a container',
      { container: { ...none, maxAgeMillis: nowMillis - 15 } },
      ['bank/web/app@5 ContainerAge', 'shop/web/app@10 ContainerAge', 'shop/db/app@15 ContainerAge'],
    ],
    [
      'the old ones of a pod',
      { pod: { ...none, maxAgeMillis: nowMillis - 15 } },
      ['bank/web/app@5 PodAge', 'shop/web/app@10 PodAge', 'shop/db/app@15 PodAge'],
    ],
    [
      'the old ones of a namespace',
      { namespace: { ...none, maxAgeMillis: nowMillis - 15 } },
      ['bank/web/app@5 NamespaceAge', 'shop/web/app@10 NamespaceAge', 'shop/db/app@15 NamespaceAge'],
    ],
    [
      'the old ones of the node',
      { node: { ...none, maxAgeMillis: nowMillis - 15 } },
      ['bank/web/app@5 NodeAge', 'shop/web/app@10 NodeAge', 'shop/db/app@15 NodeAge'],
    ],
    ['what is too old', { maxAgeMillis: nowMillis - 10 }, ['bank/web/app@5 Age', 'shop/web/app@10 Age']],
    [
      'no more for a wide bound than a narrow one left',
      { container: { ...none, maxCount: 1 }, node: { ...none, maxCount: 4 } },
      ['shop/web/app@10 ContainerCount'],
    ],
  ])('removes %s', ([, settings, removals]) => {
    expect(listRemovals(shop, settings)).toEqual(removals);
  });

  it('removes archives of pods that are gone for long enough, and no others', () => {
    const archives = [
      describeArchive('shop/gone/app', 1, { podGoneSinceMillis: nowMillis - 100 }),
      describeArchive('shop/going/app', 2, { podGoneSinceMillis: nowMillis - 99 }),
      describeArchive('shop/here/app', 3),
    ];
    expect(listRemovals(archives, { podGoneAgeMillis: 100 })).toEqual(['shop/gone/app@1 PodGone']);
  });

  it('takes what is younger instead of a pinned one, which counts all the same', () => {
    const archives = [
      describeArchive('shop/web/app', 1, { pinned: true }),
      describeArchive('shop/web/app', 2),
      describeArchive('shop/web/app', 3),
    ];
    expect(listRemovals(archives, { container: { ...none, maxCount: 2 } })).toEqual(['shop/web/app@2 ContainerCount']);
  });

  const place = fc.constantFrom('a/p/x', 'a/p/y', 'a/q/x', 'b/p/x', 'b/q/y');
  const archive = fc
    .record({
      place,
      completedAtMillis: fc.nat(1000),
      sizeBytes: fc.nat(100),
      pinned: fc.boolean(),
      podGoneSinceMillis: fc.option(fc.nat(1000), { nil: undefined }),
    })
    .map(({ place: at, completedAtMillis, ...more }) => describeArchive(at, completedAtMillis, more));
  const limit = fc.record({
    maxCount: fc.option(fc.nat(8), { nil: undefined }),
    maxBytes: fc.option(fc.nat(300), { nil: undefined }),
    maxAgeMillis: fc.option(fc.nat(1000), { nil: undefined }),
  });
  const settingsOf = fc.record({
    ...{ container: limit, pod: limit, namespace: limit, node: limit },
    maxAgeMillis: fc.option(fc.nat(1000), { nil: undefined }),
    podGoneAgeMillis: fc.option(fc.nat(1000), { nil: undefined }),
  });
  const keys: readonly [
    keyof RetentionSettings & ('container' | 'pod' | 'namespace' | 'node'),
    (one: RetainedArchive) => string,
  ][] = [
    ['container', (one) => `${one.namespace}/${one.podName}/${one.containerName}`],
    ['pod', (one) => `${one.namespace}/${one.podName}`],
    ['namespace', (one) => one.namespace],
    ['node', () => ''],
  ];

  it('keeps every bound that pinned archives leave room for, never removes a pinned one, and settles at once', () => {
    fc.assert(
      fc.property(fc.array(archive, { maxLength: 40 }), settingsOf, (archives, settings) => {
        const removals = planRetention(archives, settings, 1000);
        const gone = new Set<RetainedArchive>(removals.map((removal) => removal.archive));
        expect(gone.size).toBe(removals.length);
        expect([...gone].some(({ pinned }) => pinned)).toBe(false);
        const kept = archives.filter((one) => !gone.has(one));
        for (const [scope, readKey] of keys) {
          for (const group of Map.groupBy(kept, readKey).values()) {
            if (group.every(({ pinned }) => pinned)) continue;
            const { maxCount = Infinity, maxBytes = Infinity, maxAgeMillis = Infinity } = settings[scope];
            for (const one of group) if (!one.pinned) expect(1000 - one.completedAtMillis).toBeLessThan(maxAgeMillis);
            expect(group.length).toBeLessThanOrEqual(maxCount);
            expect(group.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBeLessThanOrEqual(maxBytes);
          }
        }
        expect(planRetention(kept, settings, 1000)).toEqual([]);
      }),
    );
  });

  it('never removes a younger archive for a bound while an older one that may go stays', () => {
    fc.assert(
      fc.property(fc.array(archive, { maxLength: 40 }), settingsOf, (archives, settings) => {
        const removals = planRetention(archives, settings, 1000);
        const gone = new Set<RetainedArchive>(removals.map((removal) => removal.archive));
        for (const { archive: removed, reason } of removals) {
          if (reason !== 'NodeCount' && reason !== 'NodeBytes') continue;
          const older = archives.filter((one) => one.completedAtMillis < removed.completedAtMillis && !one.pinned);
          expect(older.every((one) => gone.has(one))).toBe(true);
        }
      }),
    );
  });
});

describe('findRoomFault', () => {
  const pinned = [describeArchive('shop/web/app', 1, { pinned: true }), describeArchive('shop/web/app', 2)];
  const place = describeArchive('shop/web/app', 3);

  it.for<[string, Partial<RetentionSettings>, number, string | undefined]>([
    ['there are no bounds', {}, 1e12, undefined],
    ['others may go', { container: { maxCount: 2, maxBytes: 20 } }, 10, undefined],
    [
      'pinned ones are as many as there may be',
      { container: { ...none, maxCount: 1 } },
      0,
      'the container may have 1 archives and 1 are pinned',
    ],
    [
      'it is too large',
      { node: { ...none, maxBytes: 9 } },
      10,
      "the archive is larger than the node's archives may be: 9 bytes, of which pinned archives take 10",
    ],
    [
      'it is too large by itself',
      { namespace: { ...none, maxBytes: 9 } },
      10,
      "the archive is larger than the namespace's archives may be: 9 bytes, of which pinned archives take 10",
    ],
  ])('when %s', ([, settings, sizeBytes, fault]) => {
    expect(findRoomFault(pinned, { ...boundless, ...settings }, place, sizeBytes)).toBe(fault);
  });

  it('never finds fault with an archive that retention then keeps', () => {
    const settings = { ...boundless, pod: { maxCount: 3, maxBytes: 100 } };
    expect(findRoomFault(pinned, settings, place, 80)).toBeUndefined();
    const made = describeArchive('shop/web/app', 4, { sizeBytes: 80 });
    expect(planRetention([...pinned, made], settings, nowMillis).map(({ archive: gone }) => gone)).not.toContain(made);
  });
});
