import { setTimeout as wait } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { type Cluster, startCluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { allowed, EvictionRace, type RaceSite } from './eviction/eviction-race.ts';
import { watchHealth, type WatchedHealth } from './eviction/watch-health.ts';
import { type ReleaseRun, startRelease } from './start-webhooks.ts';
import { makeRandom } from './store/random.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const rounds = isSoak ? 50 : 5;
const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Date.now() % 1_000_000 : 7));
const budgetVersion = 'policy.bailiwick.dev/v1';
const denied = 'admission webhook "evictions.bailiwick.dev" denied the request: ';
const violation = `${denied}Cannot evict pod as it would violate the pod's disruption budget.`;
const merge = { 'content-type': 'application/merge-patch+json' };

describeCluster('evictions on a host', () => {
  let cluster: Cluster;
  let run: ReleaseRun;

  beforeAll(async () => {
    cluster = await startCluster({ apiServerFlags: ['--disable-admission-plugins=ServiceAccount'] });
    run = await startRelease({ cluster });
  });

  afterAll(async () => {
    await run?.stop();
    await cluster?.stop();
  });

  async function expectAnswer(status: number, method: string, path: string, body?: object, headers = {}) {
    const answer = await cluster.request(method, path, { ...(body === undefined ? {} : { body }), headers });
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body).slice(0, 500)}`).toBe(status);
    return answer.body;
  }

  describe('that budgets decide', () => {
    let namespace: string;
    let made = 0;
    const pods = () => `/api/v1/namespaces/${namespace}/pods`;
    const budgets = () => `/apis/${budgetVersion}/namespaces/${namespace}/poddisruptionbudgets`;

    async function open(): Promise<void> {
      namespace = `evictions-${made++}`;
      await expectAnswer(201, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    }

    async function makePod(name: string, isReady = true, metadata: object = {}): Promise<void> {
      await expectAnswer(201, 'POST', pods(), {
        metadata: { name, labels: { app: 'web' }, ...metadata },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      });
      const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
      await expectAnswer(200, 'PATCH', `${pods()}/${name}/status`, { status: { phase: 'Running', conditions } }, merge);
    }

    async function readBudget(name: string) {
      return expectAnswer(200, 'GET', `${budgets()}/${name}`);
    }

    /** Makes a budget, and waits until it is counted, which it says only once it is in force. */
    async function makeBudget(name: string, spec: object, disruptionsAllowed: number): Promise<void> {
      await expectAnswer(201, 'POST', budgets(), {
        apiVersion: budgetVersion,
        kind: 'PodDisruptionBudget',
        metadata: { name },
        spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
      });
      await waitUntil(`the budget ${name} to be counted`, async () => {
        const { status } = await readBudget(name);
        return status?.observedGeneration === 1 && status.disruptionsAllowed === disruptionsAllowed;
      });
    }

    function evict(name: string, deleteOptions?: object, query = '') {
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, deleteOptions };
      return cluster.request('POST', `${pods()}/${name}/eviction${query}`, { body });
    }

    it('are granted as far as a budget allows, and charged', async () => {
      await open();
      for (const name of ['a', 'b', 'c']) await makePod(name);
      await makeBudget('web', { minAvailable: 2 }, 1);
      const before = await readBudget('web');
      expect((await evict('a', undefined, '?dryRun=All')).status).toBe(201);
      expect((await evict('a', { dryRun: ['All'] })).status).toBe(201);
      expect((await readBudget('web')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
      expect((await evict('a')).status).toBe(201);
      await expectAnswer(404, 'GET', `${pods()}/a`);
      const refusal = await evict('b');
      expect(refusal.status).toBe(429);
      expect(refusal.headers['retry-after']).toBeUndefined();
      expect(refusal.body).toMatchObject({ reason: 'TooManyRequests', message: violation });
      expect(refusal.body.details.causes).toEqual([
        {
          reason: 'DisruptionBudget',
          message: expect.stringMatching(/^The disruption budget web needs 2 healthy pods and has [23] currently$/),
        },
      ]);
      expect((await evict('b', undefined, '?dryRun=All')).status).toBe(429);
    });

    it('are put off while a budget is not counted', async () => {
      await open();
      const ownerReferences = [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone', uid: 'gone', controller: true },
      ];
      for (const name of ['a', 'b', 'c']) await makePod(name, true, { ownerReferences });
      await makeBudget('web', { minAvailable: 1 }, 2);
      // Nobody knows how many there should be.
      await expectAnswer(200, 'PATCH', `${budgets()}/web`, { spec: { minAvailable: '40%' } }, merge);
      const answer = await evict('a');
      expect(answer.status).toBe(429);
      expect(answer.headers['retry-after']).toBe('10');
      const message = 'The disruption budget web is still being processed by the server.';
      expect(answer.body.details).toMatchObject({
        retryAfterSeconds: 10,
        causes: [{ reason: 'DisruptionBudget', message }],
      });
      await expectAnswer(200, 'PATCH', `${budgets()}/web`, { spec: { minAvailable: 2 } }, merge);
      await waitUntil('the eviction to be granted', async () => (await evict('a')).status === 201);
    });

    it('need every budget of a pod, and name each that stands in the way', async () => {
      await open();
      for (const name of ['a', 'b', 'c']) await makePod(name);
      await makeBudget('all', { minAvailable: 1, selector: {} }, 2);
      await makeBudget('web', { minAvailable: 3 }, 0);
      await makeBudget('web-too', { minAvailable: '100%' }, 0);
      const refused = await evict('a');
      expect(refused.status).toBe(429);
      const causes = refused.body.details.causes as { message: string }[];
      expect(causes.map(({ message }) => message.split(' ')[3])).toEqual(['web', 'web-too']);
      expect((await readBudget('all')).status.disruptedPods).toBeUndefined();
      await expectAnswer(200, 'DELETE', `${budgets()}/web-too`);
      await expectAnswer(200, 'PATCH', `${budgets()}/web`, { spec: { minAvailable: 2 } }, merge);
      await waitUntil('the eviction to be granted', async () => (await evict('a')).status === 201);
      await waitUntil('both to be charged', async () => {
        const all = [await readBudget('all'), await readBudget('web')];
        return all.map(({ status }) => status.disruptionsAllowed).join(' ') === '1 0';
      });
    });

    it('of unhealthy pods go as the budget says', async () => {
      await open();
      await makePod('healthy');
      await makePod('ill', false);
      await makeBudget('web', { minAvailable: 2 }, 0);
      expect((await evict('ill')).status).toBe(429);
      await expectAnswer(
        200,
        'PATCH',
        `${budgets()}/web`,
        { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
        merge,
      );
      expect((await evict('ill')).status).toBe(201);
      expect((await evict('healthy')).status).toBe(429);
    });

    it('of pods that are not meant are refused before anything is charged', async () => {
      await open();
      await makePod('a');
      await makePod('b');
      await makeBudget('web', { minAvailable: 1 }, 1);
      for (const preconditions of [{ uid: 'other' }, { resourceVersion: '1' }]) {
        const answer = await evict('a', { preconditions });
        expect(answer.status).toBe(409);
        expect(answer.body.message).toContain(`${denied}Operation cannot be fulfilled on Pod "a": the `);
      }
      expect((await readBudget('web')).status).toMatchObject({ disruptionsAllowed: 1 });
      expect((await readBudget('web')).status.disruptedPods).toBeUndefined();
    });

    it('are asked of the budgets of the host afterwards', async () => {
      await open();
      await makePod('a');
      await makePod('b');
      await makeBudget('web', { minAvailable: 1 }, 1);
      await expectAnswer(201, 'POST', `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, {
        metadata: { name: 'of-the-host' },
        spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
      });
      const answer = await evict('a');
      expect(answer.status).toBe(429);
      expect(answer.body.details.causes[0].message).toContain('of-the-host');
      // The charge stays until its time is over, and holds for whoever tries the same again.
      await waitUntil('the charge to be seen', async () => {
        const { status } = await readBudget('web');
        return Object.keys(status.disruptedPods ?? {}).join() === 'a' && status.disruptionsAllowed === 0;
      });
      expect((await evict('b')).body.message).toBe(violation);
      await expectAnswer(200, 'DELETE', `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/of-the-host`);
      expect((await evict('a')).status).toBe(201);
    });

    it('are not asked about where no budget is', async () => {
      await open();
      await makePod('a');
      await run.killWebhooks(0);
      await run.killWebhooks(1);
      try {
        expect((await evict('a')).status).toBe(201);
        namespace = 'evictions-0';
        const answer = await evict('b');
        expect(answer.status).toBe(500);
        expect(answer.body.message).toContain('failed calling webhook "evictions.bailiwick.dev"');
      } finally {
        await Promise.all([run.startWebhooks(0), run.startWebhooks(1)]);
      }
      expect((await evict('b')).status).toBe(429);
    });

    it('are only told of in an audit, and not at all when nothing is enforced', async () => {
      namespace = 'evictions-0';
      await run.setEnforcement('Audit');
      try {
        await waitUntil('the audit', async () => {
          const answer = await evict('b', undefined, '?dryRun=All');
          const warning = answer.headers['warning'] ?? '';
          return answer.status === 201 && warning.includes('would be refused: Cannot evict pod');
        });
        await run.setEnforcement('Off');
        await waitUntil('nothing to be enforced', async () => {
          const answer = await evict('b', undefined, '?dryRun=All');
          return answer.status === 201 && answer.headers['warning'] === undefined;
        });
      } finally {
        await run.setEnforcement('Enforce');
      }
      await waitUntil(
        'budgets to be in force again',
        async () => (await evict('b', undefined, '?dryRun=All')).status === 429,
      );
    });
  });

  describe(`200 at once within a budget of 10, while webhooks are killed, seed ${seed}`, () => {
    let health: WatchedHealth;
    const site: RaceSite = {
      budgetVersion,
      ask: (method, path, body, contentType) =>
        cluster
          .request(method, path, {
            ...(body === undefined ? {} : { body }),
            ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
          })
          .catch(() => ({ status: 0, body: undefined })),
    };

    beforeAll(async () => {
      health = await watchHealth(cluster);
    });

    afterAll(async () => {
      await health?.stop();
    });

    let restarting = Promise.resolve();

    /** Kills a replica in the middle of what it charges; it comes back while the other one goes on. */
    async function disturb(race: EvictionRace, place: number, random: () => number): Promise<number> {
      await health.awaitCharge(race.namespace);
      await wait(random() * 10);
      await run.killWebhooks(place);
      restarting = run.startWebhooks(place);
      restarting.catch(() => undefined);
      await race.countStranded();
      return 1;
    }

    it.for(Array.from({ length: rounds }, (_, round) => round))('round %d', { timeout: 900_000 }, async (round) => {
      const random = makeRandom(seed + round);
      const race = new EvictionRace(site, `race-${round}`, random);
      await race.open();
      const report = await race.race(() => disturb(race, 0, random));
      expect(await race.list()).toHaveLength(200 - allowed);
      // Those that went are replaced, and as many may go again.
      await race.refill();
      await race.awaitAllowed();
      await restarting;
      const again = await race.race(() => disturb(race, 1, random));
      await restarting;
      expect(await race.list()).toHaveLength(200 - allowed);
      await waitUntil(
        'the watch to show the last eviction',
        async () => health.countNow(race.namespace) === 200 - allowed,
      );
      const seen = health.read(race.namespace);
      process.stdout.write(`${JSON.stringify({ first: report, again, health: seen })}\n`);
      expect(seen).toEqual({ most: 200, least: 200 - allowed });
      // Calls that were under way when a replica was killed fail, and a busy machine may not ask in time; nothing else goes wrong.
      const excused = [
        '500 Internal error occurred: failed calling webhook',
        `429 ${denied}the disruption budgets of the pod could not be asked in time`,
      ];
      expect([...race.oddities].filter((text) => !excused.some((start) => text.startsWith(start)))).toEqual([]);
    });
  });
});
