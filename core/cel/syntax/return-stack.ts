import type { State } from './grammar-network.ts';

/** Return states of rules, innermost first; stacks of one root are the same object when they are equal. */
export class ReturnStack {
  readonly parent: ReturnStack | undefined;
  readonly state: State | undefined;
  readonly id: number;
  readonly #pushed = new Map<State, ReturnStack>();
  readonly #counter: { last: number };

  constructor(parent?: ReturnStack, state?: State) {
    this.parent = parent;
    this.state = state;
    this.#counter = parent === undefined ? { last: 0 } : parent.#counter;
    this.id = this.#counter.last++;
  }

  push(state: State): ReturnStack {
    let pushed = this.#pushed.get(state);
    if (pushed === undefined) {
      pushed = new ReturnStack(this, state);
      this.#pushed.set(state, pushed);
    }
    return pushed;
  }

  get isEmpty(): boolean {
    return this.parent === undefined;
  }
}
