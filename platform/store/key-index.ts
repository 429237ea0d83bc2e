const MAX_ENTRIES = 128;
const MIN_ENTRIES = MAX_ENTRIES / 4;

interface Leaf<V> {
  readonly keys: string[];
  readonly values: V[];
  readonly children?: undefined;
  size: number;
}

/** `keys[i]` is at most the least key of `children[i]` and greater than every key of the child before. */
interface Branch<V> {
  readonly keys: string[];
  readonly children: Node<V>[];
  readonly values?: undefined;
  size: number;
}

type Node<V> = Leaf<V> | Branch<V>;

/**
 * A map in key order (UTF-16 order): a B+ tree that knows the size of each subtree, so that a write in the middle, a lookup
 * and the count of a range all take O(log n).
 */
export class KeyIndex<V> {
  #root: Node<V> = { keys: [], values: [], size: 0 };

  get size(): number {
    return this.#root.size;
  }

  get(key: string): V | undefined {
    let node = this.#root;
    while (node.children !== undefined) node = node.children[findChild(node.keys, key)]!;
    const position = findLowerBound(node.keys, key);
    return node.keys[position] === key ? node.values[position] : undefined;
  }

  set(key: string, value: V): void {
    setEntry(this.#root, key, value);
    if (this.#root.keys.length <= MAX_ENTRIES) return;
    const left = this.#root;
    const right = splitNode(left);
    this.#root = { keys: [left.keys[0]!, right.keys[0]!], children: [left, right], size: left.size + right.size };
  }

  delete(key: string): void {
    deleteEntry(this.#root, key);
    while (this.#root.children?.length === 1) this.#root = this.#root.children[0]!;
  }

  /** How many keys are at least `from` and less than `to` (`undefined`: without end). */
  count(from: string, to: string | undefined): number {
    return Math.max(0, (to === undefined ? this.size : countBefore(this.#root, to)) - countBefore(this.#root, from));
  }

  /** How many keys are less than `key`. */
  countBefore(key: string): number {
    return countBefore(this.#root, key);
  }

  /** The value of the key that so many keys come before; `undefined` when there are not so many. */
  at(position: number): V | undefined {
    if (position < 0 || position >= this.size) return undefined;
    let node = this.#root;
    let left = position;
    while (node.children !== undefined) {
      let child = 0;
      while (left >= node.children[child]!.size) {
        left -= node.children[child]!.size;
        child += 1;
      }
      node = node.children[child]!;
    }
    return node.values[left];
  }

  /** The first `limit` values of the keys from `from` up to, not including, `to`, in order. */
  slice(from: string, to: string | undefined, limit = Infinity): V[] {
    const values: V[] = [];
    if (limit > 0) collectValues(this.#root, from, to, limit, values);
    return values;
  }
}

function findLowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function findChild(keys: readonly string[], key: string): number {
  const position = findLowerBound(keys, key);
  return keys[position] === key ? position : Math.max(0, position - 1);
}

/** Returns how many keys were added: 0 or 1. */
function setEntry<V>(node: Node<V>, key: string, value: V): number {
  if (node.children === undefined) {
    const position = findLowerBound(node.keys, key);
    if (node.keys[position] === key) {
      node.values[position] = value;
      return 0;
    }
    node.keys.splice(position, 0, key);
    node.values.splice(position, 0, value);
    node.size++;
    return 1;
  }
  const position = findChild(node.keys, key);
  if (key < node.keys[position]!) node.keys[position] = key;
  const child = node.children[position]!;
  const added = setEntry(child, key, value);
  node.size += added;
  if (child.keys.length > MAX_ENTRIES) {
    const right = splitNode(child);
    node.keys.splice(position + 1, 0, right.keys[0]!);
    node.children.splice(position + 1, 0, right);
  }
  return added;
}

function splitNode<V>(node: Node<V>): Node<V> {
  const keys = node.keys.splice(node.keys.length >>> 1);
  if (node.children === undefined) {
    node.size = node.keys.length;
    return { keys, values: node.values.splice(node.size), size: keys.length };
  }
  const children = node.children.splice(node.keys.length);
  const size = children.reduce((sum, child) => sum + child.size, 0);
  node.size -= size;
  return { keys, children, size };
}

/** Returns how many keys were removed: 0 or 1. */
function deleteEntry<V>(node: Node<V>, key: string): number {
  if (node.children === undefined) {
    const position = findLowerBound(node.keys, key);
    if (node.keys[position] !== key) return 0;
    node.keys.splice(position, 1);
    node.values.splice(position, 1);
    node.size--;
    return 1;
  }
  const position = findChild(node.keys, key);
  const child = node.children[position]!;
  if (deleteEntry(child, key) === 0) return 0;
  node.size--;
  if (child.keys.length < MIN_ENTRIES) mergeChild(node, position);
  return 1;
}

function mergeChild<V>(parent: Branch<V>, position: number): void {
  const left = Math.max(0, position - 1);
  const into = parent.children[left];
  const from = parent.children[left + 1];
  if (into === undefined || from === undefined || into.keys.length + from.keys.length > MAX_ENTRIES / 2) return;
  into.keys.push(...from.keys);
  if (into.children === undefined) into.values.push(...from.values!);
  else into.children.push(...from.children!);
  into.size += from.size;
  parent.keys.splice(left + 1, 1);
  parent.children.splice(left + 1, 1);
}

function countBefore<V>(root: Node<V>, key: string): number {
  let node = root;
  let count = 0;
  while (node.children !== undefined) {
    const position = findChild(node.keys, key);
    for (let i = 0; i < position; i++) count += node.children[i]!.size;
    node = node.children[position]!;
  }
  return count + findLowerBound(node.keys, key);
}

/** Returns whether the end of the range or the limit was met. */
function collectValues<V>(node: Node<V>, from: string, to: string | undefined, limit: number, into: V[]): boolean {
  if (node.children !== undefined) {
    for (let i = findChild(node.keys, from); i < node.children.length; i++) {
      if (collectValues(node.children[i]!, from, to, limit, into)) return true;
    }
    return false;
  }
  for (let i = findLowerBound(node.keys, from); i < node.keys.length; i++) {
    if (into.length >= limit || (to !== undefined && node.keys[i]! >= to)) return true;
    into.push(node.values[i]!);
  }
  return into.length >= limit;
}
