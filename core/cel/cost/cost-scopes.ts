import type { CostPath } from './cost-path.ts';
import type { CostRange } from './cost-range.ts';

/** Sizes of the keys and the values of a list or map. */
export interface EntrySizes {
  readonly isList: boolean;
  readonly keys: CostRange;
  readonly values: CostRange;
}

/** What is known of a variable of a comprehension. */
export interface LocalVariable {
  readonly path: CostPath;
  readonly size?: CostRange;
  readonly entrySizes?: EntrySizes;
}

/** Variables of comprehensions, the innermost of a name first. */
export class CostScopes {
  readonly #variables = new Map<string, LocalVariable[]>();

  /** The innermost variable of a name; `undefined`: it is one of the environment. */
  find(name: string): LocalVariable | undefined {
    return this.#variables.get(name)?.at(-1);
  }

  /** Adds a variable, which hides those of its name. */
  push(name: string, variable: LocalVariable): void {
    const known = this.#variables.get(name);
    if (known === undefined) this.#variables.set(name, [variable]);
    else known.push(variable);
  }

  /** Removes the innermost variable of a name. */
  pop(name: string): void {
    this.#variables.get(name)?.pop();
  }
}
