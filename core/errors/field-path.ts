/** Path of a field in Kubernetes' notation, such as `spec.limits[0].max[cpu]`; immutable. */
export class FieldPath {
  /** No path at all, for values that stand alone; prints as `<nil>`. A child of it is a root. */
  static readonly empty: FieldPath = new FieldPath(undefined);

  readonly #text: string | undefined;

  private constructor(text: string | undefined) {
    this.#text = text;
  }

  /** Path of a top-level field; further names are its descendants. */
  static root(name: string, ...names: string[]): FieldPath {
    // Go prints a nameless root as a subscript.
    return new FieldPath([name === '' ? '[]' : name, ...names].join('.'));
  }

  /** Path of a field of this object; further names are its descendants. */
  child(...names: string[]): FieldPath {
    if (names.length === 0) return this;
    const below = names.join('.');
    return new FieldPath(this.#text === undefined ? below : `${this.#text}.${below}`);
  }

  /** Path of an item of this list. */
  index(i: number): FieldPath {
    return new FieldPath(`${this.#text ?? ''}[${i}]`);
  }

  /** Path of an entry of this map. */
  key(k: string): FieldPath {
    return new FieldPath(`${this.#text ?? ''}[${k}]`);
  }

  toString(): string {
    return this.#text ?? '<nil>';
  }
}
