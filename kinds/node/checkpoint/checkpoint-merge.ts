import { compareKeys, keyOf, type CheckpointKey } from './checkpoint-key.ts';
import type { Checkpoint } from './schema.ts';

/** What one node has told that was not taken yet. */
interface Run {
  readonly nodeName: string;
  items: readonly Checkpoint[];
  /** Index of the next in `items`. */
  position: number;
  /** The key of the next; undefined when there is none. */
  head: CheckpointKey | undefined;
  /** The last that the node told of. */
  last: CheckpointKey | undefined;
  isComplete: boolean;
  isDropped: boolean;
}

function readHead({ items, position }: Run): CheckpointKey | undefined {
  const item = items[position];
  return item === undefined ? undefined : keyOf(item);
}

function isBefore(left: Run | undefined, right: Run | undefined): boolean {
  if (left?.head === undefined || right?.head === undefined) return left?.head !== undefined;
  return compareKeys(left.head, right.head) < 0;
}

/** Brings what nodes tell part by part, each in order, into one order. Taking one costs as much as the logarithm of the nodes. */
export class CheckpointMerge {
  readonly #runs: ReadonlyMap<string, Run>;
  /** A binary heap of the runs that have a head: none comes before its parent. */
  readonly #heap: Run[] = [];
  /** Nodes that may hold more, and of which nothing is left here. */
  readonly #waiting: Set<string>;
  #last: CheckpointKey | undefined;

  constructor(nodeNames: readonly string[]) {
    this.#runs = new Map(
      nodeNames.map((nodeName) => [
        nodeName,
        { nodeName, items: [], position: 0, head: undefined, last: undefined, isComplete: false, isDropped: false },
      ]),
    );
    this.#waiting = new Set(nodeNames);
  }

  /** Takes what a node holds next, and whether it is all. */
  add(nodeName: string, part: { readonly items: readonly Checkpoint[]; readonly isComplete: boolean }): void {
    const run = this.#runs.get(nodeName);
    if (run === undefined || run.isDropped) return;
    const hadHead = run.head !== undefined;
    run.items = [...run.items.slice(run.position), ...part.items];
    run.position = 0;
    run.isComplete = part.isComplete;
    const last = run.items.at(-1);
    if (last !== undefined) run.last = keyOf(last);
    run.head = readHead(run);
    if (run.head !== undefined || run.isComplete) this.#waiting.delete(nodeName);
    if (hadHead || run.head === undefined) return;
    this.#heap.push(run);
    this.#raise(this.#heap.length - 1);
  }

  /** Goes on without a node: it is waited for no more, and nothing of it is taken any more. */
  drop(nodeName: string): void {
    const run = this.#runs.get(nodeName);
    if (run === undefined) return;
    run.isDropped = true;
    this.#waiting.delete(nodeName);
  }

  /** What comes next for certain; `undefined` at the end, and until nodes have told more. */
  peek(): Checkpoint | undefined {
    while (this.#heap[0]?.isDropped === true) this.#removeFirst();
    const first = this.#heap[0];
    if (first?.head === undefined) return undefined;
    // A node that is waited for may hold what comes behind the last, never the last itself once more.
    const isCertain =
      this.#waiting.size === 0 || (this.#last !== undefined && compareKeys(first.head, this.#last) === 0);
    return isCertain ? first.items[first.position] : undefined;
  }

  /** Passes what `peek` gave. */
  skip(): void {
    const first = this.#heap[0];
    if (first === undefined) return;
    this.#last = first.head;
    first.position++;
    first.head = readHead(first);
    if (first.head !== undefined) return this.#lower();
    this.#removeFirst();
    first.items = [];
    first.position = 0;
    if (!first.isComplete) this.#waiting.add(first.nodeName);
  }

  /** Whether all was taken. */
  get isDone(): boolean {
    return this.#waiting.size === 0 && this.peek() === undefined;
  }

  /** How many wait to be taken. */
  countLeft(): number {
    return this.#heap.reduce((sum, { items, position }) => sum + items.length - position, 0);
  }

  /** Nodes that may hold more, and of which at most so many are left here, with the last key that each told of. */
  listShort(atMost: number): Map<string, CheckpointKey | undefined> {
    const short = new Map<string, CheckpointKey | undefined>();
    for (const { nodeName, items, position, last, isComplete, isDropped } of this.#runs.values()) {
      if (!isComplete && !isDropped && items.length - position <= atMost) short.set(nodeName, last);
    }
    return short;
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#lower();
  }

  #raise(index: number): void {
    for (let child = index; child > 0;) {
      const parent = (child - 1) >> 1;
      if (!isBefore(this.#heap[child], this.#heap[parent])) return;
      this.#swap(child, parent);
      child = parent;
    }
  }

  #lower(): void {
    for (let parent = 0; ;) {
      const left = 2 * parent + 1;
      const child = isBefore(this.#heap[left + 1], this.#heap[left]) ? left + 1 : left;
      if (!isBefore(this.#heap[child], this.#heap[parent])) return;
      this.#swap(child, parent);
      parent = child;
    }
  }

  #swap(left: number, right: number): void {
    const [one, other] = [this.#heap[left], this.#heap[right]];
    if (one === undefined || other === undefined) return;
    this.#heap[left] = other;
    this.#heap[right] = one;
  }
}
