import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { podUsageEvaluator } from '../../core/pod/plan-pod-usage.ts';
import type { QuotaState } from '../../core/resource-quota/plan-charge.ts';
import type { ResourceQuotaSpec } from '../../core/resource-quota/schema.ts';
import { readUsage } from '../../core/resource-quota/usage.ts';
import type { UsageEvaluator } from '../../core/resource-quota/usage-evaluator.ts';
import { planQuotaReview } from './plan-quota-review.ts';

type Amounts = Record<string, string>;

function quota(name: string, hard: Amounts, used: Amounts, spec: Partial<ResourceQuotaSpec> = {}): QuotaState {
  return { name, spec: { ...spec, hard }, hard: readUsage(hard), used: readUsage(used) };
}

function pod(cpu?: string): KubeObject {
  const resources = cpu === undefined ? {} : { resources: { requests: { cpu } } };
  const spec = { containers: [{ name: 'a', ...resources }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec } as KubeObject;
}

const evaluator = podUsageEvaluator as unknown as UsageEvaluator;
const ask = (quotas: QuotaState[], object: KubeObject) =>
  planQuotaReview(quotas, evaluator, { operation: 'CREATE', object }, 0);

describe('planQuotaReview', () => {
  it('says what a write adds, and what is left', () => {
    expect(
      ask([quota('q', { pods: '3', 'requests.cpu': '2' }, { pods: '1', 'requests.cpu': '500m' })], pod('1')),
    ).toEqual({
      allowed: true,
      matching: 1,
      quotas: [
        {
          name: 'q',
          matches: true,
          fits: true,
          requested: { pods: '1', 'requests.cpu': '1' },
          used: { pods: '1', 'requests.cpu': '500m' },
          hard: { pods: '3', 'requests.cpu': '2' },
          left: { pods: '2', 'requests.cpu': '1500m' },
        },
      ],
    });
  });

  it('says of each quota whether the write fits, and of all together what refuses it', () => {
    const { allowed, reason, quotas } = ask(
      [quota('full', { pods: '1' }, { pods: '1' }), quota('small', { 'requests.cpu': '1' }, { 'requests.cpu': '0' })],
      pod('2'),
    );
    expect({ allowed, reason }).toEqual({
      allowed: false,
      reason: 'exceeded quota: full, requested: pods=1, used: pods=1, limited: pods=1',
    });
    expect(quotas.map(({ name, fits, reason: own }) => [name, fits, own])).toEqual([
      ['full', false, reason],
      [
        'small',
        false,
        'exceeded quota: small, requested: requests.cpu=2, used: requests.cpu=0, limited: requests.cpu=1',
      ],
    ]);
  });

  it.for([
    ['another scope', { scopes: ['BestEffort'] }, { pods: '0' }, ['BestEffort']],
    [
      'another class',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] } },
      { pods: '0' },
      ['PriorityClass'],
    ],
    ['other resources', {}, { services: '0' }, undefined],
  ] as const)('leaves out a quota for %s', ([, spec, hard, scopes]) => {
    const [answer] = ask([quota('q', { ...hard }, {}, spec as Partial<ResourceQuotaSpec>)], pod('1')).quotas;
    expect(answer).toMatchObject({ matches: false, fits: true });
    expect(answer?.scopes).toEqual(scopes);
    expect(answer?.requested).toBeUndefined();
  });

  it.for([
    [
      'asks for what a quota demands',
      { 'requests.cpu': '1' },
      { 'requests.cpu': '0' },
      'failed quota: q: must specify requests.cpu for: a',
    ],
    ['tells what was not counted yet', { pods: '1' }, {}, 'status unknown for quota: q, resources: pods'],
  ] as const)('%s', ([, hard, used, reason]) => {
    const answer = ask([quota('q', { ...hard }, { ...used })], pod());
    expect(answer).toMatchObject({ allowed: false, reason });
    expect(answer.quotas[0]).toMatchObject({ fits: false, reason });
  });

  it('shows what is used beyond a limit as less than nothing', () => {
    expect(ask([quota('q', { pods: '1' }, { pods: '3' })], pod('1')).quotas[0]?.left).toEqual({ pods: '-2' });
  });

  it('lets everything pass that no quota counts', () => {
    const request = { operation: 'CREATE', object: pod('1') } as const;
    expect(planQuotaReview([quota('q', { pods: '0' }, { pods: '0' })], undefined, request, 0)).toEqual({
      allowed: true,
      matching: 0,
      quotas: [],
    });
  });
});
