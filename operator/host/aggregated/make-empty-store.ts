import type { ObjectStore } from '../../../platform/store/object-store.ts';

function refuse(): never {
  throw new Error('objects of these kinds are not stored');
}

/** The store of a service whose kinds are only asked and answered: there is nothing in it, and nothing may be. */
export function makeEmptyStore(): ObjectStore {
  return {
    revision: 1,
    get: () => undefined,
    getLatest: () => undefined,
    settle: refuse,
    list: async () => ({ items: [], revision: 1, remaining: 0 }),
    count: () => 0,
    sampleSizes: () => [],
    commit: refuse,
    watch: refuse,
    close: async () => undefined,
  };
}
