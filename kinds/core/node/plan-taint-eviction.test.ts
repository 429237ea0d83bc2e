import { describe, expect, it } from 'vitest';

import type { Taint } from './node-object.ts';
import { planTaintEviction, type TaintTimes } from './plan-taint-eviction.ts';
import { addDefaultTolerations, type Toleration, toleratesTaint } from './tolerations.ts';

const prefix = 'node.bailiwick.dev';
const effect = 'NoExecute';
const unreachable = { key: `${prefix}/unreachable`, effect };
const notReady = { key: `${prefix}/not-ready`, effect };
const own = { key: 'a', value: 'v', effect };

function tolerate(key: string, seconds?: number, more: Toleration = {}): Toleration {
  return { key, operator: 'Exists', ...(seconds === undefined ? {} : { tolerationSeconds: seconds }), ...more };
}

describe('toleratesTaint', () => {
  it.for<[string, Toleration, Taint, boolean]>([
    ['the same key', { key: 'a', operator: 'Exists' }, own, true],
    ['the same key and value', { key: 'a', operator: 'Equal', value: 'v' }, own, true],
    ['a value without an operator', { key: 'a', value: 'v' }, own, true],
    ['another value', { key: 'a', value: 'w' }, own, false],
    ['no value where the taint has none', { key: 'a' }, { key: 'a', effect }, true],
    ['any key', { operator: 'Exists' }, own, true],
    ['another key', { key: 'b', operator: 'Exists' }, own, false],
    ['the same effect', { key: 'a', operator: 'Exists', effect }, own, true],
    ['another effect', { key: 'a', operator: 'Exists', effect: 'NoSchedule' }, own, false],
    ['an operator that nobody knows', { key: 'a', operator: 'Lt', value: 'v' }, own, false],
    ["Kubernetes' key of the same name", tolerate('node.kubernetes.io/unreachable'), unreachable, true],
    ["Kubernetes' key of another name", tolerate('node.kubernetes.io/not-ready'), unreachable, false],
    [
      "our key for Kubernetes' taint",
      tolerate(unreachable.key),
      { key: 'node.kubernetes.io/unreachable', effect },
      false,
    ],
  ])('%s: %s', ([, toleration, taint, answer]) => {
    expect(toleratesTaint(toleration, taint, prefix)).toBe(answer);
  });
});

describe('planTaintEviction', () => {
  type Row = [string, Toleration[], Taint[], Record<string, number>, number | undefined];
  it.for<Row>([
    ['keeps a pod without taints', [], [], {}, undefined],
    ['lets a pod go at once that tolerates nothing', [], [own], {}, 100_000],
    ['keeps one that tolerates it for ever', [tolerate('a')], [own], {}, undefined],
    ['lets one go when its time is over', [tolerate('a', 5)], [own], {}, 105_000],
    ['counts from when the taint came', [tolerate('a', 5)], [own], { 'a=v': 97_000 }, 102_000],
    ['at once for no seconds', [tolerate('a', 0)], [own], {}, 100_000],
    ['at once for fewer than none', [tolerate('a', -5)], [own], { 'a=v': 1_000 }, 100_000],
    [
      'by the shortest of several taints',
      [tolerate('a', 50), tolerate(unreachable.key, 9)],
      [own, unreachable],
      {},
      109_000,
    ],
    ['by the first toleration of a taint', [tolerate('a', 50), tolerate('a', 9)], [own], {}, 150_000],
    ['at once when one taint of several is not tolerated', [tolerate('a', 50)], [own, unreachable], {}, 100_000],
    ['not for taints that only keep pods off', [], [{ ...own, effect: 'NoSchedule' }], {}, undefined],
    [
      'as one trouble when a node falls silent for good',
      [tolerate('', 60)],
      [unreachable],
      { [prefix]: 90_000 },
      150_000,
    ],
    ['from its own coming for a second taint', [tolerate('', 60), own], [own, notReady], { [prefix]: 70_000 }, 130_000],
    ['late, where the time was over before anybody looked', [tolerate('a', 5)], [own], { 'a=v': 10_000 }, 15_000],
  ])('%s', ([, tolerations, taints, since, atMillis]) => {
    const plan = planTaintEviction(tolerations, taints, new Map(Object.entries(since)), 100_000, prefix);
    expect(plan.atMillis).toBe(atMillis);
  });

  it('gives a pod its time again when the taint went and came back', () => {
    let since: TaintTimes = new Map();
    const look = (taints: Taint[], atSeconds: number): number | undefined => {
      const plan = planTaintEviction([tolerate('', 10)], taints, since, atSeconds * 1_000, prefix);
      ({ since } = plan);
      return plan.atMillis;
    };
    expect(look([notReady], 0)).toBe(10_000);
    expect(look([unreachable], 8)).toBe(10_000);
    expect(look([], 9)).toBeUndefined();
    expect(look([notReady], 9.5)).toBe(19_500);
  });

  it('lets go of the time of a taint that went', () => {
    const tolerations = [tolerate('a', 5), tolerate(unreachable.key, 60)];
    const first = planTaintEviction(tolerations, [own, unreachable], new Map(), 0, prefix);
    expect(first).toMatchObject({ atMillis: 5_000, taint: own });
    const second = planTaintEviction(tolerations, [unreachable], first.since, 4_000, prefix);
    expect(second).toMatchObject({ atMillis: 60_000, taint: unreachable });
  });
});

describe('addDefaultTolerations', () => {
  const defaults = [
    { key: notReady.key, seconds: 300 },
    { key: unreachable.key, seconds: 60 },
  ];
  const added = [
    { key: notReady.key, operator: 'Exists', effect, tolerationSeconds: 300 },
    { key: unreachable.key, operator: 'Exists', effect, tolerationSeconds: 60 },
  ];
  it.for<[string, Toleration[], Toleration[] | undefined]>([
    ['gives both to a pod that says nothing', [], added],
    ['gives both to one that tolerates something else', [tolerate('a')], [tolerate('a'), ...added]],
    ['gives none to one that tolerates everything', [{ operator: 'Exists' }], undefined],
    ['gives the other where one is there', [tolerate(notReady.key, 1)], [tolerate(notReady.key, 1), added[1] ?? {}]],
    ['takes an effect for both', [{ operator: 'Exists', effect }], undefined],
    [
      'does not take another effect for it',
      [{ operator: 'Exists', effect: 'NoSchedule' }],
      [{ operator: 'Exists', effect: 'NoSchedule' }, ...added],
    ],
    [
      "takes Kubernetes' keys for ours",
      [tolerate('node.kubernetes.io/not-ready'), tolerate('node.kubernetes.io/unreachable')],
      undefined,
    ],
    [
      'does not look at values',
      [
        { key: notReady.key, value: 'x' },
        { key: unreachable.key, value: 'x' },
      ],
      undefined,
    ],
  ])('%s', ([, tolerations, after]) => {
    expect(addDefaultTolerations(tolerations, defaults, prefix)).toEqual(after);
  });
});
