import type { ParsedDocument } from '../../core/decode/parsed-document.ts';
import { systemClock } from '../process/clock.ts';
import { ThreadPool } from '../threads/thread-pool.ts';

type ParseResult = ParsedDocument | { fault: string };

/** Smaller documents take a few milliseconds, less than a thread is worth. */
const INLINE_BYTES = 32 << 10;

const threads = new ThreadPool<Uint8Array, ParseResult>({
  module: new URL('./yaml-thread.ts', import.meta.url),
  clock: systemClock,
  maxThreads: 1,
  // Bodies under way are bounded already.
  maxWaiting: Infinity,
  heapMegabytes: 512,
  idleMillis: 30_000,
});

/**
 * As `parseYaml`, but a large document is parsed in a thread of its own, since the parser takes about half a second for each megabyte.
 * Rejects when the document cannot be parsed with the memory that there is.
 */
export async function parseYamlAside(bytes: Uint8Array): Promise<ParseResult> {
  // Loaded here because the parser takes megabytes, and most clients send JSON.
  const { parseJsonAsYaml, parseYaml } = await import('../../core/decode/parse-yaml.ts');
  if (bytes.byteLength <= INLINE_BYTES) return parseYaml(bytes);
  return parseJsonAsYaml(bytes) ?? threads.run(bytes, Infinity);
}
