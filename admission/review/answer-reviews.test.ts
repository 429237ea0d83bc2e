import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/meta/json.ts';
import type { LimitRange } from '../../kinds/core/limit-range/schema.ts';
import type { ResourceQuota } from '../../kinds/core/resource-quota/schema.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { UsageEvaluators } from '../quota/usage-evaluators.ts';
import { answerLimitReview } from './answer-limit-review.ts';
import { answerQuotaReview } from './answer-quota-review.ts';
import type { ReviewCall, ReviewServices } from './review-services.ts';

const registry = buildKindRegistry('bailiwick.dev');

const quota = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q' },
  spec: { hard: { 'count/widgets.example.com': '1', 'requests.cpu': '2' } },
  status: {
    hard: { 'count/widgets.example.com': '1', 'requests.cpu': '2' },
    used: { 'count/widgets.example.com': '1', 'requests.cpu': '1' },
  },
} as unknown as ResourceQuota;

const range = {
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'r' },
  spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] },
} as LimitRange;

function makeServices(change: Partial<ReviewServices> = {}): ReviewServices {
  return {
    domain: registry.domain,
    clock: { now: () => 0 } as ReviewServices['clock'],
    ranges: { list: async () => [range] },
    quotas: { list: async () => [quota] },
    evaluators: new UsageEvaluators(registry.kinds),
    findKind: async (group, version, kind) => {
      const definition = registry.findByKind(group, version, kind);
      if (definition !== undefined) return { ...definition, definition };
      return kind === 'Widget' ? { group, version, plural: 'widgets', kind, namespaced: true } : undefined;
    },
    isEnforced: () => true,
    mayList: async () => true,
    ...change,
  };
}

function call(kind: string, spec: JsonObject): ReviewCall {
  const review = { apiVersion: 'review.bailiwick.dev/v1', kind, metadata: {}, spec };
  return { namespace: 'n', review, user: { username: 'u', groups: [] } };
}

function pod(cpu: string): JsonObject {
  const containers = [{ name: 'a', image: 'a', resources: { requests: { cpu }, limits: { cpu } } }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } };
}

describe('reviews', () => {
  it('count objects of kinds that only the host knows', async () => {
    const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, anything: { goes: true } };
    const { status } = await answerQuotaReview(makeServices(), call('QuotaReview', { object }));
    expect(status).toMatchObject({ allowed: false, enforced: true, matching: 1 });
  });

  it('judge a resize by what it adds', async () => {
    const spec = { operation: 'UPDATE', subresource: 'resize', object: pod('3'), oldObject: pod('1') };
    const quotas = (await answerQuotaReview(makeServices(), call('QuotaReview', spec)))['status'];
    expect(quotas).toMatchObject({ allowed: false, quotas: [{ requested: { 'requests.cpu': '2' } }] });
    const limits = (await answerLimitReview(makeServices(), call('LimitReview', spec)))['status'];
    expect(limits).toMatchObject({ allowed: false, reason: 'maximum cpu usage per Container is 1, but limit is 3' });
  });

  it('let pass what is not enforced, and still say what is wrong', async () => {
    const services = makeServices({ isEnforced: (namespace) => namespace !== 'n' });
    const quotas = (await answerQuotaReview(services, call('QuotaReview', { object: pod('3') })))['status'];
    expect(quotas).toMatchObject({ allowed: true, enforced: false, quotas: [{ fits: false }] });
    expect(quotas).toHaveProperty('reason');
    const limits = (await answerLimitReview(services, call('LimitReview', { object: pod('3') })))['status'];
    expect(limits).toMatchObject({ allowed: true, enforced: false, violations: [{ limitRange: 'r' }] });
  });

  it('leave the review and what it asks about as they were', async () => {
    const asked = call('LimitReview', { object: pod('3') });
    const before = structuredClone(asked.review);
    await answerLimitReview(makeServices(), asked);
    await answerQuotaReview(makeServices(), asked);
    expect(asked.review).toEqual(before);
  });

  it('ask who may list in the namespace of the review', async () => {
    const asked: unknown[] = [];
    const mayList: ReviewServices['mayList'] = async ({ username }, plural, namespace) => {
      asked.push([username, plural, namespace]);
      return false;
    };
    const object = pod('1');
    await answerQuotaReview(makeServices({ mayList }), call('QuotaReview', { object }));
    await answerLimitReview(makeServices({ mayList }), call('LimitReview', { object }));
    expect(asked).toEqual([
      ['u', 'resourcequotas', 'n'],
      ['u', 'limitranges', 'n'],
    ]);
  });
});
