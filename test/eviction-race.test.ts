import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { allowed, EvictionRace, type RaceSite, type SiteAnswer } from './eviction/eviction-race.ts';
import { HealthHistory } from './eviction/health-history.ts';
import { readEvents, type WatchedEvent } from './service/read-events.ts';
import { type Service, startService } from './service/start-service.ts';
import { makeRandom } from './store/random.ts';

const rounds = process.env['BAILIWICK_SOAK'] === '1' ? 50 : 5;
const seed = Number(
  process.env['BAILIWICK_SEED'] ?? (process.env['BAILIWICK_SOAK'] === '1' ? Date.now() % 1_000_000 : 7),
);
const noAnswer: SiteAnswer = { status: 0, body: undefined };

describe(`200 parallel evictions within a budget of 10, while the service is killed, seed ${seed}`, () => {
  let dataDir: string;
  let service: Service | undefined;

  const site: RaceSite = {
    budgetVersion: 'policy/v1',
    async ask(method, path, body, contentType) {
      const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
      const answer = await service?.request(method, path, { body, headers }).catch(() => undefined);
      return answer === undefined ? noAnswer : { status: answer.status, body: answer.json };
    },
  };

  /** Follows the budget of a race from now on; the promise that comes with it resolves when it is charged. */
  async function followCharges(namespace: string): Promise<{ readonly charged: Promise<void> }> {
    const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets?watch=true&timeoutSeconds=60`;
    const stream = await service?.open('GET', path);
    if (stream === undefined) throw new Error('the service does not run');
    const isCharged = ({ object }: WatchedEvent): boolean =>
      object['status']?.disruptedPods !== undefined && object['status'].disruptionsAllowed < allowed;
    return { charged: readEvents(stream, [], isCharged) };
  }

  /** Kills the service in the middle of the first evictions, and starts it again where it left off. */
  async function disturb(race: EvictionRace, random: () => number, charged: Promise<void>): Promise<number> {
    await charged;
    await wait(random() * 10);
    const killed = service;
    service = undefined;
    await killed?.kill();
    const restarted = await startService({ dataDir });
    service = restarted;
    await race.countStranded();
    return 1;
  }

  /** The health of a namespace at each revision since `resourceVersion`. */
  async function readHistory(namespace: string, resourceVersion: string) {
    const marker = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'last' } };
    await site.ask('POST', `/api/v1/namespaces/${namespace}/pods`, {
      ...marker,
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    const events: WatchedEvent[] = [];
    const query = `watch=true&timeoutSeconds=60&resourceVersion=${resourceVersion}`;
    const stream = await service?.open('GET', `/api/v1/namespaces/${namespace}/pods?${query}`);
    if (stream === undefined) throw new Error('the service does not run');
    await readEvents(stream, events, ({ object }) => object.metadata.name === 'last');
    const history = new HealthHistory();
    for (const { type, object } of events) history.note(type, object);
    return history.read(namespace);
  }

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'bailiwick-evictions-'));
    service = await startService({ dataDir });
  });

  afterAll(async () => {
    await service?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it.for(Array.from({ length: rounds }, (_, round) => round))('round %d', { timeout: 900_000 }, async (round) => {
    const random = makeRandom(seed + round);
    const race = new EvictionRace(site, `race-${round}`, random);
    const { body } = await site.ask('GET', '/api/v1/pods?limit=1');
    await race.open();
    const first = await followCharges(race.namespace);
    const report = await race.race(() => disturb(race, random, first.charged));
    expect(await race.list()).toHaveLength(200 - allowed);
    // Those that went are replaced, and as many may go again.
    await race.refill();
    await race.awaitAllowed();
    const second = await followCharges(race.namespace);
    const again = await race.race(() => disturb(race, random, second.charged));
    expect(await race.list()).toHaveLength(200 - allowed);
    const health = await readHistory(race.namespace, body.metadata.resourceVersion);
    process.stdout.write(`${JSON.stringify({ first: report, again, health })}\n`);
    expect(health).toEqual({ most: 200, least: 200 - allowed });
    expect([...race.oddities]).toEqual([]);
  });
});
