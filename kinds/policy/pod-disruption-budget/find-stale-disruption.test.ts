import { describe, expect, it } from 'vitest';

import type { BudgetPod, BudgetPodCondition } from './budget-pod.ts';
import { findStaleDisruption } from './find-stale-disruption.ts';

const since = '2026-01-01T00:00:00Z';
const staleMillis = Date.parse(since) + 120_000;

function makePod(
  condition: Partial<BudgetPodCondition>,
  pod: { phase?: string; deletionTimestamp?: string } = {},
): BudgetPod {
  const { phase = 'Running', deletionTimestamp } = pod;
  const whole = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    lastTransitionTime: since,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    status: { phase, conditions: [{ ...whole, ...condition }] },
  };
}

describe('findStaleDisruption', () => {
  it.for<readonly [string, BudgetPod, number | undefined]>([
    ['a target that nobody deletes', makePod({}), staleMillis],
    ['one of a scheduler', makePod({ reason: 'PreemptionByScheduler' }), staleMillis],
    ['one without a time', makePod({ lastTransitionTime: null }), 120_000],
    ['one that its kubelet ends', makePod({ reason: 'TerminationByKubelet' }), undefined],
    ['one that is no target any more', makePod({ status: 'False' }), undefined],
    ['another condition', makePod({ type: 'Ready' }), undefined],
    ['one that is being deleted', makePod({}, { deletionTimestamp: since }), undefined],
    ['one that has failed', makePod({}, { phase: 'Failed' }), undefined],
    ['one that has succeeded', makePod({}, { phase: 'Succeeded' }), undefined],
    ['a pod without conditions', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }, undefined],
  ])('%s', ([, pod, expected]) => {
    expect(findStaleDisruption(pod)).toBe(expected);
  });
});
