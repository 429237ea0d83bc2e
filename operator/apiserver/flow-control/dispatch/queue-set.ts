import type { QueuingConfiguration } from '../../../../kinds/flowcontrol/priority-level-configuration/schema.ts';
import type { ObservedDemand } from '../../../../kinds/flowcontrol/priority-level-configuration/seat-demand.ts';
import type { MonotonicClock } from '../../../../platform/process/monotonic-clock.ts';
import type { DecisionQueue } from './decision-queue.ts';
import { FairShares } from './fair-shares.ts';
import type { FlowRequest, RefusalReason } from './flow-request.ts';
import { countNoRefusals } from './schema-counters.ts';
import { ShardedQueues } from './sharded-queues.ts';
import { fairRules, type QueuingRules } from './queuing-rules.ts';
import { FlowSchemaState, type Flow } from './flow-schema-state.ts';
import { LevelGauges, type LevelUse, type LevelUseReading } from './level-gauges.ts';
import { Ticket, type TicketOwner } from './ticket.ts';
import { LinkedList } from './linked-list.ts';
import type { WaitDeadlines } from './wait-deadlines.ts';

/** What all levels of a dispatcher share. */
export interface SharedParts<Details> {
  readonly clock: MonotonicClock;
  readonly deadlines: WaitDeadlines<Details>;
  readonly decisions: DecisionQueue<Details>;
  /** Called with those of a level after seats came free there or a request left, with all counts settled. */
  readonly onChange: (requests: QueueSet<Details>) => void;
}

/** How a level lets requests in. */
export interface Admission {
  /** Nothing waits and nothing is refused. */
  readonly isExempt: boolean;
  /** Undefined: what finds no seat is refused. What waits already still gets its turn. */
  readonly queuing: QueuingConfiguration | undefined;
  /** Seats that the level has. */
  readonly seatLimit: number;
  /** Stands for the seats in ratios; not 0. */
  readonly seatDenominator: number;
}

/** The requests of one level: who waits, who has seats, and who is next. Whoever changes it lets the decisions be told afterwards. */
export class QueueSet<Details> implements TicketOwner<Details>, LevelUse {
  waiting = 0;
  executing = 0;
  seatsInUse = 0;
  seatsWaiting = 0;
  /** Counted since the level came. */
  dispatched = 0;
  readonly refused = countNoRefusals();
  readonly shares: FairShares<Details>;
  readonly sharded = new ShardedQueues<Details>();
  /** Requests that execute without having gone through a queue. */
  readonly unqueued = new LinkedList<Ticket<Details>>();
  readonly #parts: SharedParts<Details>;
  readonly #schemas = new Map<string, FlowSchemaState<Details>>();
  readonly #gauges: LevelGauges;
  readonly #sharesAmong: QueuingRules['sharesAmong'];
  #admission: Admission;

  constructor(parts: SharedParts<Details>, admission: Admission, rules = fairRules) {
    this.#parts = parts;
    this.#sharesAmong = rules.sharesAmong;
    this.#admission = admission;
    const nowNanos = parts.clock.nowNanos();
    this.shares = new FairShares(nowNanos, rules.maxLeadNanos);
    this.#gauges = new LevelGauges(nowNanos);
    this.configure(admission);
  }

  /** Lets requests in in another way from now on; nobody who waits or executes is touched but by what comes free for them. */
  configure(admission: Admission): void {
    const now = this.#advance();
    this.#admission = admission;
    const { queues = 1, queueLengthLimit = 1 } = admission.queuing ?? {};
    this.#gauges.setLimits({ places: queues * queueLengthLimit, seats: admission.seatDenominator });
    this.#dispatch(now);
    this.#gauges.set(this, now);
  }

  /** How it lets requests in. */
  get admission(): Admission {
    return this.#admission;
  }

  /** What is counted by schema. */
  get schemas(): ReadonlyMap<string, FlowSchemaState<Details>> {
    return this.#schemas;
  }

  /** Whether nothing waits, executes or still holds seats. */
  get isDrained(): boolean {
    return this.waiting === 0 && this.executing === 0 && this.seatsInUse === 0;
  }

  /** Lets a request in, queues it or refuses it. */
  start(request: FlowRequest<Details>): Ticket<Details> {
    const now = this.#advance();
    const schema = this.#findSchema(request.schema);
    const ticket = new Ticket(this, request, schema.counters, now, this.shares.progress);
    schema.counters.estimatedSeats.observe(ticket.seats);
    const { queuing } = this.#admission;
    if (queuing === undefined) this.#startUnqueued(ticket, now);
    else this.#startQueued(ticket, schema.findFlow(request.distinguisher, queuing), queuing, now);
    this.#gauges.set(this, now);
    return ticket;
  }

  finish(ticket: Ticket<Details>): void {
    if (ticket.state === 'waiting') {
      ticket.state = 'finished';
      this.#leave(ticket, 'cancelled');
    } else if (ticket.state === 'executing') {
      ticket.state = 'finished';
      this.#end(ticket);
    } else {
      return;
    }
    this.#parts.onChange(this);
  }

  expire(ticket: Ticket<Details>): void {
    if (ticket.state !== 'waiting') return;
    ticket.state = 'rejected';
    ticket.refusal = 'time-out';
    this.#leave(ticket, 'time-out');
    this.#parts.decisions.add(ticket);
    this.#parts.onChange(this);
  }

  /** What was wanted since the last time this was asked. */
  takeDemand(): ObservedDemand {
    return this.#gauges.takeDemand(this.#parts.clock.nowNanos());
  }

  /** What was measured of its use until now. */
  readUse(): LevelUseReading {
    return this.#gauges.read(this.#parts.clock.nowNanos());
  }

  /** Gives up what was counted of schemas that are not among these, but of those that still have requests here. */
  keepSchemas(names: ReadonlySet<string>): void {
    for (const [name, { counters }] of this.#schemas) {
      if (!names.has(name) && counters.isIdle) this.#schemas.delete(name);
    }
  }

  #advance(): number {
    const now = this.#parts.clock.nowNanos();
    this.shares.advance(now, this.#admission.seatLimit);
    return now;
  }

  #findSchema(name: string): FlowSchemaState<Details> {
    let schema = this.#schemas.get(name);
    if (schema === undefined) {
      schema = new FlowSchemaState(name);
      this.#schemas.set(name, schema);
    }
    return schema;
  }

  #startUnqueued(ticket: Ticket<Details>, now: number): void {
    if (!this.#hasRoom(ticket.seats)) {
      this.#refuse(ticket, 'concurrency-limit');
      return;
    }
    this.unqueued.push(ticket);
    this.#execute(ticket, now);
  }

  #startQueued(
    ticket: Ticket<Details>,
    { hand, share }: Flow<Details>,
    queuing: QueuingConfiguration,
    now: number,
  ): void {
    const queue = this.sharded.choose(hand);
    if (queue.length >= queuing.queueLengthLimit) {
      this.#refuse(ticket, 'queue-full');
      return;
    }
    this.sharded.add(queue, ticket);
    // One queue is for all alike.
    const isFlows = this.#sharesAmong === 'flows' && queuing.queues > 1;
    this.shares.join(isFlows ? share : queue.share, ticket);
    this.#countWaiting(ticket, ticket.seats, 1);
    ticket.counters.queueLengths.observe(queue.length);
    this.#dispatch(now, ticket);
    if (ticket.state === 'waiting') this.#parts.deadlines.add(ticket, now, ticket.request.waitMillis);
  }

  #refuse(ticket: Ticket<Details>, reason: RefusalReason): void {
    ticket.state = 'rejected';
    ticket.refusal = reason;
    this.#countRefusal(ticket, reason, 0);
  }

  /** Lets out as many as there are seats for. `newcomer` is told by whoever brings it. */
  #dispatch(now: number, newcomer?: Ticket<Details>): void {
    while (this.waiting > 0 && this.seatsInUse < this.#admission.seatLimit) {
      const ticket = this.shares.findNext();
      if (ticket?.queue === undefined || ticket.share === undefined) return;
      const seatsWanted = ticket.seats;
      if (!this.#hasRoom(seatsWanted)) {
        ticket.counters.notAccommodated += 1;
        return;
      }
      this.sharded.remove(ticket.queue, ticket);
      this.sharded.begin(ticket.queue);
      this.shares.letOut(ticket.share, ticket, this.#admission.seatLimit);
      this.#parts.deadlines.remove(ticket);
      this.#countWaiting(ticket, seatsWanted, -1);
      this.#execute(ticket, now);
      if (ticket !== newcomer) this.#parts.decisions.add(ticket);
    }
  }

  /** Whether so many seats are free. What is wider than the level goes alone. */
  #hasRoom(seats: number): boolean {
    const { isExempt, seatLimit } = this.#admission;
    if (isExempt) return true;
    return seats > seatLimit ? this.executing === 0 : this.seatsInUse + seats <= seatLimit;
  }

  #countWaiting({ counters }: Ticket<Details>, seats: number, sign: 1 | -1): void {
    this.waiting += sign;
    this.seatsWaiting += sign * seats;
    counters.requestsWaiting += sign;
    counters.seatsWaiting += sign * seats;
  }

  #countRefusal({ counters }: Ticket<Details>, reason: RefusalReason, waitedSeconds: number): void {
    this.refused[reason] += 1;
    counters.refused[reason] += 1;
    counters.refusedWaits.observe(waitedSeconds);
  }

  #execute(ticket: Ticket<Details>, now: number): void {
    const { counters, seats } = ticket;
    ticket.state = 'executing';
    ticket.startedNanos = now;
    this.executing += 1;
    this.seatsInUse += seats;
    this.dispatched += 1;
    counters.dispatched += 1;
    counters.requestsExecuting += 1;
    counters.seatsExecuting += seats;
    if (!this.#admission.isExempt) counters.servedWaits.observe((now - ticket.arrivedNanos) / 1e9);
  }

  #leave(ticket: Ticket<Details>, reason: RefusalReason): void {
    const now = this.#advance();
    this.#parts.deadlines.remove(ticket);
    if (ticket.queue !== undefined) this.sharded.remove(ticket.queue, ticket);
    if (ticket.share !== undefined) this.shares.leave(ticket.share, ticket);
    this.#countWaiting(ticket, ticket.seats, -1);
    this.#countRefusal(ticket, reason, (now - ticket.arrivedNanos) / 1e9);
    this.#forget(ticket);
    // What was behind a request that had to wait for many seats may need few.
    this.#dispatch(now);
    this.#gauges.set(this, now);
  }

  #forget({ request: { schema, distinguisher } }: Ticket<Details>): void {
    this.#schemas.get(schema)?.release(distinguisher);
  }

  #end(ticket: Ticket<Details>): void {
    const now = this.#advance();
    const elapsed = now - (ticket.startedNanos ?? now);
    const { counters, queue, share, request } = ticket;
    this.executing -= 1;
    counters.requestsExecuting -= 1;
    counters.executions[request.type].observe(elapsed / 1e9);
    if (share === undefined) this.unqueued.remove(ticket);
    else this.shares.end(share, ticket, elapsed);
    if (queue !== undefined) this.sharded.end(queue);
    this.#forget(ticket);
    if (ticket.additionalLatencyMillis > 0) {
      this.#parts.clock.schedule(ticket.additionalLatencyMillis, () => {
        const later = this.#advance();
        this.#release(ticket, later);
        this.#parts.onChange(this);
      });
      this.#dispatch(now);
      this.#gauges.set(this, now);
    } else {
      this.#release(ticket, now);
    }
  }

  #release(ticket: Ticket<Details>, now: number): void {
    const { counters, share, seats } = ticket;
    this.seatsInUse -= seats;
    counters.seatsExecuting -= seats;
    if (share !== undefined) this.shares.release(share, seats);
    this.#dispatch(now);
    this.#gauges.set(this, now);
  }
}
