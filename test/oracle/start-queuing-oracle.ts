import { buildGoProgram } from '../cluster/build-control-plane.ts';
import { askByLines, type LineProgram } from './ask-by-lines.ts';

/** One request of a run; times in nanoseconds. */
export interface QueuedArrival {
  /** Since the beginning of the run. */
  readonly atNanos: number;
  /** Its flow, of the schema `schema`, and the hash of that: 64 bits, in decimal digits. */
  readonly flow: string;
  readonly hash: string;
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly latencyNanos: number;
  /** How long it executes. */
  readonly durationNanos: number;
  /** How long it waits at most; 0: for ever. */
  readonly patienceNanos: number;
}

/** Requests of one level; without queues what finds no seat is refused. */
export interface QueuingQuestion {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
  readonly seats: number;
  readonly requests: readonly QueuedArrival[];
}

/** What became of them. */
export interface QueuingAnswer {
  /** When each began, since the beginning of the run; -1: it never did. */
  readonly startedNanos: readonly number[];
  /** Positions of the requests in the order in which they began; null: none did. */
  readonly order: readonly number[] | null;
  /** Virtual starts of the queues at the end; null without queues. */
  readonly nextDispatch: readonly string[] | null;
  /** Seats that were wanted, over time. */
  readonly average: number;
  readonly deviation: number;
  readonly max: number;
}

/** Starts the program that asks Kubernetes' own queues, building it when it has to. */
export async function startQueuingOracle(): Promise<LineProgram<QueuingQuestion, QueuingAnswer>> {
  const program = await buildGoProgram('fair-queuing', new URL('fair-queuing.go', import.meta.url));
  return askByLines(program, 8_000_000);
}
