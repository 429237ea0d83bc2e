/** What is loaded when it is first needed, and once: a module that many installations never use. */
export class Deferred<T> {
  readonly #read: () => Promise<T>;
  #loading: Promise<T> | undefined;
  #loaded: T | undefined;

  /** `read` yields no `undefined`; it is tried again after it failed. */
  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  /** Whether it is there already, so that it can be read. */
  get isLoaded(): boolean {
    return this.#loaded !== undefined;
  }

  /** What was loaded; throws before that. */
  get value(): T {
    if (this.#loaded === undefined) throw new Error('it was not loaded before it was used');
    return this.#loaded;
  }

  /** Resolves to what was loaded; rejects as the loading did. */
  async load(): Promise<T> {
    this.#loading ??= this.#read();
    try {
      return (this.#loaded = await this.#loading);
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }
}
