import { hashFlow } from '../hash-flow.ts';
import { dealHand } from './deal-hand.ts';
import { SchemaCounters } from './schema-counters.ts';
import { Share } from './ticket.ts';

/** How many idle flows of a schema are kept in memory; others are dealt their hand anew. */
const MAX_IDLE_FLOWS = 1024;
/** Queues have lower indexes. */
const FIRST_FLOW_INDEX = 2 ** 24;

/** The part of a level's queues that decides about hands. */
export interface Deck {
  readonly queues: number;
  readonly handSize: number;
}

/** One flow at one level. */
export interface Flow<Details> {
  /** The queues that it may use, in the order in which they were dealt. */
  readonly hand: readonly number[];
  /** Of what the hand was dealt. */
  readonly deck: Deck;
  readonly share: Share<Details>;
}

const FIRST_QUEUE: readonly number[] = [0];
let flowsMade = 0;

/** The queues that a flow may use, of all of a level. */
export function dealFlowHand(schema: string, distinguisher: string, { queues, handSize }: Deck): readonly number[] {
  return queues === 1 ? FIRST_QUEUE : dealHand(hashFlow(schema, distinguisher), queues, handSize);
}

/** What a level knows of one schema: counters, and its flows. */
export class FlowSchemaState<Details> {
  readonly name: string;
  readonly counters = new SchemaCounters();
  readonly #flows = new Map<string, Flow<Details>>();

  constructor(name: string) {
    this.name = name;
  }

  /** How many flows are known. */
  get flowCount(): number {
    return this.#flows.size;
  }

  /** A flow with its hand, which is dealt anew if the queues are others than the last time. */
  findFlow(distinguisher: string, deck: Deck): Flow<Details> {
    const known = this.#flows.get(distinguisher);
    if (known?.deck.queues === deck.queues && known.deck.handSize === deck.handSize) return known;
    if (known === undefined) flowsMade += 1;
    const flow = {
      hand: dealFlowHand(this.name, distinguisher, deck),
      deck,
      share: known?.share ?? new Share<Details>(FIRST_FLOW_INDEX + flowsMade),
    };
    this.#flows.set(distinguisher, flow);
    return flow;
  }

  /** To be called when a request of a flow is over: lets go of a flow without requests when there are many. */
  release(distinguisher: string): void {
    if (this.#flows.size <= MAX_IDLE_FLOWS) return;
    if (this.#flows.get(distinguisher)?.share.isActive === false) this.#flows.delete(distinguisher);
  }
}
