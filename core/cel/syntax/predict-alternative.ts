import {
  computeReach,
  computeStart,
  type Configurations,
  describe,
  filterLoop,
  findFinished,
  findSingleViable,
  findUnique,
  isTerminatingConflict,
} from './configurations.ts';
import type { State } from './grammar-network.ts';
import { ReturnStack } from './return-stack.ts';
import { endOfInput } from './token-kind.ts';

/** A decision to take. */
export interface Decision {
  readonly state: State;
  /** Of the rule that is being parsed. */
  readonly precedence: number;
  /** The kind of the token so many tokens ahead, from 0. */
  readonly look: (distance: number) => number;
  /** The stack of the rules that are being parsed; asked when the decision depends on it. */
  readonly outerStack: () => ReturnStack;
}

/** The alternative, from 1, or how many tokens ahead stands the one that fits none. */
export type Prediction =
  | { readonly alternative: number; readonly deadEnd?: undefined }
  | { readonly alternative?: undefined; readonly deadEnd: number };

interface Node {
  readonly configurations: Configurations;
  readonly edges: Map<number, Node | undefined>;
  readonly alternative: number | undefined;
  readonly dependsOnStack: boolean;
}

const maxNodes = 4000;

/** Decides between alternatives as ANTLR's adaptive prediction does: without the stack first, with it when that leaves a conflict. */
export class Predictor {
  #roots = new Map<number, Node>();
  #nodes = new Map<string, Node>();
  #emptyStack = new ReturnStack();
  /** Starts that depend on the stack, which live as long as the parse. */
  readonly #starts = new WeakMap<ReturnStack, Map<number, Node>>();

  predict(decision: Decision): Prediction {
    let node = this.#startOf(decision);
    for (let distance = 0; ;) {
      const kind = decision.look(distance);
      if (!node.edges.has(kind)) node.edges.set(kind, this.#follow(node, kind));
      const next: Node | undefined = node.edges.get(kind);
      if (next === undefined) {
        const alternative = findFinished(node.configurations);
        return alternative === undefined ? { deadEnd: distance } : { alternative };
      }
      if (next.dependsOnStack) return this.#predictWithStack(decision);
      if (next.alternative !== undefined) return { alternative: next.alternative };
      node = next;
      if (kind !== endOfInput) distance++;
    }
  }

  #predictWithStack(decision: Decision): Prediction {
    let node = this.#startWithStack(decision);
    for (let distance = 0; ;) {
      const kind = decision.look(distance);
      if (!node.edges.has(kind)) node.edges.set(kind, followWithStack(node, kind));
      const next = node.edges.get(kind);
      if (next === undefined) {
        const alternative = findFinished(node.configurations);
        return alternative === undefined ? { deadEnd: 0 } : { alternative };
      }
      if (next.alternative !== undefined) return { alternative: next.alternative };
      node = next;
      if (kind !== endOfInput) distance++;
    }
  }

  #startWithStack(decision: Decision): Node {
    const stack = decision.outerStack();
    let starts = this.#starts.get(stack);
    if (starts === undefined) {
      starts = new Map();
      this.#starts.set(stack, starts);
    }
    const key = keyOf(decision);
    let start = starts.get(key);
    if (start === undefined) {
      start = makeNode(computeStart(decision.state, decision.precedence, stack, true));
      starts.set(key, start);
    }
    return start;
  }

  #startOf(decision: Decision): Node {
    if (this.#nodes.size > maxNodes) {
      this.#roots = new Map();
      this.#nodes = new Map();
      this.#emptyStack = new ReturnStack();
    }
    const key = keyOf(decision);
    let root = this.#roots.get(key);
    if (root === undefined) {
      const configurations = computeStart(decision.state, decision.precedence, this.#emptyStack, false);
      root = this.#addNode(filterLoop(decision.state, configurations), undefined, false);
      this.#roots.set(key, root);
    }
    return root;
  }

  #follow(node: Node, kind: number): Node | undefined {
    const reached = computeReach(node.configurations, kind, false);
    if (reached.size === 0) return undefined;
    const alternative = findUnique(reached);
    const isConflict = alternative === undefined && isTerminatingConflict(reached);
    return this.#addNode(reached, alternative, isConflict);
  }

  #addNode(configurations: Configurations, alternative: number | undefined, dependsOnStack: boolean): Node {
    const key = Array.from(configurations.values(), describe).join(' ');
    let node = this.#nodes.get(key);
    if (node === undefined) {
      node = { configurations, edges: new Map(), alternative, dependsOnStack };
      this.#nodes.set(key, node);
    }
    return node;
  }
}

function keyOf(decision: Decision): number {
  return decision.state.id * 16 + decision.precedence;
}

function makeNode(configurations: Configurations, alternative?: number): Node {
  return { configurations, edges: new Map(), alternative, dependsOnStack: false };
}

function followWithStack(node: Node, kind: number): Node | undefined {
  const reached = computeReach(node.configurations, kind, true);
  if (reached.size === 0) return undefined;
  return makeNode(reached, findUnique(reached) ?? findSingleViable(reached));
}
