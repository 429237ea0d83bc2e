import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { ArchiveFolder, AttemptPlace } from './archive-folder.ts';
import type { CheckpointProgress } from './checkpoint-record.ts';
import { findSpaceFault } from './plan-dump-space.ts';
import type { RequestBounds } from './request-bounds.ts';

const lookIntervalMillis = 200;

/** What an attempt is watched for. */
export interface AttemptWatchOptions {
  readonly folder: ArchiveFolder;
  readonly place: AttemptPlace;
  readonly bounds: RequestBounds;
  readonly minimumFreeBytes: number;
  /** Why an archive with so many bytes could not be kept. */
  readonly findRoomFault: (sizeBytes: number) => string | undefined;
  readonly onProgress: (phase: CheckpointProgress['phase'], bytes: number) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Looks at an archive while the runtime makes it: tells how far it is, and gives the request up when it grows too large or the disk becomes
 * too full. The returned function ends it.
 */
export function watchAttempt(options: AttemptWatchOptions): () => void {
  const { folder, place, bounds, minimumFreeBytes, findRoomFault, onProgress, clock, logger } = options;
  let isOver = false;
  let cancel = (): void => undefined;
  let toldBytes = -1;
  async function look(): Promise<void> {
    const [bytes, freeBytes] = await Promise.all([folder.readAttemptBytes(place), folder.readFreeBytes()]);
    if (isOver || bounds.givenUp !== undefined) return;
    if (bytes !== undefined && bytes !== toldBytes) {
      toldBytes = bytes;
      onProgress('Storing', bytes);
    }
    const fault = findSpaceFault(freeBytes, minimumFreeBytes) ?? findRoomFault(bytes ?? 0);
    if (fault !== undefined) bounds.giveUp('Storage', fault);
  }
  function schedule(): void {
    cancel = clock.schedule(lookIntervalMillis, () => {
      look()
        .catch((err: unknown) => logger.warn({ err }, 'checkpoint in progress could not be looked at'))
        .finally(() => {
          if (!isOver) schedule();
        });
    });
  }
  schedule();
  return () => {
    isOver = true;
    cancel();
  };
}
