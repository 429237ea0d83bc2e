import type { RegistrationPlan } from '../../../admission/registrations/plan-registrations.ts';
import { matchesLabelSelector, type LabelSelectorRequirement } from '../../../core/selectors/label-selector.ts';
import type { Enforcement } from '../../../platform/release/enforcement.ts';

const nameLabel = 'kubernetes.io/metadata.name';

/** About what the host asks the webhooks, as far as its API servers have had time to follow. */
export class RegisteredEntries {
  readonly #listeners = new Set<() => void>();
  #entries: RegistrationPlan['entries'] | undefined;
  #enforcement: Enforcement = 'Enforce';

  /** Notes what is in force now. */
  set(entries: RegistrationPlan['entries'], enforcement: Enforcement): void {
    this.#entries = entries;
    this.#enforcement = enforcement;
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` whenever what is in force may have changed. Returns a function that ends this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether an entry of this name binds in a namespace, or nothing does since decisions do not bind at all. */
  covers(name: string, namespace: string): boolean {
    if (this.#enforcement !== 'Enforce') return true;
    const entry = this.#entries?.validating.find((each) => each.name === name);
    if (entry === undefined) return false;
    const { matchExpressions } = entry.namespaceSelector;
    return matchesLabelSelector(
      { matchExpressions: matchExpressions as LabelSelectorRequirement[] },
      { [nameLabel]: namespace },
    );
  }
}
