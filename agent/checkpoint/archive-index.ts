import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';

import { checkDns1123Label, checkDns1123Subdomain } from '../../core/validation/names.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { ArchiveFolder, AttemptPlace } from './archive-folder.ts';
import type { CheckpointRecord } from './checkpoint-record.ts';
import type { RetentionSettings } from './checkpoint-settings.ts';
import { planArchiveName, type ArchiveName, type ArchiveSubject } from './plan-archive-name.ts';
import { findRoomFault, planRetention, type RetainedArchive, type RetentionReason } from './plan-retention.ts';
import { readArchiveFacts, type ArchiveFacts } from './read-archive-facts.ts';
import { describeRecord, type StoredRecord } from './stored-record.ts';

/** An archive that is open for reading. */
export interface OpenArchive {
  readonly record: CheckpointRecord;
  readonly sizeBytes: number;
  /** The archive's bytes from `start` to `end`, both included; without a range, all. To be called once: its end closes the archive. */
  read(range?: { readonly start: number; readonly end: number }): Readable;
  /** Closes the archive; may be called again. */
  close(): Promise<void>;
}

interface Entry extends RetainedArchive {
  readonly record: StoredRecord;
}

/** How the index is set up. */
export interface ArchiveIndexOptions {
  readonly folder: ArchiveFolder;
  readonly nodeName: string;
  readonly retention: RetentionSettings;
  readonly logger: Logger;
  readonly onRemoved: (reason: RetentionReason | 'Deleted') => void;
}

function describeEntry(record: StoredRecord): Entry {
  const { namespace, podName, containerName, sizeBytes, pinned, completionTime, podGoneTime } = record;
  return {
    ...{ namespace, podName, containerName, sizeBytes, pinned, record },
    completedAtMillis: Date.parse(completionTime),
    podGoneSinceMillis: podGoneTime === undefined ? undefined : Date.parse(podGoneTime),
  };
}

/** Whether these are names that pods and containers can have. */
function hasNames({ namespace, podName, containerName }: ArchiveFacts): boolean {
  const faults = [...checkDns1123Label(namespace), ...checkDns1123Label(containerName)];
  return faults.length + checkDns1123Subdomain(podName).length === 0;
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** The finished archives of a node: what is known of them in memory, the same on disk, and which of them are kept. */
export class ArchiveIndex {
  readonly #options: ArchiveIndexOptions;
  readonly #entries = new Map<string, Entry>();
  /** Names given to archives that are being made. */
  readonly #reserved = new Set<string>();
  /** Changes come one after the other, on disk and in memory. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(options: ArchiveIndexOptions) {
    this.#options = options;
  }

  /** Takes in what the folder holds. */
  async open(): Promise<void> {
    const { records, strangers } = await this.#options.folder.open();
    for (const record of records) this.#put({ ...record, nodeName: this.#options.nodeName });
    for (const file of strangers) {
      await this.#adopt(file).catch((err: unknown) => {
        this.#options.logger.warn({ err, file }, 'archive without a record could not be taken in, and is left alone');
      });
    }
  }

  /** What is known of archives in a namespace, or everywhere; by namespace, then name. */
  list(namespace?: string): CheckpointRecord[] {
    return [...this.#entries.values()]
      .filter((entry) => namespace === undefined || entry.namespace === namespace)
      .map(({ record }) => describeRecord(record))
      .toSorted((left, right) => compareTexts(left.namespace, right.namespace) || compareTexts(left.name, right.name));
  }

  find(namespace: string, name: string): CheckpointRecord | undefined {
    const entry = this.#entries.get(`${namespace}/${name}`);
    return entry && describeRecord(entry.record);
  }

  /** How many archives there are, how many of them are pinned, and the bytes of all. */
  measure(): { readonly archives: number; readonly pinnedArchives: number; readonly archiveBytes: number } {
    let [pinnedArchives, archiveBytes] = [0, 0];
    for (const { pinned, sizeBytes } of this.#entries.values()) {
      pinnedArchives += Number(pinned);
      archiveBytes += sizeBytes;
    }
    return { archives: this.#entries.size, pinnedArchives, archiveBytes };
  }

  /** Why an archive with so many bytes could not be kept; `undefined` when it can. */
  findRoomFault({ namespace, pod, container }: ArchiveSubject, sizeBytes: number): string | undefined {
    const place = { namespace, podName: pod, containerName: container };
    return findRoomFault([...this.#entries.values()], this.#options.retention, place, sizeBytes);
  }

  /** Gives an archive its names, which no other gets until `release`. */
  reserve(subject: ArchiveSubject, nowMillis: number): ArchiveName {
    const key = ({ name }: ArchiveName): string => `${subject.namespace}/${name}`;
    const files = new Set([...this.#entries.values()].map(({ record }) => basename(record.archive)));
    const names = planArchiveName(
      subject,
      nowMillis,
      (one) =>
        this.#entries.has(key(one)) ||
        files.has(one.file) ||
        [key(one), one.file].some((text) => this.#reserved.has(text)),
    );
    this.#reserved.add(key(names)).add(names.file);
    return names;
  }

  release(namespace: string, { name, file }: ArchiveName): void {
    this.#reserved.delete(`${namespace}/${name}`);
    this.#reserved.delete(file);
  }

  /** Takes in an archive that is complete, unless `mayAdd` says no at the last moment; returns whether it did. */
  add(place: AttemptPlace, record: CheckpointRecord, mayAdd: () => boolean): Promise<boolean> {
    return this.#change(async () => {
      if (!mayAdd()) return false;
      await this.#options.folder.commitAttempt(place, basename(record.archive), record);
      this.#put(record);
      return true;
    });
  }

  /** Pins an archive, or lets retention have it; `undefined` when there is none. */
  setPinned(namespace: string, name: string, pinned: boolean): Promise<CheckpointRecord | undefined> {
    return this.#change(async () => {
      const entry = this.#entries.get(`${namespace}/${name}`);
      if (entry === undefined || entry.pinned === pinned) return entry && describeRecord(entry.record);
      return describeRecord(await this.#rewrite({ ...entry.record, pinned }));
    });
  }

  /** Removes an archive, pinned or not; `undefined` when there is none. */
  remove(namespace: string, name: string): Promise<CheckpointRecord | undefined> {
    return this.#change(async () => {
      const entry = this.#entries.get(`${namespace}/${name}`);
      if (entry !== undefined) await this.#drop(entry, 'Deleted');
      return entry && describeRecord(entry.record);
    });
  }

  /** The archive for reading, which a removal does not end; `undefined` when there is none. */
  async openArchive(namespace: string, name: string): Promise<OpenArchive | undefined> {
    const entry = this.#entries.get(`${namespace}/${name}`);
    const handle = entry && (await this.#options.folder.openArchive(basename(entry.record.archive)));
    if (entry === undefined || handle === undefined) return undefined;
    return {
      record: describeRecord(entry.record),
      sizeBytes: (await handle.stat()).size,
      read: (range) => handle.createReadStream({ ...range, highWaterMark: 64 << 10 }),
      close: () => handle.close(),
    };
  }

  /** Uids of pods that archives are of. */
  listPodUids(): Set<string> {
    return new Set([...this.#entries.values()].map(({ record }) => record.podUid));
  }

  /** Notes which pods are gone since `nowMillis` and which are back; a pod that was gone before stays gone since then. */
  async notePods(presentUids: ReadonlySet<string>, nowMillis: number): Promise<void> {
    const isNoted = ({ podUid, podGoneTime }: StoredRecord): boolean =>
      presentUids.has(podUid) === (podGoneTime === undefined);
    for (const [key, { record }] of [...this.#entries]) {
      if (isNoted(record)) continue;
      // One at a time, so that other changes need not wait for all.
      await this.#change(async () => {
        const current = this.#entries.get(key)?.record;
        if (current === undefined || isNoted(current)) return;
        const { podGoneTime, ...rest } = current;
        await this.#rewrite(
          podGoneTime === undefined ? { ...rest, podGoneTime: new Date(nowMillis).toISOString() } : rest,
        );
      });
    }
  }

  /** Removes what retention lets go of at `nowMillis`; not the one just made, which looks old where the machine's clock was set back. */
  retain(nowMillis: number, justMade?: CheckpointRecord): Promise<void> {
    return this.#change(async () => {
      const { retention, logger } = this.#options;
      const entries = [...this.#entries.values()].map((entry) =>
        entry.record === justMade ? { ...entry, pinned: true } : entry,
      );
      for (const { archive, reason } of planRetention(entries, retention, nowMillis)) {
        await this.#drop(archive, reason);
        const { namespace, name } = archive.record;
        logger.info({ namespace, checkpoint: name, reason }, 'checkpoint removed by retention');
      }
    });
  }

  /** Resolves when the changes asked for so far are made. */
  async settle(): Promise<void> {
    await this.#changes.catch(() => undefined);
  }

  #change<T>(make: () => Promise<T>): Promise<T> {
    const change = this.#changes.then(make, make);
    this.#changes = change;
    // Who asked for the change is told.
    change.catch(() => undefined);
    return change;
  }

  #put(record: StoredRecord): void {
    this.#entries.set(`${record.namespace}/${record.name}`, describeEntry(record));
  }

  async #rewrite(record: StoredRecord): Promise<StoredRecord> {
    await this.#options.folder.writeRecord(basename(record.archive), record);
    this.#put(record);
    return record;
  }

  async #drop({ record }: Entry, reason: RetentionReason | 'Deleted'): Promise<void> {
    await this.#options.folder.removeArchive(basename(record.archive));
    this.#entries.delete(`${record.namespace}/${record.name}`);
    this.#options.onRemoved(reason);
  }

  /** Makes a record for an archive that has none, from what it says itself; others are left alone. */
  async #adopt(file: string): Promise<void> {
    const { folder, nodeName, logger } = this.#options;
    const handle = await folder.openArchive(file);
    if (handle === undefined) {
      logger.warn({ file }, 'what has the name of an archive is no regular file, and is left alone');
      return;
    }
    try {
      const facts = await readArchiveFacts(handle);
      const { size, mtimeMs } = await handle.stat();
      if (facts === undefined || !hasNames(facts)) {
        logger.warn({ file }, 'archive without a record says nothing of its container, and is left alone');
        return;
      }
      const subject = { namespace: facts.namespace, pod: facts.podName, container: facts.containerName };
      const isKnown = ({ name }: ArchiveName): boolean => this.#entries.has(`${facts.namespace}/${name}`);
      const { name } = planArchiveName(subject, Math.floor(mtimeMs), isKnown);
      const time = new Date(mtimeMs).toISOString();
      await this.#rewrite({
        ...{ name, ...facts, containerId: '', nodeName, archive: join(folder.path, file), sizeBytes: size },
        ...{ startTime: time, completionTime: time, pinned: false },
      });
      logger.info({ file }, 'archive without a record was taken in');
    } finally {
      await handle.close();
    }
  }
}
