import { describe, expect, it } from 'vitest';

import { formatTime } from '../../../core/time/time.ts';
import type { NodeObject, Taint } from './node-object.ts';
import { readNodeTaintKeys } from './node-taint-keys.ts';
import { planConditionTaints } from './plan-condition-taints.ts';
import { planExecutionTaints, planReachable, planTainting } from './plan-execution-taints.ts';
import { planNodeLabels } from './plan-node-labels.ts';

const keys = readNodeTaintKeys('k8s.io');
const nowMillis = Date.UTC(2026, 0, 1);
const timeAdded = formatTime(nowMillis);

/** `KEY:EFFECT` of a taint, as kubectl writes it; `+` behind it for one that is new. */
function parse(words: string): Taint[] {
  return words
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const [key = '', effect = ''] = word.replace('+', '').split(':');
      const taint = { key: key.includes('/') ? key : `node.kubernetes.io/${key}`, effect };
      return word.endsWith('+') ? { ...taint, timeAdded } : taint;
    });
}

function makeNode(taints: string, conditions: Record<string, string> = {}, unschedulable = false): NodeObject {
  return {
    ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } },
    spec: { taints: parse(taints), unschedulable },
    status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
  };
}

describe('readNodeTaintKeys', () => {
  it.for([
    ['k8s.io', undefined, 'node.kubernetes.io/not-ready'],
    ['bailiwick.dev', undefined, 'node.bailiwick.dev/not-ready'],
    ['bailiwick.dev', 'node.kubernetes.io', 'node.kubernetes.io/not-ready'],
  ] as const)('of %s with the prefix %s', ([domain, prefix, notReady]) => {
    expect(readNodeTaintKeys(domain, prefix).notReady).toBe(notReady);
  });
});

describe('planConditionTaints', () => {
  it.for<[string, NodeObject, string | undefined]>([
    ['leaves a ready node alone', makeNode('', { Ready: 'True', MemoryPressure: 'False' }), undefined],
    ['taints one that is not ready', makeNode('', { Ready: 'False' }), 'not-ready:NoSchedule+'],
    ['taints one that is unknown', makeNode('', { Ready: 'Unknown' }), 'unreachable:NoSchedule+'],
    [
      'swaps one taint for the other',
      makeNode('not-ready:NoSchedule a/b:NoSchedule', { Ready: 'Unknown' }),
      'a/b:NoSchedule unreachable:NoSchedule+',
    ],
    ['takes it off when the node is ready', makeNode('not-ready:NoSchedule', { Ready: 'True' }), ''],
    ['takes it off while the node says nothing', makeNode('not-ready:NoSchedule'), ''],
    ['leaves what it finds', makeNode('not-ready:NoSchedule', { Ready: 'False' }), undefined],
    ['leaves other effects', makeNode('not-ready:NoExecute', { Ready: 'True' }), undefined],
    ['leaves what is of nobody it knows', makeNode('own:NoSchedule', { Ready: 'True' }), undefined],
    [
      'knows every pressure',
      makeNode('', { MemoryPressure: 'True', DiskPressure: 'True', PIDPressure: 'True', NetworkUnavailable: 'True' }),
      'memory-pressure:NoSchedule+ disk-pressure:NoSchedule+ pid-pressure:NoSchedule+ network-unavailable:NoSchedule+',
    ],
    [
      'fears no pressure that is unknown',
      makeNode('', { MemoryPressure: 'Unknown', DiskPressure: 'Unknown' }),
      undefined,
    ],
    ['taints a cordoned node', makeNode('', { Ready: 'True' }, true), 'unschedulable:NoSchedule+'],
    ['frees one that is cordoned no longer', makeNode('unschedulable:NoSchedule', { Ready: 'True' }), ''],
    ['takes no name of a type for its own', makeNode('', { constructor: 'True', __proto__: 'True' }), undefined],
  ])('%s', ([, node, after]) => {
    expect(planConditionTaints(node, keys, nowMillis)).toEqual(after === undefined ? undefined : parse(after));
  });

  it("takes the taint of a host's new nodes off ready ones, whatever its own prefix", () => {
    const own = readNodeTaintKeys('bailiwick.dev');
    const isFreed = (ready: string): boolean =>
      planConditionTaints(makeNode('not-ready:NoSchedule', { Ready: ready }), own, nowMillis)?.length === 0;
    expect(isFreed('True')).toBe(true);
    expect(isFreed('False')).toBe(false);
  });

  it('taints once though a condition stands twice', () => {
    const node = makeNode('');
    node.status = { conditions: ['Ready', 'Ready'].map((type) => ({ type, status: 'False' })) };
    expect(planConditionTaints(node, keys, nowMillis)).toEqual(parse('not-ready:NoSchedule+'));
  });
});

describe('planExecutionTaints', () => {
  it.for<[string, string, string | undefined, object]>([
    ['queues a node that is not ready', '', 'False', { outcome: 'queue', lacksTaint: true }],
    ['and one that is out of reach', '', 'Unknown', { outcome: 'queue', lacksTaint: true }],
    ['knows one that is tainted', 'unreachable:NoExecute', 'Unknown', { outcome: 'queue', lacksTaint: false }],
    [
      'swaps at once when a silent node says that it is not ready',
      'unreachable:NoExecute a/b:NoExecute',
      'False',
      { outcome: 'write', taints: parse('a/b:NoExecute not-ready:NoExecute+') },
    ],
    [
      'swaps at once when one that is not ready falls silent',
      'not-ready:NoExecute',
      'Unknown',
      { outcome: 'write', taints: parse('unreachable:NoExecute+') },
    ],
    [
      'takes both off a ready node, and leaves the others',
      'not-ready:NoExecute unreachable:NoExecute not-ready:NoSchedule',
      'True',
      { outcome: 'write', taints: parse('not-ready:NoSchedule') },
    ],
    ['has nothing to do for a ready node', '', 'True', { outcome: 'write', taints: undefined }],
    ['waits while nothing is known', 'not-ready:NoExecute', undefined, { outcome: 'wait' }],
  ])('%s', ([, taints, ready, plan]) => {
    expect(planExecutionTaints(makeNode(taints), ready, keys, nowMillis)).toEqual(plan);
  });
});

describe('planTainting', () => {
  it.for<[string, string, string, string | undefined]>([
    ['taints what is not ready', '', 'False', 'not-ready:NoExecute+'],
    [
      'taints what is out of reach, and takes the other off',
      'not-ready:NoExecute',
      'Unknown',
      'unreachable:NoExecute+',
    ],
    ['leaves what is tainted', 'unreachable:NoExecute', 'Unknown', undefined],
    ['leaves what is ready by now', '', 'True', undefined],
  ])('%s', ([, taints, ready, after]) => {
    const plan = planTainting(makeNode(taints, { Ready: ready }), keys, nowMillis);
    expect(plan).toEqual(after === undefined ? undefined : parse(after));
  });
});

describe('planReachable', () => {
  it('takes off what drives pods away for the node being down, and nothing else', () => {
    const node = makeNode('unreachable:NoExecute a/b:NoExecute unreachable:NoSchedule not-ready:NoExecute');
    expect(planReachable(node, keys)).toEqual(parse('a/b:NoExecute unreachable:NoSchedule'));
    expect(planReachable(makeNode('a/b:NoExecute'), keys)).toBeUndefined();
  });
});

describe('planNodeLabels', () => {
  it.for<[string, Record<string, string>, Record<string, string> | undefined]>([
    ['fills in the older label', { 'kubernetes.io/os': 'linux' }, { 'beta.kubernetes.io/os': 'linux' }],
    [
      'corrects it',
      { 'kubernetes.io/arch': 'arm64', 'beta.kubernetes.io/arch': 'amd64' },
      { 'beta.kubernetes.io/arch': 'arm64' },
    ],
    ['leaves what is so', { 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' }, undefined],
    ['leaves an older label that stands alone', { 'beta.kubernetes.io/os': 'linux' }, undefined],
  ])('%s', ([, labels, change]) => {
    expect(planNodeLabels({ apiVersion: 'v1', kind: 'Node', metadata: { labels } })).toEqual(change);
  });
});
