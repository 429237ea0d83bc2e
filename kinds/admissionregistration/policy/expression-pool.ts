import type { CompiledExpression } from './compiled-expression.ts';

/**
 * Expressions in force, each once for all the policies that have it: what is evaluated often is then often in the processor's caches. Keeps
 * none that no policy has any more.
 */
export class ExpressionPool {
  readonly #known = new Map<string, WeakRef<CompiledExpression>>();
  readonly #gone = new FinalizationRegistry<string>((key) => {
    // Another one may have taken the place meanwhile.
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });

  /** How many there are, those included that nobody has any more and that are about to go. */
  get size(): number {
    return this.#known.size;
  }

  /** The expression known by the key, which must tell everything that its meaning depends on; else the one that `compile` makes. */
  share(key: string, compile: () => CompiledExpression): CompiledExpression {
    const known = this.#known.get(key)?.deref();
    if (known !== undefined) return known;
    const compiled = compile();
    this.#known.set(key, new WeakRef(compiled));
    this.#gone.register(compiled, key);
    return compiled;
  }
}
