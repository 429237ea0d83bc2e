import { describe, expect, it } from 'vitest';
import { writeUsage } from '../resource-quota/usage.ts';
import { podUsageEvaluator } from './plan-pod-usage.ts';
import type { PodResources } from './pod-resources.ts';

const NOW = Date.UTC(2026, 0, 1);

function makePod(spec: PodResources['spec'], status: PodResources['status'] = {}, metadata: object = {}): PodResources {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', ...metadata }, spec, status };
}

function makeContainer(cpu: string, name = 'c') {
  return { name, resources: { requests: { cpu } } };
}

const one = { containers: [makeContainer('1')] };
const used = { cpu: '1', 'requests.cpu': '1', pods: '1', 'count/pods': '1' };
const resized = (requests: object, allocatedResources: object, conditions: object[] = []) =>
  ({ containerStatuses: [{ name: 'c', resources: { requests }, allocatedResources }], conditions }) as never;

describe('what pods use', () => {
  it.for<[string, PodResources, Record<string, string>]>([
    ['a running pod', makePod(one), used],
    ['one that succeeded', makePod(one, { phase: 'Succeeded' }), { 'count/pods': '1' }],
    ['one that failed', makePod(one, { phase: 'Failed' }), { 'count/pods': '1' }],
    [
      'one that is being deleted',
      makePod(one, {}, { deletionTimestamp: '2025-12-31T23:59:30Z', deletionGracePeriodSeconds: 30 }),
      used,
    ],
    [
      'one that is stuck beyond its grace',
      makePod(one, {}, { deletionTimestamp: '2025-12-31T23:59:29Z', deletionGracePeriodSeconds: 30 }),
      { 'count/pods': '1' },
    ],
    [
      'overhead, on limits only where there are some',
      makePod({
        containers: [{ name: 'c', resources: { limits: { memory: '1Gi' } } }],
        overhead: { cpu: '250m', memory: '64Mi' },
      }),
      {
        cpu: '250m',
        'requests.cpu': '250m',
        memory: '64Mi',
        'requests.memory': '64Mi',
        'limits.memory': '1088Mi',
        pods: '1',
        'count/pods': '1',
      },
    ],
    [
      'a resize up that is asked for',
      makePod({ containers: [makeContainer('2')] }, resized({ cpu: '1' }, { cpu: '1' })),
      { ...used, cpu: '2', 'requests.cpu': '2' },
    ],
    [
      'a resize down that is not done',
      makePod({ containers: [makeContainer('1')] }, resized({ cpu: '1' }, { cpu: '3' })),
      { ...used, cpu: '3', 'requests.cpu': '3' },
    ],
    [
      'a resize that cannot be done',
      makePod(
        { containers: [makeContainer('8')] },
        resized({ cpu: '1' }, { cpu: '1' }, [{ type: 'PodResizePending', reason: 'Infeasible' }]),
      ),
      used,
    ],
    [
      'an init container beside a sidecar',
      makePod({
        containers: [makeContainer('1')],
        initContainers: [{ ...makeContainer('500m', 's'), restartPolicy: 'Always' }, makeContainer('2', 'i')],
      }),
      { ...used, cpu: '2500m', 'requests.cpu': '2500m' },
    ],
    [
      'requests of the pod as a whole',
      makePod({ containers: [makeContainer('1')], resources: { requests: { cpu: '4' } } }),
      { ...used, cpu: '4', 'requests.cpu': '4' },
    ],
  ])('%s', ([, pod, usage]) => {
    expect(writeUsage(podUsageEvaluator.measure(pod, NOW))).toEqual(usage);
  });

  it('names the resources of a quota that are its own', () => {
    const names = [
      'pods',
      'cpu',
      'services',
      'requests.example.com/gpu',
      'example.com/gpu',
      'hugepages-2Mi',
      'count/pods',
    ];
    expect(podUsageEvaluator.selectResources(names)).toEqual(
      ['count/pods', 'cpu', 'hugepages-2Mi', 'pods', 'requests.example.com/gpu'].toSorted(),
    );
  });

  it.for([
    [{ operation: 'CREATE', object: makePod(one) }, true],
    [{ operation: 'CREATE', subresource: 'binding', object: makePod(one) }, false],
    [{ operation: 'UPDATE', object: makePod(one), oldObject: makePod(one) }, false],
    [{ operation: 'UPDATE', object: makePod({ ...one, activeDeadlineSeconds: 1 }), oldObject: makePod(one) }, true],
    [{ operation: 'UPDATE', subresource: 'resize', object: makePod(one), oldObject: makePod(one) }, true],
    [{ operation: 'UPDATE', subresource: 'status', object: makePod(one), oldObject: makePod(one) }, false],
  ] as const)('handles %j: %j', ([request, handles]) => {
    expect(podUsageEvaluator.handles(request)).toBe(handles);
  });
});
