import type { CelFault } from '../cel-program.ts';
import { SourceText } from '../syntax/source-text.ts';

const maxFaults = 100;

/** The faults of one expression; of very many, the first ones and how many there were. */
export class FaultList {
  readonly #faults: CelFault[] = [];
  readonly #source: SourceText;
  #count = 0;

  constructor(source: string) {
    this.#source = new SourceText(source);
  }

  get count(): number {
    return this.#count;
  }

  /** `at` is an offset in code points. */
  add(at: number, message: string): void {
    if (this.#count++ < maxFaults) this.#faults.push({ at, ...this.#source.locate(at), message });
  }

  /** The faults that were kept, by where they stand. */
  toSorted(): readonly CelFault[] {
    return this.#faults.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }
}
