import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FlowReviewStatus } from '../../kinds/review/flow-review/schema.ts';
import { planFlowConfiguration } from '../../kinds/flowcontrol/plan-flow-configuration.ts';
import type { FlowSchema } from '../../kinds/flowcontrol/flow-schema/schema.ts';
import type { PriorityLevelConfiguration } from '../../kinds/flowcontrol/priority-level-configuration/schema.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { buildFlowControl } from '../apiserver/flow-control/build-flow-control.ts';
import type { FlowControl } from '../apiserver/flow-control/flow-control.ts';
import { startTestService, type TestService } from '../apiserver/start-test-service.ts';
import { createFlowReviewHandler } from './create-flow-review-handler.ts';

const apiVersion = 'flowcontrol.apiserver.bailiwick.dev/v1';
const queuing = { queues: 16, handSize: 3, queueLengthLimit: 10 };
const level = {
  ...{ apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name: 'batch', uid: 'level-uid' }, status: {} },
  spec: {
    type: 'Limited',
    limited: {
      ...{ nominalConcurrencyShares: 30, lendablePercent: 0, limitResponse: { type: 'Queue', queuing } },
    },
  },
} as PriorityLevelConfiguration;
const lists = { verbs: ['list'], apiGroups: [''], resources: ['pods'], namespaces: ['*'], clusterScope: true };

function makeSchema(name: string, precedence: number, user: string, levelName = 'batch'): FlowSchema {
  const spec = {
    priorityLevelConfiguration: { name: levelName },
    matchingPrecedence: precedence,
    distinguisherMethod: { type: 'ByUser' },
    rules: [{ subjects: [{ kind: 'User', user: { name: user } }], resourceRules: [lists] }],
  };
  return { apiVersion, kind: 'FlowSchema', metadata: { name, uid: `${name}-uid` }, spec, status: {} };
}

let service: TestService;
let mayList = true;

beforeAll(async () => {
  let flowControl: FlowControl | undefined;
  service = await startTestService({
    authorizer: {
      authorize: async (_user, attributes) => ({
        allowed: mayList || attributes.type !== 'resource' || !attributes.group.startsWith('flowcontrol'),
        reason: '',
      }),
    },
    buildFlowControl: (parts) => {
      flowControl = buildFlowControl({ ...parts, clock: systemClock, domain: 'bailiwick.dev', totalSeats: 600 });
      return flowControl;
    },
  });
  if (flowControl === undefined) throw new Error('the service has no flow control');
  const schemas = [
    ...[makeSchema('lists', 100, 'jane'), makeSchema('more-lists', 200, '*'), makeSchema('of-others', 50, 'joe')],
    makeSchema('lost', 10, 'jane', 'nowhere'),
  ];
  flowControl.configure(planFlowConfiguration(schemas, [level], 'bailiwick.dev'));
  const authorizer = { authorize: async () => ({ allowed: mayList, reason: '' }) };
  service.resources.install({ handlers: [createFlowReviewHandler({ flowControl, authorizer })] });
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
  const spec = { containers: [{ name: 'c', image: 'i', env: [{ name: 'LARGE', value: 'x'.repeat(150_000) }] }] };
  const { code } = await service.send('POST', '/api/v1/namespaces/n/pods', { body: { ...pod, spec } });
  expect(code).toBe(201);
});
afterAll(() => service.stop());

async function review(spec: object): Promise<FlowReviewStatus> {
  mayList = true;
  const body = { apiVersion: 'review.bailiwick.dev/v1', kind: 'FlowReview', spec };
  const answer = await service.send('POST', '/apis/review.bailiwick.dev/v1/flowreviews', { body });
  expect(answer.code).toBe(201);
  return answer.body.status as FlowReviewStatus;
}

describe('a FlowReview', () => {
  it('tells schema, level, flow, hand and seats, and why the others do not match', async () => {
    const status = await review({ path: '/api/v1/pods?limit=500', user: 'jane', groups: ['system:authenticated'] });
    expect(status).toEqual({
      ...{ subject: true, exempt: false, flowSchemaUID: 'lists-uid', priorityLevelUID: 'level-uid' },
      seats: { initial: 2, final: 0, additionalLatencyMillis: 0 },
      ...{ flowSchema: 'lists', priorityLevel: 'batch', flowDistinguisher: 'jane' },
      flowHash: expect.stringMatching(/^[0-9a-f]{16}$/),
      hand: [expect.any(Number), expect.any(Number), expect.any(Number)],
      flowSchemas: [
        {
          ...{ name: 'exempt', priorityLevel: 'exempt', matchingPrecedence: 1, outcome: 'NotMatched' },
          rules: [{ field: 'spec.rules[0]', mismatch: 'subjects' }],
        },
        {
          ...{ name: 'of-others', priorityLevel: 'batch', matchingPrecedence: 50, outcome: 'NotMatched' },
          rules: [{ field: 'spec.rules[0]', mismatch: 'subjects' }],
        },
        { name: 'lists', priorityLevel: 'batch', matchingPrecedence: 100, outcome: 'Selected' },
        { name: 'more-lists', priorityLevel: 'batch', matchingPrecedence: 200, outcome: 'Preceded' },
        { name: 'catch-all', priorityLevel: 'catch-all', matchingPrecedence: 10_000, outcome: 'Preceded' },
        { name: 'lost', outcome: 'Dangling' },
      ],
    });
    expect(new Set(status.hand).size).toBe(3);
    expect(status.hand?.every((queue) => queue >= 0 && queue < 16)).toBe(true);
  });

  it.for<[what: string, spec: object, expected: object]>([
    ['who asks', { path: '/api/v1/pods' }, { flowSchema: 'more-lists', flowDistinguisher: 'tester' }],
    ['another verb', { path: '/api/v1/pods', method: 'POST', user: 'jane' }, { flowSchema: 'catch-all' }],
    ['a path without a resource', { path: '/version', user: 'jane' }, { flowSchema: 'catch-all', exempt: false }],
    ['an administrator', { path: '/', user: 'a', groups: ['system:masters'] }, { flowSchema: 'exempt', exempt: true }],
    ['what goes on for long', { path: '/api/v1/namespaces/n/pods/p/log', user: 'jane' }, { subject: false }],
    ['a watch', { path: '/api/v1/pods?watch=1', user: 'jane' }, { subject: true, seats: { initial: 1 } }],
    ['an encoded path', { path: '/api/v1/namespaces/%6E/pods', user: 'jane' }, { flowSchema: 'lists' }],
  ])('is about %s', async ([, spec, expected]) => {
    expect(await review(spec)).toMatchObject(expected);
  });

  it('says which rule a request comes closest to', async () => {
    const { flowSchemas } = await review({ path: '/api/v1/namespaces/n/pods', method: 'POST', user: 'jane' });
    expect(flowSchemas?.find(({ name }) => name === 'lists')).toMatchObject({
      outcome: 'NotMatched',
      rules: [{ field: 'spec.rules[0]', mismatch: 'verbs' }],
    });
  });

  it('names nothing to those who may not list the objects', async () => {
    const body = { apiVersion: 'review.bailiwick.dev/v1', kind: 'FlowReview', spec: { path: '/api/v1/pods' } };
    mayList = false;
    const answer = await service.send('POST', '/apis/review.bailiwick.dev/v1/flowreviews', { body });
    expect(answer.body.status).toEqual({
      ...{ subject: true, exempt: false, flowSchemaUID: 'more-lists-uid', priorityLevelUID: 'level-uid' },
    });
  });

  it('is not counted as the write that it is about', async () => {
    await review({ path: '/api/v1/namespaces/n/pods', method: 'POST' });
    const { text } = await service.send('GET', '/metrics');
    const [, count] =
      /^apiserver_flowcontrol_watch_count_samples_count\{flow_schema="catch-all".*\} (\d+)$/m.exec(text) ?? [];
    const before = Number(count ?? 0);
    await review({ path: '/api/v1/namespaces/n/pods', method: 'POST' });
    const { text: after } = await service.send('GET', '/metrics');
    // Each review is a write itself.
    expect(after).toContain('apiserver_flowcontrol_watch_count_samples_count{');
    expect(after).toMatch(
      new RegExp(`^apiserver_flowcontrol_watch_count_samples_count\\{flow_schema="catch-all".*\\} ${before + 1}$`, 'm'),
    );
  });
});
