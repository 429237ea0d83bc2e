import type { FlowConfiguration } from '../../../../kinds/flowcontrol/plan-flow-configuration.ts';
import type { MonotonicClock } from '../../../../platform/process/monotonic-clock.ts';
import { DecisionQueue } from './decision-queue.ts';
import { describeLevel, type LevelDump } from './describe-level.ts';
import type { FlowRequest } from './flow-request.ts';
import { dealFlowHand } from './flow-schema-state.ts';
import { assignLimits, lendSeats, Level } from './level.ts';
import type { QueueSet, SharedParts } from './queue-set.ts';
import { readLevelMetrics, type FlowMetrics } from './read-level-metrics.ts';
import type { Ticket } from './ticket.ts';
import { WaitDeadlines } from './wait-deadlines.ts';

/** How often seats are lent and borrowed anew. */
const BORROWING_PERIOD_MILLIS = 10_000;
/** After what time they are when someone waits at a level that has lent all of its own. */
const RECLAIM_MILLIS = 100;
/** After what time the seats of a level that has drained are divided among others, with those of all that drain meanwhile. */
const DRAINED_MILLIS = 10;

/** What a dispatcher needs. */
export interface DispatcherOptions {
  readonly clock: MonotonicClock;
  /** Seats of the server, which the levels divide among themselves. */
  readonly totalSeats: number;
  readonly configuration: FlowConfiguration;
}

/** Lets requests in by priority levels, and fairly among the flows of each. Knows nothing of HTTP; every step is synchronous. */
export class Dispatcher<Details> {
  readonly #clock: MonotonicClock;
  readonly #totalSeats: number;
  readonly #parts: SharedParts<Details>;
  readonly #levels = new Map<string, Level<Details>>();
  #configuration: FlowConfiguration;
  #quiescing = new Map<QueueSet<Details>, Level<Details>>();
  #fairFraction = 0;
  #isReclaiming = false;
  #isDividing = false;

  constructor({ clock, totalSeats, configuration }: DispatcherOptions) {
    this.#clock = clock;
    this.#totalSeats = totalSeats;
    this.#configuration = configuration;
    this.#parts = {
      clock,
      decisions: new DecisionQueue(),
      deadlines: new WaitDeadlines(clock, (tickets) => this.#expire(tickets)),
      onChange: (requests) => this.#settle(requests),
    };
    this.configure(configuration);
  }

  /**
   * Puts a configuration in force. Requests that wait or execute stay where they are; a level that is gone goes on with those it has, with seats
   * of its own, and is forgotten when they are over.
   */
  configure(configuration: FlowConfiguration): void {
    this.#configuration = configuration;
    this.#apply();
    this.#parts.decisions.tell();
  }

  /** Lends and borrows seats every ten seconds until the returned function is called. */
  startBorrowing(): () => void {
    let cancel: () => void;
    const arm = (): void => {
      cancel = this.#clock.schedule(BORROWING_PERIOD_MILLIS, () => {
        this.lendSeats();
        arm();
      });
    };
    arm();
    return () => cancel();
  }

  /** Lends and borrows seats by what was wanted since the last time. */
  lendSeats(): void {
    for (const level of this.#levels.values()) level.measureDemand();
    this.#lendAgain();
  }

  /** Lets a request in, queues it or refuses it; the ticket's `state` says which. Throws for a level that is not there. */
  start(request: FlowRequest<Details>): Ticket<Details> {
    const level = this.#levels.get(request.level);
    if (level === undefined) throw new Error(`there is no priority level ${request.level}`);
    const ticket = level.requests.start(request);
    if (level.current === 0 && level.limits.max > 0 && ticket.state === 'waiting') this.#reclaimSoon();
    this.#parts.decisions.tell();
    return ticket;
  }

  /** The most seats that one request of a level may ask for; undefined when the level sets no bound, or is not there. */
  findMaxSeats(level: string): number | undefined {
    return this.#levels.get(level)?.limits.maxSeatsPerRequest;
  }

  /** The queues that a flow may use, in the order in which they are dealt; undefined for a level without queues. */
  findHand(level: string, schema: string, distinguisher: string): readonly number[] | undefined {
    const queuing = this.#levels.get(level)?.object.spec.limited?.limitResponse.queuing;
    return queuing === undefined ? undefined : dealFlowHand(schema, distinguisher, queuing);
  }

  /** What goes on, by name of level. Tickets are those in use: they change when time goes on. */
  dump(): LevelDump<Details>[] {
    return this.#listLevels().map((level) => describeLevel(level));
  }

  /** All that is counted and measured. */
  readMetrics(): FlowMetrics {
    return { fairFraction: this.#fairFraction, levels: this.#listLevels().map((level) => readLevelMetrics(level)) };
  }

  /** How many timers run for requests that wait. */
  get deadlineTimerCount(): number {
    return this.#parts.deadlines.timerCount;
  }

  #listLevels(): Level<Details>[] {
    return [...this.#levels.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  #reclaimSoon(): void {
    if (this.#isReclaiming) return;
    this.#isReclaiming = true;
    this.#clock.schedule(RECLAIM_MILLIS, () => {
      this.#isReclaiming = false;
      this.#lendAgain();
    });
  }

  /** Lends and borrows seats between times: the periods over which demand is measured stay as they are. */
  #lendAgain(): void {
    this.#fairFraction = lendSeats([...this.#levels.values()], this.#totalSeats);
    this.#parts.decisions.tell();
  }

  #expire(tickets: readonly Ticket<Details>[]): void {
    for (const ticket of tickets) ticket.expire();
  }

  #settle(requests: QueueSet<Details>): void {
    const level = this.#quiescing.get(requests);
    if (level !== undefined && requests.isDrained) {
      this.#quiescing.delete(requests);
      this.#levels.delete(level.name);
      this.#divideSoon();
    }
    this.#parts.decisions.tell();
  }

  #divideSoon(): void {
    if (this.#isDividing) return;
    this.#isDividing = true;
    this.#clock.schedule(DRAINED_MILLIS, () => {
      this.#isDividing = false;
      assignLimits([...this.#levels.values()], this.#totalSeats);
      this.#lendAgain();
    });
  }

  #apply(): void {
    const { levels, schemas } = this.#configuration;
    for (const [name, object] of levels) {
      const level = this.#levels.get(name);
      if (level === undefined) {
        this.#levels.set(name, new Level(name, object, this.#parts));
      } else {
        level.object = object;
        level.isQuiescing = false;
      }
    }
    for (const [name, level] of this.#levels) {
      if (levels.has(name)) continue;
      level.isQuiescing = true;
      if (level.requests.isDrained) this.#levels.delete(name);
    }
    const all = [...this.#levels.values()];
    this.#quiescing = new Map(all.flatMap((level) => (level.isQuiescing ? [[level.requests, level]] : [])));
    assignLimits(all, this.#totalSeats);
    this.#fairFraction = lendSeats(all, this.#totalSeats);
    const names = new Set(schemas.map(({ metadata }) => metadata.name ?? ''));
    for (const level of all) level.requests.keepSchemas(names);
  }
}
