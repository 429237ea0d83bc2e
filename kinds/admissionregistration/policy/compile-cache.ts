import type { ValidatingAdmissionPolicy } from '../validating-admission-policy/schema.ts';
import { type CompiledPolicy, compilePolicy } from './compile-policy.ts';
import { ExpressionPool } from './expression-pool.ts';

const maxPolicies = 4096;

/** Compiles each policy once, whether it is the same object again or a copy of the same generation. */
export class CompileCache {
  readonly #byObject = new WeakMap<ValidatingAdmissionPolicy, CompiledPolicy>();
  readonly #pool = new ExpressionPool();
  readonly #byGeneration = new Map<string, CompiledPolicy>();

  /** The expressions of a policy in force. */
  compile(policy: ValidatingAdmissionPolicy): CompiledPolicy {
    const known = this.#byObject.get(policy);
    if (known !== undefined) return known;
    const { uid, generation } = policy.metadata;
    // What is not stored has nothing to be known by.
    const key = uid === undefined || generation === undefined ? undefined : `${uid}/${generation}`;
    const compiled =
      (key === undefined ? undefined : this.#byGeneration.get(key)) ?? compilePolicy(policy.spec, this.#pool);
    this.#byObject.set(policy, compiled);
    if (key !== undefined) this.#keep(key, compiled);
    return compiled;
  }

  #keep(key: string, compiled: CompiledPolicy): void {
    this.#byGeneration.delete(key);
    this.#byGeneration.set(key, compiled);
    if (this.#byGeneration.size <= maxPolicies) return;
    const [oldest] = this.#byGeneration.keys();
    if (oldest !== undefined) this.#byGeneration.delete(oldest);
  }
}
