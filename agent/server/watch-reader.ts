import type { Readable } from 'node:stream';
import type { Clock } from '../../platform/process/clock.ts';

/** What is sent to a reader, and what ends it. */
export interface ReaderWatch {
  /** What the reader is sent, as fast as it takes it. */
  readonly source: Readable;
  readonly clock: Clock;
  /** Called once when it takes too little. */
  readonly onStalled: () => void;
}

/** Less than what sockets hold is taken by nobody yet: a reader may be slow, and must not hold its place with a byte now and then. */
const leastBytes = 128 << 10;
const lookMillis = 5_000;
const stallMillis = 60_000;

/** Looks whether a reader takes 128 KiB a minute. Returns what ends the looking. */
export function watchReader({ source, clock, onStalled }: ReaderWatch): () => void {
  let bytes = 0;
  let waitedMillis = 0;
  let cancel = (): void => undefined;
  const look = (): void => {
    if (bytes >= leastBytes) [bytes, waitedMillis] = [0, 0];
    else waitedMillis += lookMillis;
    if (waitedMillis >= stallMillis) onStalled();
    else cancel = clock.schedule(lookMillis, look);
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
  };
  source.on('data', count);
  cancel = clock.schedule(lookMillis, look);
  return () => {
    source.off('data', count);
    cancel();
  };
}
