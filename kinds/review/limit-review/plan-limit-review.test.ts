import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { LimitRange, LimitRangeItem } from '../../core/limit-range/schema.ts';
import { planLimitReview, planReviewedDefaults } from './plan-limit-review.ts';

function range(name: string, ...limits: LimitRangeItem[]): LimitRange {
  return { apiVersion: 'v1', kind: 'LimitRange', metadata: { name }, spec: { limits } };
}

function pod(resources: object): KubeObject {
  const spec = { containers: [{ name: 'a', resources }], initContainers: [{ name: 'i', resources }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec } as KubeObject;
}

function claim(storage: string): KubeObject {
  const spec = { resources: { requests: { storage } } };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' }, spec } as KubeObject;
}

const container = (amounts: object): LimitRangeItem => ({ type: 'Container', ...amounts });

describe('planReviewedDefaults', () => {
  it('names the field, the amount and the limit range of all that is filled in', () => {
    const ranges = [
      range('a', container({ default: { cpu: '1' } })),
      range('b', container({ default: { cpu: '2', memory: '1Gi' }, defaultRequest: { cpu: '500m' } })),
    ];
    const filled = planReviewedDefaults(ranges, 'pod', pod({ requests: { cpu: '100m' } }));
    expect(filled.filter(({ path }) => path.includes('initContainers')).length).toBe(2);
    expect(filled.slice(0, 1)).toEqual([
      { path: 'spec.containers[0].resources.limits[cpu]', value: '1', limitRange: 'a' },
    ]);
    expect(filled).toContainEqual({
      path: 'spec.containers[0].resources.limits[memory]',
      value: '1Gi',
      limitRange: 'b',
    });
    expect(planReviewedDefaults(ranges, 'claim', claim('1Gi'))).toEqual([]);
  });
});

describe('planLimitReview', () => {
  it.for([
    ['max', container({ max: { cpu: '1' } }), { limits: { cpu: '2' } }, 'set a limit of at most 1 of cpu'],
    ['max without a limit', container({ max: { cpu: '1' } }), {}, 'set a limit of at most 1 of cpu'],
    [
      'max of a request',
      container({ max: { cpu: '1' } }),
      { limits: { cpu: '1' }, requests: { cpu: '2' } },
      'request at most 1 of cpu',
    ],
    ['min', container({ min: { cpu: '1' } }), { requests: { cpu: '500m' } }, 'request at least 1 of cpu'],
    [
      'min of a limit',
      container({ min: { cpu: '1' } }),
      { requests: { cpu: '1' }, limits: { cpu: '500m' } },
      'raise the limit of cpu to at least 1',
    ],
    [
      'ratio',
      container({ maxLimitRequestRatio: { cpu: '2' } }),
      { requests: { cpu: '1' }, limits: { cpu: '3' } },
      'set a request and a limit of cpu, the limit at most 2 times the request',
    ],
  ] as const)('says what would let an object pass: %s', ([, item, resources, remedy]) => {
    const { allowed, violations } = planLimitReview([range('r', item)], 'pod', pod(resources));
    expect(allowed).toBe(false);
    expect(violations.map((one) => [one.limitRange, one.item, one.subject, one.resource, one.remedy])).toEqual([
      ['r', 'Container', 'a', 'cpu', remedy],
      ['r', 'Container', 'i', 'cpu', remedy],
    ]);
  });

  it('gives the reason of the first range that refuses, and the violations of all', () => {
    const ranges = [
      range('a', container({ max: { cpu: '4' } })),
      range('b', { type: 'Pod', max: { cpu: '2' } }),
      range('c', container({ max: { cpu: '1' } })),
    ];
    const answer = planLimitReview(ranges, 'pod', pod({ limits: { cpu: '3' } }));
    expect(answer.reason).toBe('maximum cpu usage per Pod is 2, but limit is 3');
    expect(answer.violations.map(({ limitRange }) => limitRange)).toEqual(['b', 'c', 'c']);
  });

  it.for([
    ['1Gi', true],
    ['3Gi', false],
  ] as const)('judges a claim of %s', ([storage, allowed]) => {
    const ranges = [range('r', { type: 'PersistentVolumeClaim', max: { storage: '2Gi' } })];
    expect(planLimitReview(ranges, 'claim', claim(storage)).allowed).toBe(allowed);
  });
});
