import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Service } from './service/start-service.ts';
import { makeRandom } from './store/random.ts';
import { readEvents, type WatchedEvent } from './service/read-events.ts';

// Every round is a namespace of its own. Pods and services are the two kinds that this looks at; the history of both is checked at the end.
const rounds = process.env['BAILIWICK_SOAK'] === '1' ? 100 : 10;
const seed = Number(
  process.env['BAILIWICK_SEED'] ?? (process.env['BAILIWICK_SOAK'] === '1' ? Date.now() % 1_000_000 : 7),
);
const podLimit = 50;
const hard = { pods: String(podLimit), 'requests.cpu': '25', services: '20', 'services.nodeports': '30' };
const milliCpu = 500;

interface Use {
  readonly pods: number;
  readonly milliCpu: number;
  readonly services: number;
  readonly nodePorts: number;
}

const limit: Use = { pods: podLimit, milliCpu: 25_000, services: 20, nodePorts: 30 };
let service: Service;
const events: { pods: WatchedEvent[]; services: WatchedEvent[] } = { pods: [], services: [] };
let watches: Promise<void>[] = [];

/** Numbers from 0 to below `bound` that depend on the seed only. */
function makeDice(start: number): (bound: number) => number {
  const random = makeRandom(start);
  return (bound) => Math.floor(random() * bound);
}

function makePod(name: string): object {
  const container = { name: 'c', image: 'i', resources: { requests: { cpu: `${milliCpu}m` } } };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [container] } };
}

function makeServiceObject(name: string, ports: number): object {
  const list = Array.from({ length: ports }, (_, i) => ({ name: `p${i}`, port: i + 1 }));
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { type: 'NodePort', ports: list } };
}

async function create(path: string, object: object): Promise<number> {
  const answer = await service.request('POST', path, { body: object });
  if (answer.status !== 201 && answer.status !== 403 && answer.status !== 409) expect(answer.text).toBe('');
  if (answer.status === 403) expect(answer.json.message).toContain('exceeded quota: q, requested: ');
  return answer.status;
}

/** What events of both kinds make of the use of one namespace, one after the other. */
function replay(
  list: readonly WatchedEvent[],
  apply: (object: WatchedEvent['object']) => Partial<Use>,
): Map<string, Use[]> {
  const stored = new Map<string, Map<string, Partial<Use>>>();
  const history = new Map<string, Use[]>();
  for (const { type, object } of list) {
    const { namespace = '', name = '' } = object.metadata;
    const objects = stored.get(namespace) ?? new Map<string, Partial<Use>>();
    stored.set(namespace, objects);
    if (type === 'DELETED') objects.delete(name);
    else objects.set(name, apply(object));
    const sum = { pods: 0, milliCpu: 0, services: 0, nodePorts: 0 };
    for (const use of objects.values()) for (const key of Object.keys(sum) as (keyof Use)[]) sum[key] += use[key] ?? 0;
    history.set(namespace, [...(history.get(namespace) ?? []), sum]);
  }
  return history;
}

function measurePod(object: WatchedEvent['object']): Partial<Use> {
  const isOver = ['Succeeded', 'Failed'].includes(object['status']?.phase);
  return isOver ? {} : { pods: 1, milliCpu };
}

function measureService(object: WatchedEvent['object']): Partial<Use> {
  return { services: 1, nodePorts: object['spec']?.type === 'NodePort' ? object['spec'].ports.length : 0 };
}

/** What is stored in a namespace, in a quota's words. */
async function countStored(namespace: string): Promise<Record<string, string>> {
  const [pods, services] = await Promise.all(
    ['pods', 'services'].map((resource) => service.request('GET', `/api/v1/namespaces/${namespace}/${resource}`)),
  );
  const sum = { pods: 0, milliCpu: 0, services: 0, nodePorts: 0 };
  const uses = [...(pods?.json.items ?? []).map(measurePod), ...(services?.json.items ?? []).map(measureService)];
  for (const use of uses) for (const key of Object.keys(sum) as (keyof Use)[]) sum[key] += use[key] ?? 0;
  const cpu = sum.milliCpu % 1000 === 0 ? String(sum.milliCpu / 1000) : `${sum.milliCpu}m`;
  return {
    pods: String(sum.pods),
    'requests.cpu': cpu,
    services: String(sum.services),
    'services.nodeports': String(sum.nodePorts),
  };
}

async function readUsed(namespace: string): Promise<Record<string, string>> {
  const answer = await service.request('GET', `/api/v1/namespaces/${namespace}/resourcequotas/q`);
  return answer.json.status.used;
}

async function expectExactUse(namespace: string): Promise<void> {
  const stored = await countStored(namespace);
  await expect.poll(() => readUsed(namespace), { interval: 20 }).toEqual(stored);
}

/** One change of many that run at once; what it meets decides whether it succeeds. Resolves to the annotation of the quota that it set. */
async function disturb(namespace: string, dice: (bound: number) => number, i: number): Promise<string | undefined> {
  const path = `/api/v1/namespaces/${namespace}`;
  const pod = `p${dice(300)}`;
  const serviceName = `s${dice(30)}`;
  switch (dice(8)) {
    case 0:
    case 1:
      await service.request('DELETE', `${path}/pods/${pod}?gracePeriodSeconds=0`);
      return undefined;
    case 2:
      await service.request('PATCH', `${path}/pods/${pod}/status`, {
        body: { status: { phase: 'Succeeded' } },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      return undefined;
    case 3:
      await create(`${path}/pods`, makePod(`q${i}`));
      return undefined;
    case 4:
      await create(`${path}/services`, makeServiceObject(serviceName, 1 + dice(4)));
      return undefined;
    case 5: {
      const { spec } = makeServiceObject(serviceName, 1 + dice(6)) as { spec: object };
      await service.request('PATCH', `${path}/services/${serviceName}`, {
        body: { spec },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      return undefined;
    }
    case 6: {
      const answer = await service.request('PATCH', `${path}/resourcequotas/q`, {
        body: { metadata: { annotations: { [`k${i}`]: 'set' } } },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      return answer.status === 200 ? `k${i}` : undefined;
    }
    default:
      await service.request('DELETE', `${path}/services/${serviceName}`);
      return undefined;
  }
}

beforeAll(async () => {
  service = await startService();
  for (const resource of ['pods', 'services'] as const) {
    const list = await service.request('GET', `/api/v1/${resource}?limit=1`);
    const position = `resourceVersion=${list.json.metadata.resourceVersion}`;
    const stream = await service.open('GET', `/api/v1/${resource}?watch=true&timeoutSeconds=3600&${position}`);
    watches.push(readEvents(stream, events[resource], (event) => event.object.metadata.name === 'last'));
  }
});

afterAll(async () => {
  watches = [];
  await service?.stop();
});

describe(`quota under parallel requests, seed ${seed}`, () => {
  it.for(Array.from({ length: rounds }, (_, round) => round))('round %d', async (round) => {
    const namespace = `race-${round}`;
    const path = `/api/v1/namespaces/${namespace}`;
    const dice = makeDice(seed + round);
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await expect.poll(async () => (await service.request('GET', `${path}/serviceaccounts/default`)).status).toBe(200);
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard } };
    expect(await create(`${path}/resourcequotas`, quota)).toBe(201);
    // At once, before any controller can have seen the quota.
    const codes = await Promise.all(Array.from({ length: 300 }, (_, i) => create(`${path}/pods`, makePod(`p${i}`))));
    expect(codes.filter((code) => code === 201)).toHaveLength(podLimit);
    expect(await countStored(namespace)).toMatchObject({ pods: String(podLimit), 'requests.cpu': '25' });
    await expectExactUse(namespace);
    const set = await Promise.all(Array.from({ length: 200 }, (_, i) => disturb(namespace, dice, i)));
    await expectExactUse(namespace);
    // A charge that overwrote what came in between would take these along.
    const { annotations } = (await service.request('GET', `${path}/resourcequotas/q`)).json.metadata;
    const keys = set.filter((key) => key !== undefined);
    expect(Object.keys(annotations).toSorted()).toEqual(keys.toSorted());
  });

  it('has no revision in its history at which more is stored than a quota allows', async () => {
    const path = '/api/v1/namespaces/default';
    expect(await create(`${path}/pods`, makePod('last'))).toBe(201);
    expect(await create(`${path}/services`, makeServiceObject('last', 1))).toBe(201);
    await Promise.all(watches);
    const histories = [replay(events.pods, measurePod), replay(events.services, measureService)];
    for (const history of histories) {
      for (const [namespace, uses] of history) {
        if (!namespace.startsWith('race-')) continue;
        const excess = uses.filter((use) => (Object.keys(limit) as (keyof Use)[]).some((key) => use[key] > limit[key]));
        expect([namespace, excess]).toEqual([namespace, []]);
      }
    }
    expect(Math.max(...(histories[0]?.get('race-0') ?? []).map((use) => use.pods))).toBe(podLimit);
  });
});
