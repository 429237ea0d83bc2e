import type { ApiClient } from '../../test/host/connect-api.ts';
import { readEvents } from '../../test/service/read-events.ts';

interface Waiting {
  readonly healthy: number;
  readonly resolve: (atMillis: number) => void;
}

/** Follows how many healthy pods the status of budgets shows, by `namespace/name`. */
export class FollowedBudgets {
  readonly #healthy = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting[]>();
  #isClosed = false;
  #end: (() => void) | undefined;

  /** Begins to watch the collection at `path`, from what is there. */
  async start(api: ApiClient, path: string): Promise<void> {
    const { json } = await api.request('GET', path);
    for (const { metadata, status } of json.items) this.#note(metadata, status);
    const query = `watch=true&resourceVersion=${json.metadata.resourceVersion}`;
    const stream = await api.open('GET', `${path}?${query}`);
    this.#end = () => stream.destroy();
    void readEvents(stream, [], ({ object }) => {
      this.#note(object.metadata, object['status'] as { currentHealthy?: number });
      return false;
    }).catch((error: unknown) => {
      if (!this.#isClosed) throw error;
    });
  }

  /** Resolves, with the time of it by `performance.now()`, when a budget shows as many healthy pods. */
  waitFor(key: string, healthy: number): Promise<number> {
    if (this.#healthy.get(key) === healthy) return Promise.resolve(performance.now());
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(key) ?? [];
      waiting.push({ healthy, resolve });
      this.#waiting.set(key, waiting);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#end?.();
  }

  #note(metadata: { namespace?: string; name?: string }, status: { currentHealthy?: number } | undefined): void {
    const key = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
    const healthy = status?.currentHealthy ?? 0;
    this.#healthy.set(key, healthy);
    const waiting = this.#waiting.get(key) ?? [];
    const met = waiting.filter((each) => each.healthy === healthy);
    if (met.length === 0) return;
    this.#waiting.set(
      key,
      waiting.filter((each) => each.healthy !== healthy),
    );
    for (const { resolve } of met) resolve(performance.now());
  }
}
