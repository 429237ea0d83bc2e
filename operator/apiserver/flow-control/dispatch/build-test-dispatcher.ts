import {
  planFlowConfiguration,
  type FlowConfiguration,
} from '../../../../kinds/flowcontrol/plan-flow-configuration.ts';
import type {
  PriorityLevelConfiguration,
  PriorityLevelSpec,
  QueuingConfiguration,
} from '../../../../kinds/flowcontrol/priority-level-configuration/schema.ts';
import type { MonotonicClock } from '../../../../platform/process/monotonic-clock.ts';
import { Dispatcher } from './dispatcher.ts';
import type { FlowRequest, RefusalReason } from './flow-request.ts';
import { SimulatedClock } from './simulated-clock.ts';
import type { Ticket } from './ticket.ts';

const DOMAIN = 'test.example';

/** A level for tests; without `queuing` it refuses what finds no seat. */
export interface TestLevel {
  readonly name: string;
  /** 30 when absent. */
  readonly shares?: number;
  readonly queuing?: QueuingConfiguration;
  readonly lendablePercent?: number;
  readonly borrowingLimitPercent?: number;
}

/** A request of a test and what it was told. */
export interface Asked {
  readonly ticket: Ticket<string>;
  readonly decisions: (RefusalReason | undefined)[];
}

/** What of a request a test cares about. */
export type AskedRequest = Partial<Omit<FlowRequest<string>, 'decide' | 'distinguisher'>>;

function makeLevel({ name, shares = 30, queuing, ...lending }: TestLevel): PriorityLevelConfiguration {
  const spec: PriorityLevelSpec = {
    type: 'Limited',
    limited: {
      ...{ nominalConcurrencyShares: shares, lendablePercent: 0 },
      ...lending,
      limitResponse: queuing === undefined ? { type: 'Reject' } : { type: 'Queue', queuing },
    },
  };
  return {
    apiVersion: `flowcontrol.apiserver.${DOMAIN}/v1`,
    kind: 'PriorityLevelConfiguration',
    metadata: { name },
    spec,
    status: {},
  };
}

/** A configuration with these levels, and the two that are always there. */
export function makeConfiguration(levels: readonly TestLevel[]): FlowConfiguration {
  return planFlowConfiguration([], levels.map(makeLevel), DOMAIN);
}

/**
 * A dispatcher with one level, `tested`, that has `seats` seats, besides the mandatory ones; `ask` starts a request of a flow. The level
 * borrows and lends nothing.
 */
export function buildDispatcher(options: {
  readonly seats: number;
  readonly queuing?: QueuingConfiguration;
  readonly clock?: MonotonicClock;
}) {
  const clock = new SimulatedClock();
  const configuration = makeTestedLevel(options);
  const dispatcher = new Dispatcher<string>({
    clock: options.clock ?? clock,
    // The level catch-all has five shares too.
    totalSeats: 2 * options.seats,
    configuration,
  });
  return { clock, dispatcher, ask: (flow: string, request: AskedRequest = {}) => ask(dispatcher, flow, request) };
}

/** The configuration of `buildDispatcher`. */
export function makeTestedLevel({ queuing }: { readonly queuing?: QueuingConfiguration }): FlowConfiguration {
  return makeConfiguration([
    { name: 'tested', shares: 5, borrowingLimitPercent: 1, ...(queuing === undefined ? {} : { queuing }) },
  ]);
}

/**
 * Starts a request of a flow at the level `tested`, for one seat and with time enough unless it says otherwise. `served` is called when it has waited
 * and is to be served.
 */
export function ask(
  dispatcher: Dispatcher<string>,
  flow: string,
  request: AskedRequest = {},
  served: () => void = () => undefined,
): Asked {
  const decisions: (RefusalReason | undefined)[] = [];
  const ticket = dispatcher.start({
    ...{ level: 'tested', schema: 'tested', distinguisher: flow, details: flow, type: 'regular', waitMillis: 1e9 },
    width: { initialSeats: 1, finalSeats: 0, additionalLatencyMillis: 0 },
    ...request,
    decide: (refusal) => {
      decisions.push(refusal);
      if (refusal === undefined) served();
    },
  });
  return { ticket, decisions };
}
