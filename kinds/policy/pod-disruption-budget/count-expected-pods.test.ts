import { describe, expect, it } from 'vitest';

import type { BudgetPod } from './budget-pod.ts';
import {
  countExpectedPods,
  sumControllerScales,
  type ExpectedPodsAnswer,
  type ScaleAnswer,
} from './count-expected-pods.ts';
import type { PodDisruptionBudget } from './schema.ts';

function makePod(name: string, controllerUid?: string): BudgetPod {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `set-${controllerUid}`, uid: controllerUid ?? '' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...(controllerUid === undefined ? {} : { ownerReferences: [{ ...owner, controller: true }] }) },
  };
}

const owned = (count: number, uid: string): BudgetPod[] =>
  Array.from({ length: count }, (_, i) => makePod(`${uid}-${i}`, uid));
const known = (answers: Record<string, ScaleAnswer>): Map<string, ScaleAnswer> => new Map(Object.entries(answers));

describe('countExpectedPods', () => {
  type Row = {
    readonly name: string;
    readonly spec: PodDisruptionBudget['spec'];
    readonly pods: readonly BudgetPod[];
    readonly scales?: Record<string, ScaleAnswer>;
    readonly answer: ExpectedPodsAnswer;
  };
  const counted = (expectedPods: number, desiredHealthy: number, unmanagedPods: string[] = []): ExpectedPodsAnswer => ({
    counted: { expectedPods, desiredHealthy, unmanagedPods },
  });
  const scaled = (replicas: number) => ({ a: { uid: 'a', replicas } });

  it.for<Row>([
    {
      name: 'a number to keep counts pods, whoever manages them',
      spec: { minAvailable: 3 },
      pods: [makePod('x'), ...owned(1, 'a')],
      answer: counted(2, 3),
    },
    { name: 'nothing asked', spec: {}, pods: owned(2, 'a'), answer: counted(0, 0) },
    {
      name: 'maxUnavailable before minAvailable',
      spec: { maxUnavailable: 1, minAvailable: 9 },
      pods: owned(1, 'a'),
      scales: scaled(4),
      answer: counted(4, 3),
    },
    {
      name: 'more may be missing than there are',
      spec: { maxUnavailable: 9 },
      pods: owned(1, 'a'),
      scales: scaled(4),
      answer: counted(4, 0),
    },
    {
      name: 'a percentage to keep is rounded up',
      spec: { minAvailable: '28%' },
      pods: owned(2, 'a'),
      scales: scaled(10),
      answer: counted(10, 3),
    },
    {
      name: 'a percentage that may be missing is rounded up too',
      spec: { maxUnavailable: '28%' },
      pods: owned(2, 'a'),
      scales: scaled(10),
      answer: counted(10, 7),
    },
    ...[{ minAvailable: '100%' }, { maxUnavailable: 0 }].map((spec) => ({
      ...{ name: `more than a status can hold, of ${JSON.stringify(spec)}`, spec },
      pods: [...owned(1, 'a'), ...owned(1, 'b')],
      scales: { a: { uid: 'a', replicas: 2 ** 31 - 1 }, b: { uid: 'b', replicas: 2 ** 31 - 1 } },
      answer: counted(2 ** 31 - 1, 2 ** 31 - 1),
    })),
    {
      name: '100% of one',
      spec: { minAvailable: '100%' },
      pods: owned(1, 'a'),
      scales: scaled(1),
      answer: counted(1, 1),
    },
    { name: '0%', spec: { minAvailable: '0%' }, pods: owned(1, 'a'), scales: scaled(3), answer: counted(3, 0) },
    {
      name: 'a scale of none',
      spec: { maxUnavailable: '50%' },
      pods: owned(2, 'a'),
      scales: scaled(0),
      answer: counted(0, 0),
    },
    {
      name: 'two controllers',
      spec: { minAvailable: '50%' },
      pods: [...owned(2, 'a'), ...owned(1, 'b')],
      scales: { a: { uid: 'a', replicas: 3 }, b: { uid: 'b', replicas: 4 } },
      answer: counted(7, 4),
    },
    {
      name: 'two replica sets of one deployment count once',
      spec: { minAvailable: '50%' },
      pods: [...owned(2, 'a'), ...owned(1, 'b')],
      scales: { a: { uid: 'd', replicas: 3 }, b: { uid: 'd', replicas: 3 } },
      answer: counted(3, 2),
    },
    {
      name: 'unmanaged pods are named and not counted',
      spec: { minAvailable: '50%' },
      pods: [makePod('x'), ...owned(1, 'a')],
      scales: scaled(4),
      answer: counted(4, 2, ['x']),
    },
    { name: 'only unmanaged pods', spec: { maxUnavailable: 1 }, pods: [makePod('x')], answer: counted(0, 0, ['x']) },
    {
      name: 'a controller that is not there',
      spec: { maxUnavailable: 1 },
      pods: owned(1, 'a'),
      scales: { a: 'absent' },
      answer: { fault: 'found no controllers for pod "a-0"' },
    },
    {
      name: 'a controller without a scale',
      spec: { maxUnavailable: 1 },
      pods: owned(1, 'a'),
      scales: { a: { fault: 'jobs.batch does not implement the scale subresource' } },
      answer: { fault: 'jobs.batch does not implement the scale subresource' },
    },
    {
      name: 'a text that is no percentage',
      spec: { maxUnavailable: 'ten' },
      pods: [],
      answer: { fault: 'invalid value for IntOrString: invalid type: string is not a percentage' },
    },
  ])('$name', ({ spec, pods, scales = {}, answer }) => {
    expect(countExpectedPods(spec, pods, known(scales))).toEqual(answer);
  });

  it('asks for each unknown controller once', () => {
    const answer = countExpectedPods({ maxUnavailable: 1 }, [...owned(3, 'a'), ...owned(2, 'b')], known(scaled(3)));
    expect(answer).toEqual({ needs: [expect.objectContaining({ uid: 'b' })] });
  });

  it('ignores owners that are not controllers', () => {
    const pod = makePod('x', 'a');
    for (const owner of pod.metadata.ownerReferences ?? []) owner.controller = false;
    expect(sumControllerScales([pod], new Map())).toEqual({ scale: { replicas: 0, unmanagedPods: ['x'] } });
  });
});
