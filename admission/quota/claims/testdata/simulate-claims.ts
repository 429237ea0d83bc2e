import type { Clock } from '../../../../platform/process/clock.ts';
import type { LedgerQuota } from '../../../../kinds/core/resource-quota/quota-claim.ts';
import { ClaimQuotaPlugin } from '../claim-quota-plugin.ts';
import { DeletedObjects } from '../deleted-objects.ts';
import { LedgerCache } from '../ledger-cache.ts';
import { recountLedger, type RecountServices } from '../recount-ledger.ts';
import { SeenClaims } from '../seen-claims.ts';
import { type Caller, type HostFlaws, SimulatedHost, type Thing, thingEvaluator } from './simulated-host.ts';
import { VirtualTime } from './virtual-time.ts';

const HOUR_MILLIS = 3_600_000;
const WRITE_MILLIS = 34_000;
const WEBHOOK_TIMEOUT_MILLIS = 10_000;
const SETTLE_MILLIS = 60_000;
const DEBOUNCE_MILLIS = 1_000;

/** What a run came to; `faults` is empty when it kept every promise. */
export interface SimulationResult {
  readonly faults: readonly string[];
  readonly stored: number;
  readonly refused: number;
  /** Answers that ask to try again: deadlines, dead webhooks, a third party's denials. */
  readonly failed: number;
}

type Random = () => number;

interface Webhook {
  readonly program: Program;
  readonly plugin: ClaimQuotaPlugin;
}

/** mulberry32. */
function makeRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A program of its own: dies with all that it knows, while what it has sent may still arrive. */
class Program implements Caller {
  isAlive = true;
  readonly random: Random;
  readonly died = Promise.withResolvers<void>();
  readonly #lossy: boolean;

  constructor(random: Random, lossy: boolean) {
    this.random = random;
    this.#lossy = lossy;
  }

  nextLatencyMillis(): number {
    const dice = this.random();
    return dice < 0.9 ? 1 + this.random() * 4 : dice < 0.99 ? this.random() * 200 : this.random() * 3000;
  }

  losesAnswer(): boolean {
    return this.#lossy && this.random() < 0.02;
  }

  kill(): void {
    this.isAlive = false;
    this.died.resolve();
  }
}

interface Candidate {
  readonly program: Program;
  readonly seen: SeenClaims;
  readonly monotonicMillis: () => number;
  readonly clock: Clock;
}

/** One run: clients, webhooks that are killed, leaders that come and go, and a host between them. */
class Simulation {
  readonly time = new VirtualTime();
  readonly host: SimulatedHost;
  readonly random: Random;
  readonly #webhooks: Webhook[] = [];
  readonly #isLossy: boolean;
  #leader: Program | undefined;
  #uid = 0;
  #open = 0;
  stored = 0;
  refused = 0;
  failed = 0;

  constructor(seed: number, flaws: HostFlaws) {
    this.random = makeRandom(seed);
    this.host = new SimulatedHost(this.time, flaws);
    this.#isLossy = this.random() < 0.5;
    this.host.addQuota('a', { pods: '5', 'requests.cpu': '12' }, []);
    if (this.random() < 0.7) this.host.addQuota('b', { 'requests.cpu': '6', 'count/pods': '9' }, ['NotTerminating']);
    this.#startWebhook(0);
    this.#startWebhook(1);
    const leaders = flaws.leaders ?? (this.random() < 0.2 ? 2 : 1);
    for (let i = 0; i < leaders; i++) this.startLeader(leaders > 1);
  }

  pick(bound: number): number {
    return Math.floor(this.random() * bound);
  }

  #newProgram(): Program {
    return new Program(makeRandom(this.pick(2 ** 31)), this.#isLossy);
  }

  #startWebhook(i: number): void {
    const program = this.#newProgram();
    const clock = this.time.makeClock((this.random() - 0.5) * HOUR_MILLIS);
    const lagMillis = this.random() < 0.8 ? this.random() * 100 : this.random() * 10_000;
    const index = {
      list: () =>
        [...this.host.quotas.keys()].flatMap((name): LedgerQuota[] => {
          const quota = this.host.recall(name, this.time.now - lagMillis);
          return quota === undefined ? [] : [quota];
        }),
    };
    const client = this.host.connect(program);
    const plugin = new ClaimQuotaPlugin({
      ...{ client, clock, domain: 'example.com', random: program.random, quotas: new LedgerCache(index) },
      onFailure: () => {},
      evaluators: { find: () => thingEvaluator },
    });
    this.#webhooks[i] = { program, plugin };
  }

  /** A program that may lead later, and notes claims until then as they come. */
  #standBy(): Candidate {
    const program = this.#newProgram();
    const rate = 0.98 + this.random() * 0.04;
    const offset = this.random() * HOUR_MILLIS;
    const monotonicMillis = (): number => offset + this.time.now * rate;
    const seen = new SeenClaims(monotonicMillis);
    const listener = ({ quota }: { quota?: LedgerQuota }): void => {
      if (quota !== undefined) this.time.schedule(program.nextLatencyMillis(), () => seen.note(quota));
    };
    this.host.listeners.add(listener);
    void program.died.promise.then(() => this.host.listeners.delete(listener));
    return { program, seen, monotonicMillis, clock: this.time.makeClock(offset, rate) };
  }

  /** Another one leads; the one before is dead, or only believes to lead still. */
  startLeader(isRival = false, candidate = this.#standBy()): void {
    const { program, seen, monotonicMillis, clock } = candidate;
    const isDeluded = isRival || this.random() < 0.5;
    const services: RecountServices = {
      ...{ client: this.host.connect(program), clock, domain: 'example.com' },
      evaluators: { listCountable: () => [{ evaluator: thingEvaluator, version: 'v1' }] },
      ...{ seen, deleted: new DeletedObjects(monotonicMillis), monotonicMillis },
      isLeading: () => program.isAlive && (isDeluded || this.#leader === program),
    };
    this.#leader = program;
    for (const name of this.host.quotas.keys()) this.#lead(services, program, name);
  }

  #lead(services: RecountServices, program: Program, name: string): void {
    let dueAt = Infinity;
    let isRunning = false;
    const schedule = (delayMillis: number): void => {
      const at = this.time.now + delayMillis;
      if (at >= dueAt) return;
      dueAt = at;
      this.time.schedule(delayMillis, () => {
        if (dueAt === at) void recount();
      });
    };
    const recount = async (): Promise<void> => {
      dueAt = Infinity;
      if (isRunning) return schedule(100);
      isRunning = true;
      try {
        const { againAfterMillis } = await recountLedger(services, 'n', name);
        if (againAfterMillis !== undefined) schedule(againAfterMillis + 1);
      } catch {
        schedule(500);
      } finally {
        isRunning = false;
      }
    };
    const listener = ({ deleted, quota }: { deleted?: string; quota?: LedgerQuota }): void => {
      this.time.schedule(program.nextLatencyMillis(), () => {
        if (!program.isAlive) return;
        if (deleted !== undefined) services.deleted.add(deleted);
        if (quota?.metadata.name === name) services.seen.note(quota);
        if (quota === undefined || quota.status?.count?.generation !== quota.metadata.generation) schedule(DEBOUNCE_MILLIS);
        else if ((quota.status?.claims ?? []).length > 0) schedule(36_500);
      });
    };
    this.host.listeners.add(listener);
    void program.died.promise.then(() => this.host.listeners.delete(listener));
    schedule(0);
  }

  /** The leader dies, or is cut off and believes for a while that it leads; another follows. */
  async replaceLeader(): Promise<void> {
    this.#open += 1;
    const old = this.#leader;
    const isCutOff = this.random() < 0.5;
    const standby = this.random() < 0.5 ? this.#standBy() : undefined;
    if (!isCutOff) old?.kill();
    await this.time.sleep(this.random() * 17_000);
    this.startLeader(false, standby);
    await this.time.sleep(this.random() * 20_000);
    old?.kill();
    this.#open -= 1;
  }

  async replaceWebhook(i: number): Promise<void> {
    this.#webhooks[i]?.program.kill();
    await this.time.sleep(this.random() * 3_000);
    this.#startWebhook(i);
  }

  get isQuiet(): boolean {
    return this.#open === 0;
  }

  /** What the webhooks of a write answer: ours and a third party's, asked at the same time; none of them by force of a crash or timeout. */
  async #review(object: Thing, oldObject?: Thing, dryRun = false): Promise<boolean> {
    const { program, plugin } = this.#webhooks[this.pick(this.#webhooks.length)] as Webhook;
    const attributes = {
      operation: oldObject === undefined ? ('CREATE' as const) : ('UPDATE' as const),
      ...{ resource: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespace: 'n', name: '' },
      ...{ object, dryRun, user: { username: 'u', groups: [] } },
      ...(oldObject === undefined ? {} : { oldObject }),
    };
    const ours = async (): Promise<boolean> => {
      if (!program.isAlive) return false;
      await this.time.sleep(program.nextLatencyMillis());
      try {
        await plugin.validate(attributes);
        return true;
      } catch (error) {
        if (String(error).includes('exceeded quota')) this.refused += 1;
        return false;
      }
    };
    const third = async (): Promise<boolean> => {
      const isSlow = this.random() < 0.05;
      const denies = this.random() < 0.25;
      await this.time.sleep(isSlow ? this.random() * 25_000 : this.random() * 30);
      return !denies;
    };
    const timeout = this.time.sleep(WEBHOOK_TIMEOUT_MILLIS).then(() => false);
    const [isAllowed, isLiked] = await Promise.all([
      Promise.race([ours(), timeout, program.died.promise.then(() => false)]),
      third(),
    ]);
    if (!isAllowed || !isLiked) this.failed += 1;
    return isAllowed && isLiked;
  }

  /** Waits as a busy store does; false when the host has given the write up by then. */
  async #reachStore(startMillis: number): Promise<boolean> {
    const limit = this.host.flaws.writeMillis ?? WRITE_MILLIS;
    const left = startMillis + limit - this.time.now;
    if (left <= 0) return false;
    const dice = this.random();
    const delay = dice < 0.85 ? this.random() * 10 : dice < 0.95 ? this.random() * left : left - this.random() * 5;
    await this.time.sleep(delay);
    return this.time.now <= startMillis + limit;
  }

  async create(): Promise<void> {
    this.#open += 1;
    const startMillis = this.time.now;
    const dryRun = this.random() < 0.05;
    const spec = { cpu: 1 + this.pick(4), hot: this.random() < 0.5 };
    for (let attempt = 0; attempt < 8; attempt++) {
      const uid = `t${(this.#uid += 1)}`;
      const thing: Thing = { apiVersion: 'v1', kind: 'Pod', metadata: { uid, namespace: 'n' }, spec, status: { over: false } };
      if (!(await this.#review(thing, undefined, dryRun)) || dryRun) break;
      if (!(await this.#reachStore(startMillis))) break;
      // Another object has the generated name already: the host tries again as a new object.
      if (this.random() < 0.15) continue;
      if (this.host.store(thing)) this.stored += 1;
      break;
    }
    this.#open -= 1;
  }

  async update(): Promise<void> {
    const things = [...this.host.things.values()].filter(({ status }) => !status.over);
    const uid = things[this.pick(things.length)]?.metadata.uid;
    if (uid === undefined) return;
    this.#open += 1;
    const startMillis = this.time.now;
    const cpu = 1 + this.pick(6);
    const flipsHot = this.random() < 0.2;
    let stale = this.random() < 0.3 ? this.host.things.get(uid) : undefined;
    if (stale !== undefined) await this.time.sleep(this.random() * 3_000);
    for (let attempt = 0; attempt < 5; attempt++) {
      const old = stale ?? this.host.things.get(uid);
      stale = undefined;
      if (old === undefined || old.status.over) break;
      const spec = { cpu, hot: flipsHot ? !old.spec.hot : old.spec.hot };
      const next: Thing = { ...old, spec };
      if (!(await this.#review(next, old))) {
        // Some clients ask again at once, with the same object.
        if (this.random() < 0.5) break;
        continue;
      }
      if (!(await this.#reachStore(startMillis)) || this.host.store(next)) break;
    }
    this.#open -= 1;
  }

  end(): void {
    const things = [...this.host.things.values()];
    const thing = things[this.pick(things.length)];
    if (thing === undefined) return;
    if (this.random() < 0.6) this.host.remove(thing.metadata.uid ?? '');
    else this.host.store({ ...thing, status: { over: true } });
  }

  raise(): void {
    this.host.respecify('a', { pods: '6', 'requests.cpu': '14' });
  }

  /** After the quiet: used is what is stored, and nothing is left open. */
  checkExact(): string[] {
    return [...this.host.quotas.values()].flatMap((quota) => {
      const { name } = quota.metadata;
      const stored = Object.fromEntries(Object.entries(this.host.measure(quota)).map(([key, amount]) => [key, String(amount)]));
      const faults: string[] = [];
      for (const [resource, amount] of Object.entries(stored)) {
        const used = quota.status?.used?.[resource];
        if (used !== amount) faults.push(`after quiet: ${name} ${resource} used ${used}, stored ${amount}`);
      }
      const open = quota.status?.claims?.length ?? 0;
      if (open > 0) faults.push(`after quiet: ${name} has ${open} claims`);
      return faults;
    });
  }
}

/**
 * One seeded run of a host, two webhooks, leaders and clients in virtual time: crashes, lost answers, retries under new uids, denials by
 * others, stores that take up to 34 s, stale caches, clocks that differ by hours.
 */
export async function simulateClaims(seed: number, flaws: HostFlaws = {}): Promise<SimulationResult> {
  const simulation = new Simulation(seed, flaws);
  const { time, host } = simulation;
  // Some runs change few objects many times, most create many.
  const creations = simulation.random() < 0.3 ? 0.08 : 0.45;
  const actions = 10 + simulation.pick(40);
  const spanMillis = 1_000 + simulation.random() * 60_000;
  for (let i = 0; i < actions; i++) {
    const kind = simulation.random();
    const act = (): void => {
      if (kind < creations) void simulation.create();
      else if (kind < 0.7) void simulation.update();
      else if (kind < 0.88) simulation.end();
      else if (kind < 0.93) void simulation.replaceWebhook(simulation.pick(2));
      else if (kind < 0.98) void simulation.replaceLeader();
      else simulation.raise();
    };
    const isBurst = simulation.random() < 0.5;
    time.schedule(2_000 + (isBurst ? simulation.random() * 50 : simulation.random() * spanMillis), act);
  }
  await time.run(2_000 + spanMillis);
  while (!simulation.isQuiet) await time.run(time.now + 1_000);
  await time.run(time.now + SETTLE_MILLIS);
  const faults = [...host.faults, ...simulation.checkExact()];
  const { stored, refused, failed } = simulation;
  return { faults, stored, refused, failed };
}
