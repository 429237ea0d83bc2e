/**
 * Where a part of a variable is, as cel-go remembers it: lengthening the same path twice can overwrite the first name by the second, since
 * Go's slices share memory while it suffices. Kubernetes' estimates, and so what it accepts, depend on that.
 */
export class CostPath {
  /** No path at all. */
  static readonly empty: CostPath = new CostPath([], 0, 0);

  readonly #memory: string[];
  readonly #length: number;
  readonly #capacity: number;

  private constructor(memory: string[], length: number, capacity: number) {
    this.#memory = memory;
    this.#length = length;
    this.#capacity = capacity;
  }

  /** The path of a variable. */
  static root(name: string): CostPath {
    return new CostPath([name], 1, 1);
  }

  /** The path of a part of what this one leads to. */
  append(name: string): CostPath {
    const length = this.#length + 1;
    if (length <= this.#capacity) {
      this.#memory[this.#length] = name;
      return new CostPath(this.#memory, length, this.#capacity);
    }
    const capacity = Math.max(1, this.#capacity * 2);
    return new CostPath([...this.names, name], length, capacity);
  }

  /** The same path in memory of its own. */
  copy(): CostPath {
    return new CostPath([...this.names], this.#length, this.#length);
  }

  /** The names as they are at the moment. */
  get names(): readonly string[] {
    return this.#memory.slice(0, this.#length);
  }
}
