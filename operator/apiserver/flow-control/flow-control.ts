import type { ServerResponse } from 'node:http';
import { distinguishFlow, FlowClassifier } from '../../../kinds/flowcontrol/flow-schema/flow-classifier.ts';
import type { FlowSchema } from '../../../kinds/flowcontrol/flow-schema/schema.ts';
import { planFlowConfiguration, type FlowConfiguration } from '../../../kinds/flowcontrol/plan-flow-configuration.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import type { MonotonicClock } from '../../../platform/process/monotonic-clock.ts';
import type { RequestInfo } from '../request-info.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import type { RequestWidth } from './dispatch/flow-request.ts';
import { estimateWork, type ObjectStatistics, type WorkFacts } from './estimate-work.ts';
import type { DumpTime } from './format-dumps.ts';
import { FlowPass, type FlowDetails } from './flow-pass.ts';
import { makeFlowPlaces, type FlowPlace } from './flow-place.ts';
import { makeRequestGauges, type RequestGauge, type RequestGauges } from './request-gauge.ts';
import { hashFlow } from './hash-flow.ts';
import { RetryAfter } from './retry-after.ts';
import { WatchTracker } from './watch-tracker.ts';

export interface FlowControlOptions {
  readonly clock: MonotonicClock;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Seats of all levels together. */
  readonly totalSeats: number;
  readonly domain: string;
  /** How much of the kind of a request is stored here; absent: nothing is. */
  readonly findStatistics?: (info: RequestInfo) => ObjectStatistics | undefined;
}

/** Where a request would go, without asking for seats. */
export interface FlowAssignment {
  readonly place: FlowPlace;
  readonly distinguisher: string;
}

/** A watch whose client does not read what it asked for must not keep its seats for ever. */
const MAX_START_MILLIS = 60_000;

const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

function selectGauge(gauges: RequestGauges, { details }: FlowPass): RequestGauge {
  return READING.has(details.info.verb) ? gauges.readOnly : gauges.mutating;
}

const nothing = (): undefined => undefined;

/** What estimates of one place depend on, looked up when they are made. */
class PlaceFacts implements WorkFacts {
  readonly #findStatistics: (info: RequestInfo) => ObjectStatistics | undefined;
  readonly #place: FlowPlace;
  readonly #watches: WatchTracker;
  readonly #dispatcher: Dispatcher<FlowDetails>;

  constructor(
    place: FlowPlace,
    findStatistics: (info: RequestInfo) => ObjectStatistics | undefined,
    watches: WatchTracker,
    dispatcher: Dispatcher<FlowDetails>,
  ) {
    this.#place = place;
    this.#findStatistics = findStatistics;
    this.#watches = watches;
    this.#dispatcher = dispatcher;
  }

  /** The same for a request that nobody makes: it is not counted. */
  get uncounted(): WorkFacts {
    return {
      maxSeats: this.maxSeats,
      findStatistics: this.#findStatistics,
      countWatches: (info) => this.#watches.countInterested(info),
    };
  }

  get maxSeats(): number {
    return this.#dispatcher.findMaxSeats(this.#place.level) ?? 0;
  }

  findStatistics(info: RequestInfo): ObjectStatistics | undefined {
    return this.#findStatistics(info);
  }

  countWatches(info: RequestInfo): number {
    const count = this.#watches.countInterested(info);
    this.#place.watchCounts.observe(count);
    return count;
  }
}

/** Classifies the requests of a service, and lets them pass as seats and queues allow. */
export class FlowControl {
  readonly domain: string;
  readonly dispatcher: Dispatcher<FlowDetails>;
  readonly retryAfter: RetryAfter;
  /** Requests that wait, and those that are served. */
  readonly waiting: RequestGauges;
  readonly executing: RequestGauges;
  readonly #clock: MonotonicClock;
  readonly #now: () => number;
  readonly #watches = new WatchTracker();
  readonly #findStatistics: (info: RequestInfo) => ObjectStatistics | undefined;
  readonly #waiters = new Set<FlowPass>();
  #isClosing = false;
  #configuration: FlowConfiguration;
  #classifier: FlowClassifier;
  #places: ReadonlyMap<FlowSchema, FlowPlace> = new Map();
  #facts: ReadonlyMap<FlowPlace, PlaceFacts> = new Map();

  /** Until it is configured, the objects that every server has are in force. */
  constructor(options: FlowControlOptions) {
    const { clock, totalSeats, domain } = options;
    this.domain = domain;
    this.#clock = clock;
    this.#now = options.now;
    this.waiting = makeRequestGauges(() => clock.nowNanos());
    this.executing = makeRequestGauges(() => clock.nowNanos());
    this.retryAfter = new RetryAfter(options.now);
    this.#findStatistics = options.findStatistics ?? nothing;
    this.#configuration = planFlowConfiguration([], [], domain);
    this.dispatcher = new Dispatcher({ clock, totalSeats, configuration: this.#configuration });
    this.#findPlaces(this.#configuration);
    this.#classifier = new FlowClassifier(this.#configuration.schemas);
  }

  /** What is in force. */
  get configuration(): FlowConfiguration {
    return this.#configuration;
  }

  /** Where the requests of each schema in force go. */
  get places(): Iterable<FlowPlace> {
    return this.#places.values();
  }

  /** Puts other objects in force, with the classifier of their schemas. Requests that wait or are served keep their places. */
  configure(configuration: FlowConfiguration, classifier = new FlowClassifier(configuration.schemas)): void {
    this.#configuration = configuration;
    this.dispatcher.configure(configuration);
    this.#findPlaces(configuration);
    this.#classifier = classifier;
    this.retryAfter.keepOnly(new Set(configuration.levels.keys()));
  }

  /** Finds where a request goes. */
  classify(user: FlowDetails['user'], info: RequestInfo): FlowAssignment {
    const schema = this.#classifier.classify(user, info);
    const place = this.#places.get(schema);
    if (place === undefined) throw new Error(`the flow schema ${schema.metadata.name ?? ''} has no place`);
    return { place, distinguisher: place.hasFlows ? distinguishFlow(schema, user, info) : '' };
  }

  /** The seats that a request at a place would take. */
  estimate(place: FlowPlace, info: RequestInfo, query: URLSearchParams): RequestWidth {
    return estimateWork(info, query, this.#findFacts(place).uncounted);
  }

  /** How the flow of a place is dealt its queues; `undefined` at a level without queues. */
  findFlow(
    place: FlowPlace,
    distinguisher: string,
  ): { readonly hash: string; readonly hand: readonly number[] } | undefined {
    const hand = this.dispatcher.findHand(place.level, place.schema, distinguisher);
    const hash = hashFlow(place.schema, distinguisher).toString(16).padStart(16, '0');
    return hand && { hash, hand };
  }

  /**
   * Asks for the seats of a request: it then is served, waits, or is refused. `waitMillis`: how long it may wait, from now. Whoever asks
   * must `end` the pass, whatever becomes of the request.
   */
  enter(details: FlowDetails, query: URLSearchParams, waitMillis: number): FlowPass {
    const { user, info } = details;
    const { place, distinguisher } = this.classify(user, info);
    const width = estimateWork(info, query, this.#findFacts(place));
    const type = info.verb === 'watch' ? 'watch' : 'regular';
    const pass = new FlowPass({ place, distinguisher, width, type, waitMillis, details });
    pass.hold(this.dispatcher.start(pass));
    return pass;
  }

  /** Begins what has its seats. A watch then has as long as any request until it has started, and is counted until its pass ends. */
  begin(pass: FlowPass): void {
    pass.begin(selectGauge(this.executing, pass));
    if (pass.type === 'watch') this.#registerWatch(pass);
  }

  /** Resolves when what waits is to be served or never will be, or when its client has gone. Never rejects. */
  async waitFor(pass: FlowPass, response: ServerResponse): Promise<void> {
    const gauge = selectGauge(this.waiting, pass);
    gauge.change(1);
    if (this.#isClosing) pass.leave('shutting-down');
    this.#waiters.add(pass);
    await pass.waitForDecision(response);
    this.#waiters.delete(pass);
    gauge.change(-1);
  }

  /** Refuses all that waits and whatever would have to, from now on: who shuts down has no time for them, and others may have seats. */
  async refuseWaiting(): Promise<void> {
    this.#isClosing = true;
    const pace = new EventLoopYield();
    for (const pass of this.#waiters) {
      pass.leave('shutting-down');
      await pace.pause();
    }
  }

  /** What times of the dispatcher refer to. */
  readTime(): DumpTime {
    return { nowNanos: this.#clock.nowNanos(), nowMillis: this.#now() };
  }

  #findFacts(place: FlowPlace): PlaceFacts {
    const facts = this.#facts.get(place);
    if (facts === undefined) throw new Error(`the flow schema ${place.schema} is not in force`);
    return facts;
  }

  #registerWatch(pass: FlowPass): void {
    const forget = this.#watches.register(pass.details.info);
    const cancel = this.#clock.schedule(MAX_START_MILLIS, () => pass.release());
    pass.onEnd(() => {
      forget();
      cancel();
    });
  }

  #findPlaces(configuration: FlowConfiguration): void {
    this.#places = makeFlowPlaces(configuration, this.#places);
    this.#facts = new Map(
      [...this.#places.values()].map((place) => [
        place,
        new PlaceFacts(place, this.#findStatistics, this.#watches, this.dispatcher),
      ]),
    );
  }
}
