import { hashFlow } from '../hash-flow.ts';
import { dealHand } from './deal-hand.ts';
import { SchemaCounters } from './schema-counters.ts';

/** How many flows of a schema keep their hand in memory; others are dealt theirs anew. */
const MAX_KNOWN_HANDS = 1024;

/** The part of a level's queues that decides about hands. */
export interface Deck {
  readonly queues: number;
  readonly handSize: number;
}

const FIRST_QUEUE: readonly number[] = [0];

/** The queues that a flow may use, of all of a level. */
export function dealFlowHand(schema: string, distinguisher: string, { queues, handSize }: Deck): readonly number[] {
  return queues === 1 ? FIRST_QUEUE : dealHand(hashFlow(schema, distinguisher), queues, handSize);
}

/** What a level knows of one schema: counters, and the hands of its flows. */
export class FlowSchemaState {
  readonly name: string;
  readonly counters = new SchemaCounters();
  readonly #hands = new Map<string, readonly number[]>();

  constructor(name: string) {
    this.name = name;
  }

  /** The queues that a flow may use. */
  findHand(distinguisher: string, deck: Deck): readonly number[] {
    let hand = this.#hands.get(distinguisher);
    if (hand === undefined) {
      hand = dealFlowHand(this.name, distinguisher, deck);
      if (this.#hands.size >= MAX_KNOWN_HANDS) this.#hands.clear();
      this.#hands.set(distinguisher, hand);
    }
    return hand;
  }

  /** To be called when the deck is another one. */
  forgetHands(): void {
    this.#hands.clear();
  }
}
