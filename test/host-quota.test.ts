import { setTimeout as wait } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { type Cluster, startCluster } from './cluster/start-cluster.ts';
import { RaceNamespace, type RaceReport } from './quota/race-namespace.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { startThirdParty, type ThirdParty } from './quota/start-third-party.ts';
import { type PodHistory, watchPods } from './quota/watch-pods.ts';
import { type ReleaseRun, startRelease } from './start-webhooks.ts';
import { makeRandom } from './store/random.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const rounds = isSoak ? 30 : 3;
// Each of these has its minute of quiet to itself.
const leaderRounds = isSoak ? 30 : 1;
const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Date.now() % 1_000_000 : 7));

/** Kills and starts again what `places` says, one after the other, until it is told to stop. */
function disturb(
  random: () => number,
  kill: (place: number) => Promise<void>,
  start: (place: number) => Promise<void>,
): () => Promise<number> {
  const ending = new AbortController();
  let kills = 0;
  const running = (async () => {
    for (let place = 0; !ending.signal.aborted; place = 1 - place) {
      await wait(random() * 700);
      await kill(place);
      kills += 1;
      await wait(random() * 300);
      await start(place);
    }
  })();
  return async () => {
    ending.abort();
    await running;
    return kills;
  };
}

describeCluster(`quota of 50 on a host under 300 parallel creates, seed ${seed}`, () => {
  let cluster: Cluster;
  let run: ReleaseRun;
  let thirdParty: ThirdParty;
  let history: PodHistory;

  beforeAll(async () => {
    cluster = await startCluster({
      controllerManager: true,
      apiServerFlags: ['--disable-admission-plugins=LimitRanger,ResourceQuota,ServiceAccount'],
      controllerManagerFlags: ['--controllers=*,-resourcequota-controller'],
    });
    run = await startRelease({ cluster, operators: 2 });
    thirdParty = await startThirdParty(cluster);
    history = await watchPods(cluster);
  });

  afterAll(async () => {
    await history?.stop();
    await thirdParty?.stop();
    await run?.stop();
    await cluster?.stop();
  });

  async function race(name: string, dice: number, disturbs: (random: () => number) => () => Promise<number>) {
    const random = makeRandom(dice);
    const namespace = new RaceNamespace(cluster, run, name);
    await namespace.open();
    const settle = disturbs(random);
    const answers = await namespace.race(random);
    const kills = await settle();
    return { namespace, answers, kills };
  }

  async function finish({ namespace, answers, kills }: Awaited<ReturnType<typeof race>>): Promise<RaceReport> {
    const stored = await namespace.countPods();
    const exactMillis = await namespace.awaitExact();
    const filled = exactMillis === undefined ? 0 : await namespace.fill();
    await waitUntil('the watch to show the last pod', async () => history.findMost(namespace.name) >= 50);
    const most = history.findMost(namespace.name);
    const report = { namespace: namespace.name, answers, kills, stored, most, exactMillis, filled };
    process.stdout.write(`${JSON.stringify(report)}\n`);
    for (const failure of [...namespace.failures].slice(0, 5)) process.stdout.write(`  ${failure}\n`);
    if (exactMillis === undefined) process.stdout.write(`${run.readLogs().split('\n').slice(-40).join('\n')}\n`);
    expect(most).toBe(50);
    expect(exactMillis).toBeLessThan(60_000);
    return report;
  }

  it('holds while webhooks are killed and started again', { timeout: 3_600_000 }, async () => {
    const finishing: Promise<RaceReport>[] = [];
    for (let round = 0; round < rounds; round++) {
      const raced = await race(`webhooks-${round}`, seed + round, (random) =>
        disturb(
          random,
          (place) => run.killWebhooks(place),
          (place) => run.startWebhooks(place),
        ),
      );
      const finished = finish(raced);
      finished.catch(() => undefined);
      finishing.push(finished);
      // Those that are not done yet are left in quiet for a while, as the promise has it.
      if (finishing.length % 5 === 0) await Promise.all(finishing);
    }
    await Promise.all(finishing);
    process.stdout.write(`${JSON.stringify({ denied: thirdParty.denied, namesTaken: thirdParty.stolen })}\n`);
    expect(thirdParty.denied).toBeGreaterThan(0);
    // How many it gets depends on how soon the quota is full.
    expect(thirdParty.attempts).toBeGreaterThan(0);
  });

  it('holds while the leader is killed', { timeout: 3_600_000 }, async () => {
    for (let round = 0; round < leaderRounds; round++) {
      const raced = await race(`leader-${round}`, seed - 1 - round, (random) =>
        disturb(
          random,
          (place) => run.killOperator(place),
          (place) => run.startOperator(place),
        ),
      );
      await finish(raced);
    }
  });
});
