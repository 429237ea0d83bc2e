import { systemClock } from '../process/clock.ts';
import { ThreadPool } from '../threads/thread-pool.ts';

/** Smaller documents take a few milliseconds, less than a thread is worth. */
const INLINE_BYTES = 8 << 10;

const threads = new ThreadPool<Uint8Array, string>({
  module: new URL('./format-yaml-thread.ts', import.meta.url),
  clock: systemClock,
  maxThreads: 1,
  // Requests under way are bounded already.
  maxWaiting: Infinity,
  heapMegabytes: 1024,
  idleMillis: 30_000,
});

/**
 * A JSON document as YAML, in the manner of Kubernetes. A large one is printed in a thread of its own, since the printer takes more than a
 * second for each megabyte. Rejects when it is no JSON, or cannot be printed with the memory that there is.
 */
export async function formatYamlAside(json: Uint8Array): Promise<string> {
  if (json.byteLength > INLINE_BYTES) return threads.run(json, Infinity);
  // Loaded here because the printer takes megabytes, and few clients ask for YAML.
  const { formatJsonAsYaml } = await import('./format-json-as-yaml.ts');
  return formatJsonAsYaml(json);
}
