import { hasReason } from '../../core/errors/status.ts';
import { sleep } from '../process/clock.ts';
import type { Clock } from '../process/clock.ts';
import type { CollectionReference, ResourceClient } from '../resources/resource-client.ts';

/** What to watch, and whom to tell. */
export interface ChangeWatchOptions {
  readonly client: ResourceClient;
  readonly reference: CollectionReference;
  readonly clock: Clock;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Called for every change, and after a time in which some may have been missed. */
  readonly onChange: () => void;
  /** Told when watching failed and will be tried again. */
  readonly onFailure: (error: unknown) => void;
}

const firstBackoffMillis = 500;
const maxBackoffMillis = 30_000;
const betweenMillis = 1_000;

/** Tells that something in a collection changed, and keeps nothing of it. Resolves when the signal has aborted. */
export async function watchForChanges(options: ChangeWatchOptions): Promise<void> {
  const { client, reference, clock, signal, onChange, onFailure } = options;
  let resourceVersion: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      if (resourceVersion === undefined) {
        // One object is enough to learn where the collection stands.
        resourceVersion = (await client.list(reference, { limit: 1 })).metadata.resourceVersion ?? '';
        onChange();
      }
      const watch = client.watch(reference, { resourceVersion, allowWatchBookmarks: true, signal });
      for await (const { type, object } of watch) {
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
        if (type !== 'BOOKMARK') onChange();
      }
      failures = 0;
      await sleep(clock, betweenMillis, signal);
    } catch (error) {
      if (signal.aborted) return;
      const isExpired = hasReason(error, 'Expired') || hasReason(error, 'Gone');
      if (isExpired) resourceVersion = undefined;
      else onFailure(error);
      failures += 1;
      await sleep(clock, Math.min(maxBackoffMillis, firstBackoffMillis * 2 ** Math.min(failures - 1, 20)), signal);
    }
  }
}
