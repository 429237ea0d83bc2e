import type { KindRegistry } from '../../../kinds/registry.ts';
import type { ObjectStore } from '../../../platform/store/object-store.ts';
import type { DeletionHold } from '../subresource-handler.ts';
import type { AdmissionChain } from './admission-chain.ts';

/** What every verb of the pipeline works with. */
export interface PipelineServices {
  readonly store: ObjectStore;
  readonly registry: KindRegistry;
  readonly admission: AdmissionChain;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Holds by `group/plural`. */
  readonly deletionHolds: ReadonlyMap<string, DeletionHold>;
  /** Whether dependents are collected; without that a deletion asks for neither orphans nor the foreground. */
  readonly collectsGarbage: boolean;
}
