import type { KindRegistry, RegisteredKind } from '../../../kinds/registry.ts';
import type { ObjectStore } from '../../../platform/store/object-store.ts';
import { makeKeyPrefix } from '../pipeline/resource-target.ts';
import type { RequestInfo } from '../request-info.ts';
import type { ObjectStatistics } from './estimate-work.ts';

const SAMPLED_OBJECTS = 64;
const SAMPLE_MILLIS = 10_000;
const MAX_KINDS = 2000;

interface SampledSize {
  readonly averageBytes: number;
  readonly untilMillis: number;
}

/** Tells how many objects of a kind are stored, now, and how large they are, from a sample that is some seconds old at most. */
export class StoredObjects {
  readonly #store: ObjectStore;
  readonly #registry: KindRegistry;
  readonly #now: () => number;
  readonly #sizes = new Map<string, SampledSize>();

  /** `now`: milliseconds since the epoch. */
  constructor(store: ObjectStore, registry: KindRegistry, now: () => number) {
    this.#store = store;
    this.#registry = registry;
    this.#now = now;
  }

  /** Statistics of the kind that a request is about, in all namespaces; `undefined` when none is served there, or it is never stored. */
  find(info: RequestInfo): ObjectStatistics | undefined {
    const kind = this.#registry.find(info.apiGroup, info.apiVersion, info.resource);
    if (kind === undefined || kind.heldBy !== undefined || kind.verbs?.includes('list') === false) return undefined;
    const prefix = makeKeyPrefix(kind);
    const objects = this.#store.count(prefix);
    return { objects, averageBytes: objects === 0 ? 0 : this.#findAverage(kind, prefix) };
  }

  #findAverage(kind: RegisteredKind, prefix: string): number {
    const known = this.#sizes.get(prefix);
    const nowMillis = this.#now();
    if (known !== undefined && nowMillis < known.untilMillis) return known.averageBytes;
    const sizes = this.#store.sampleSizes(makeKeyPrefix(kind), SAMPLED_OBJECTS);
    const averageBytes = Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length));
    // Kinds come and go with their definitions.
    if (this.#sizes.size >= MAX_KINDS) this.#sizes.clear();
    this.#sizes.set(prefix, { averageBytes, untilMillis: nowMillis + SAMPLE_MILLIS });
    return averageBytes;
  }
}
