import { describe, expect, it } from 'vitest';
import { buildKindRegistry } from '../../kinds/registry.ts';
import type { ReviewRequest } from './admission-review.ts';
import { makeHostAttributes, makeReviewAttributes } from './make-review-attributes.ts';

const registry = buildKindRegistry('example.org');
const v1 = { group: 'apps', version: 'v1' };
const request: ReviewRequest = {
  uid: 'u',
  operation: 'UPDATE',
  resource: { ...v1, resource: 'deployments' },
  kind: { ...v1, kind: 'Deployment' },
  ...{ name: 'd', namespace: 'n', dryRun: true, options: { kind: 'UpdateOptions' } },
  userInfo: { username: 'someone', groups: ['g'], uid: 'i', extra: { k: ['v'] } },
};
const asked = { requestResource: request.resource, requestKind: request.kind };
const beta = { group: 'apps', version: 'v1beta1' };

describe('makeHostAttributes', () => {
  it.for<[string, Partial<ReviewRequest>, object]>([
    [
      'everything',
      { ...asked },
      { name: 'd', dryRun: true, options: { kind: 'UpdateOptions' }, user: request.userInfo },
    ],
    [
      'what was converted',
      { requestResource: { ...beta, resource: 'deployments' }, requestKind: { ...beta, kind: 'Deployment' } },
      {
        resource: { ...v1, resource: 'deployments' },
        requested: {
          resource: { ...beta, resource: 'deployments' },
          kind: 'Deployment',
          kindApiVersion: 'apps/v1beta1',
        },
      },
    ],
    [
      'a subresource of another kind',
      { subResource: 'scale', kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
      { subresource: 'scale', kind: 'Scale', kindApiVersion: 'autoscaling/v1' },
    ],
    [
      'own kinds as the host calls them',
      {
        resource: { group: 'core.example.org', version: 'v1', resource: 'limitranges' },
        kind: { group: 'core.example.org', version: 'v1', kind: 'LimitRange' },
      },
      { resource: { group: 'core.example.org', version: 'v1', resource: 'limitranges' } },
    ],
  ])('%s', ([, more, expected]) => {
    expect(makeHostAttributes({ ...request, ...more })).toMatchObject(expected);
  });

  it('says nothing of what was asked for when that is what is judged', () => {
    expect(makeHostAttributes({ ...request, ...asked })).not.toHaveProperty('requested');
    expect(makeHostAttributes(request)).not.toHaveProperty('kindApiVersion');
  });
});

describe('makeReviewAttributes', () => {
  it.for<[string, string, string | undefined]>([
    ['own kinds as the specification has them', 'core.example.org', ''],
    ["not the host's own of that name", '', undefined],
  ])('%s', ([, group, expected]) => {
    const names = {
      resource: { group, version: 'v1', resource: 'limitranges' },
      kind: { group, version: 'v1', kind: 'LimitRange' },
    };
    expect(makeReviewAttributes(registry, { ...request, ...names })?.resource.group).toBe(expected);
  });
});
