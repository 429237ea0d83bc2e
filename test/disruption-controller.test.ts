import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { formatTime } from '../core/time/time.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster, type Cluster } from './cluster/start-cluster.ts';
import { waitForValue, waitUntil } from './cluster/wait-until.ts';
import { awaitObjects, type AnyObject } from './controllers/await-objects.ts';
import { runPods } from './controllers/run-pods.ts';
import { startControllerManager, type ControllerManager } from './controllers/start-controller-manager.ts';
import { countScenarios } from './disruption/count-scenarios.ts';
import {
  createBudget,
  describeStatus,
  normalizeStatus,
  prepareScenario,
  rolloutDefinition,
  type SendRequest,
} from './disruption/play-scenario.ts';
import { startService, type Service } from './service/start-service.ts';
import { startRelease, type ReleaseRun } from './start-webhooks.ts';

const domain = 'disruption.example';
/** Events that only ours has: a warning, and what a host is told of every kind of ours. */
const ownReasons = ['ImpossibleBudget', 'Enforced'];
/** Ours keeps and counts every budget of a pod: disruption-several-budgets in docs/deviations.md. */
const theirReasons = ['MultiplePodDisruptionBudgets'];

let service: Service;

interface Answer {
  readonly status: number;
  /** The parsed body. */
  readonly body?: unknown;
  readonly json?: unknown;
}

/** Something that takes requests, as a service or a cluster does. */
interface Asked {
  request(method: string, path: string, options: { body?: unknown; headers?: Record<string, string> }): Promise<Answer>;
}

function sendTo(target: Asked): SendRequest {
  return async (method, path, body, contentType) => {
    const answer = await target.request(method, path, {
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
    });
    const found = (answer.body ?? answer.json) as AnyObject;
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(found)}`);
    return found;
  };
}

/** Where a budget is that somebody counts. */
interface Counted {
  readonly who: string;
  readonly send: SendRequest;
  readonly apiVersion: string;
  /** Reasons of Events that only this one has. */
  readonly ignored: readonly string[];
}

async function readStatus({ send, apiVersion }: Counted, namespace: string): Promise<AnyObject> {
  return (await send('GET', `/apis/${apiVersion}/namespaces/${namespace}/poddisruptionbudgets/b`))[
    'status'
  ] as AnyObject;
}

/** The Events of a namespace's budgets of this group and of its pods, each once. */
async function listEvents({ send, apiVersion, ignored }: Counted, namespace: string): Promise<string[]> {
  const { items } = await send('GET', `/api/v1/namespaces/${namespace}/events`);
  const told = (items as AnyObject[]).filter(({ involvedObject, reason }) => {
    const isOfGroup = involvedObject.kind === 'PodDisruptionBudget' && involvedObject.apiVersion === apiVersion;
    return isOfGroup && !ignored.includes(reason as string);
  });
  const lines = told.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  return [...new Set(lines)].toSorted();
}

describeCluster('Our disruption controller beside that of Kubernetes', () => {
  let cluster: Cluster;
  let run: ReleaseRun;
  let real: Counted;
  let embedded: Counted;
  let onHost: Counted;

  beforeAll(async () => {
    [cluster, service] = await Promise.all([
      startCluster({
        controllerManager: true,
        controllerManagerFlags: ['--controllers=disruption-controller'],
        apiServerFlags: ['--disable-admission-plugins=ServiceAccount'],
      }),
      startService({ domain: 'k8s.io' }),
    ]);
    run = await startRelease({ cluster, domain, replicas: 1 });
    real = { who: 'Kubernetes', send: sendTo(cluster), apiVersion: 'policy/v1', ignored: theirReasons };
    embedded = { who: 'ours embedded', send: sendTo(service), apiVersion: 'policy/v1', ignored: ownReasons };
    onHost = { who: 'ours on a host', send: sendTo(cluster), apiVersion: `policy.${domain}/v1`, ignored: ownReasons };
    await Promise.all([real, embedded].map(({ send }) => createDefinition(send)));
  });
  afterAll(async () => {
    await run?.stop();
    await Promise.all([cluster?.stop(), service?.stop()]);
  });

  async function createDefinition(send: SendRequest): Promise<void> {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await send('POST', path, rolloutDefinition);
    await waitUntil('the kind Rollout', async () => {
      const { items } = await send('GET', path);
      const { status } = (items as AnyObject[]).find(({ spec }) => spec.names.kind === 'Rollout') ?? {};
      return JSON.stringify(status).includes('"type":"Established"');
    });
  }

  it.concurrent.for(countScenarios.map((scenario, i) => ({ ...scenario, namespace: `count-${i}` })))(
    'counts $name as Kubernetes does, embedded and on a host',
    async ({ namespace, ...scenario }, { expect: check }) => {
      const expected = scenario.fault === undefined ? scenario.counts : `${scenario.counts} ${scenario.fault}`;
      await Promise.all([real, embedded].map(({ send }) => prepareScenario(send, namespace, scenario)));
      const everybody = [real, embedded, onHost];
      await Promise.all(
        everybody.map(({ send, apiVersion }) =>
          createBudget(send, `/apis/${apiVersion}/namespaces/${namespace}/poddisruptionbudgets`, apiVersion, scenario),
        ),
      );
      for (const counted of everybody) {
        let found = '';
        await waitUntil(`${counted.who} to count ${expected}`, async () => {
          found = describeStatus(await readStatus(counted, namespace));
          return found === expected;
        }).catch((error: unknown) => {
          throw new Error(`${counted.who} counts ${found}, not ${expected}`, { cause: error });
        });
      }
      const [theirs, ...ours] = await Promise.all(everybody.map((counted) => readStatus(counted, namespace)));
      for (const status of ours) check(normalizeStatus(status)).toEqual(normalizeStatus(theirs ?? {}));
      // Events come after the status, at each in its own time.
      const [told, ...alike] = await waitForValue(
        `the same Events of ${namespace} everywhere`,
        () => Promise.all(everybody.map((counted) => listEvents(counted, namespace))),
        ([first = [], ...others]) =>
          (scenario.fault === undefined || first.length > 0) &&
          others.every((lines) => lines.join('\n') === first.join('\n')),
      );
      for (const lines of alike) check(lines).toEqual(told);
    },
  );

  /** Marks a pod as a target of a disruption three minutes ago; resolves to the condition when it is no longer True. */
  async function awaitMarkTakenBack(send: SendRequest): Promise<AnyObject> {
    await prepareScenario(send, 'marks', { name: '', budget: {}, counts: '', pods: [{ name: 'marked' }] });
    const path = '/api/v1/namespaces/marks/pods/marked';
    const lastTransitionTime = formatTime(Date.now() - 180_000);
    const mark = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'm' };
    const status = { conditions: [{ ...mark, lastTransitionTime }] };
    await send('PATCH', `${path}/status`, { status }, 'application/strategic-merge-patch+json');
    let found: AnyObject = {};
    await waitUntil('the mark to be taken back', async () => {
      const conditions = (await send('GET', path))['status'].conditions as AnyObject[];
      found = conditions.find(({ type }) => type === 'DisruptionTarget') ?? {};
      return found['status'] !== 'True';
    });
    return found;
  }

  it('takes back a mark that is out of date as Kubernetes does', async () => {
    const [theirs, ours] = await Promise.all([real, embedded].map(({ send }) => awaitMarkTakenBack(send)));
    expect({ ...ours, lastTransitionTime: '' }).toEqual({ ...theirs, lastTransitionTime: '' });
  });

  it('counts every budget of a pod, at every change of the pod', async () => {
    const budgets = `/apis/policy/v1/namespaces/both/poddisruptionbudgets`;
    const scenario = { name: '', budget: { minAvailable: 0 }, counts: '', pods: [{ name: 'p' }] };
    await prepareScenario(embedded.send, 'both', scenario);
    for (const name of ['a', 'b', 'c']) {
      const spec = { minAvailable: 0, selector: { matchLabels: { app: 'counted' } } };
      await embedded.send('POST', budgets, { metadata: { name }, spec });
    }
    for (const ready of [true, false, true]) {
      const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
      const path = '/api/v1/namespaces/both/pods/p/status';
      await embedded.send('PATCH', path, { status: { conditions } }, 'application/strategic-merge-patch+json');
      await waitUntil('all three to be counted', async () => {
        const { items } = await embedded.send('GET', budgets);
        return (items as AnyObject[]).every(({ status }) => (status.currentHealthy ?? 0) === (ready ? 1 : 0));
      });
    }
  });
});

describeCluster('Our disruption controller beside the other controllers of Kubernetes', () => {
  let controllers: ControllerManager;
  const deployments = '/apis/apps/v1/namespaces/work/deployments';
  const budgets = '/apis/policy/v1/namespaces/work/poddisruptionbudgets';
  const pods = '/api/v1/namespaces/work/pods';
  const labels = { app: 'web' };

  beforeAll(async () => {
    service = await startService({ domain: 'k8s.io' });
    controllers = await startControllerManager(service, ['--controllers=*,-disruption-controller']);
  });
  afterAll(async () => {
    await controllers?.stop();
    await service?.stop();
  });

  const awaitAll = (path: string, check: (items: AnyObject[]) => boolean): Promise<AnyObject[]> =>
    awaitObjects(service, path, check, () => controllers.checkAlive());

  async function scaleTo(replicas: number): Promise<void> {
    const merge = 'application/merge-patch+json';
    await sendTo(service)('PATCH', `${deployments}/web/scale`, { spec: { replicas } }, merge);
  }

  describe('follows a deployment', () => {
    it('as it starts, is scaled up, and is scaled down', async () => {
      const send = sendTo(service);
      await send('POST', '/api/v1/namespaces', { metadata: { name: 'work' } });
      const selector = { matchLabels: labels };
      await send('POST', budgets, { metadata: { name: 'web' }, spec: { maxUnavailable: '34%', selector } });
      const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      await send('POST', deployments, { metadata: { name: 'web' }, spec: { replicas: 3, selector, template } });
      await awaitAll(budgets, ([web]) => describeStatus(web?.['status'] as AnyObject) === '1/3/0/0');
      await runPods(service, await awaitAll(pods, (items) => items.length === 3));
      await awaitAll(budgets, ([web]) => describeStatus(web?.['status'] as AnyObject) === '1/3/3/2');
      await scaleTo(6);
      await awaitAll(budgets, ([web]) => describeStatus(web?.['status'] as AnyObject) === '3/6/3/0');
      await runPods(service, await awaitAll(pods, (items) => items.length === 6));
      await awaitAll(budgets, ([web]) => describeStatus(web?.['status'] as AnyObject) === '3/6/6/3');
      await scaleTo(1);
      await awaitAll(budgets, ([web]) => describeStatus(web?.['status'] as AnyObject) === '0/1/1/1');
      await scaleTo(0);
      await awaitAll(budgets, ([web]) => describeStatus(web?.['status'] as AnyObject) === '0/0/0/0');
    });
  });
});
