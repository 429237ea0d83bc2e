/** What can be in a list: it carries its place. */
export interface Linked<Node> {
  previous: Node | undefined;
  next: Node | undefined;
}

/** Nodes in the order in which they came. Each is in one list at most; joining and leaving cost the same however many there are. */
export class LinkedList<Node extends Linked<Node>> {
  first: Node | undefined;
  length = 0;
  #last: Node | undefined;

  /** Puts a node that is in no list at the end. */
  push(node: Node): void {
    node.previous = this.#last;
    if (this.#last === undefined) this.first = node;
    else this.#last.next = node;
    this.#last = node;
    this.length += 1;
  }

  /** Takes out a node that is in this list. */
  remove(node: Node): void {
    const { previous, next } = node;
    if (previous === undefined) this.first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    node.previous = undefined;
    node.next = undefined;
    this.length -= 1;
  }

  /** The nodes from first to last; the list must not change meanwhile. */
  *[Symbol.iterator](): Generator<Node> {
    for (let node = this.first; node !== undefined; node = node.next) yield node;
  }
}
