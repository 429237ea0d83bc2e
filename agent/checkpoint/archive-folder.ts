import { constants } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { writeFileAtomically } from '../../platform/process/write-file-atomically.ts';
import { BrokenArchive } from './broken-archive.ts';
import { findArchiveFault } from './find-archive-fault.ts';
import type { Disk } from './plan-dump-space.ts';
import { readTar } from './read-tar.ts';
import { parseRecord, type StoredRecord } from './stored-record.ts';

/** A place for one archive while it is made; nothing else is in its folder. */
export interface AttemptPlace {
  readonly folder: string;
  /** Where the runtime is to write the archive. */
  readonly file: string;
}

/** What the folder held when it was opened. */
export interface FoundArchives {
  /** Records with their archives. */
  readonly records: readonly StoredRecord[];
  /** Names of archives that have no record. */
  readonly strangers: readonly string[];
}

const ownerOnly = 0o700;
const archiveMode = 0o600;
const archivePattern = /^checkpoint-.+\.tar$/;

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes a folder although somebody may be writing into it. */
async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}

/** The files of archives, their records and what is being made, in one folder of a node. Only the owner may look into it. */
export class ArchiveFolder {
  readonly path: string;
  readonly #partial: string;
  readonly #records: string;

  constructor(path: string) {
    this.path = path;
    this.#partial = join(path, '.partial');
    this.#records = join(path, '.records');
  }

  /** Makes the folder ready: what was being made is removed, and so are records that lost their archives. */
  async open(): Promise<FoundArchives> {
    for (const folder of [this.path, this.#partial, this.#records]) {
      await mkdir(folder, { recursive: true, mode: ownerOnly });
      await chmod(folder, ownerOnly);
    }
    for (const folder of [dirname(this.path), this.path]) await syncFolder(folder);
    for (const name of await readdir(this.#partial)) await removeFolder(join(this.#partial, name));
    const names = new Set((await readdir(this.path)).filter((name) => archivePattern.test(name)));
    const records: StoredRecord[] = [];
    for (const file of await readdir(this.#records)) {
      const path = join(this.#records, file);
      const name = `${file.slice(0, -'.json'.length)}.tar`;
      const record = names.has(name) && file.endsWith('.json') ? await this.#readRecord(path, name) : undefined;
      if (record === undefined) await rm(path, { recursive: true, force: true });
      else {
        names.delete(name);
        records.push(record);
      }
    }
    return { records, strangers: [...names] };
  }

  /** The record with the size that its archive has. */
  async #readRecord(path: string, name: string): Promise<StoredRecord | undefined> {
    const record = parseRecord(await readFile(path, 'utf8').catch(() => ''));
    const archive = join(this.path, name);
    const stats = await lstat(archive);
    return record !== undefined && stats.isFile() ? { ...record, archive, sizeBytes: stats.size } : undefined;
  }

  /** Bytes of its file system that are free for everybody. */
  async readFreeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.path);
    return bavail * bsize;
  }

  /** Its file system. */
  async readDisk(): Promise<Disk> {
    const [freeBytes, { dev: device }] = await Promise.all([this.readFreeBytes(), stat(this.path)]);
    return { freeBytes, device };
  }

  /** Makes a place for an archive; `key` is one that no other has. */
  async beginAttempt(key: string): Promise<AttemptPlace> {
    const folder = join(this.#partial, key);
    await mkdir(folder, { mode: ownerOnly });
    return { folder, file: join(folder, 'archive.tar') };
  }

  /** Bytes of the archive so far; `undefined` until its file is there. */
  async readAttemptBytes({ file }: AttemptPlace): Promise<number | undefined> {
    try {
      return (await lstat(file)).size;
    } catch {
      return undefined;
    }
  }

  /** Bytes of a finished archive, which are on disk now and only the owner's to read. Throws when there is none, or not a whole one. */
  async sealAttempt({ file }: AttemptPlace): Promise<number> {
    const stats = await lstat(file).catch(() => undefined);
    if (!stats?.isFile() || stats.size === 0) throw new Error(`the container runtime wrote no archive to ${file}`);
    const handle = await open(file, 'r+');
    try {
      const fault = findArchiveFault(await readTar(handle));
      if (fault !== undefined) throw new BrokenArchive(fault);
      if ((stats.mode & 0o777) !== archiveMode) await handle.chmod(archiveMode);
      await handle.sync();
      return stats.size;
    } finally {
      await handle.close();
    }
  }

  /** Gives a sealed archive its name and its record; after a crash there are both or none, and none when it throws. */
  async commitAttempt(place: AttemptPlace, fileName: string, record: StoredRecord): Promise<void> {
    try {
      await this.writeRecord(fileName, record);
      await rename(place.file, join(this.path, fileName));
      await syncFolder(this.path);
    } catch (error) {
      await this.removeArchive(fileName).catch(() => undefined);
      throw error;
    }
    await removeFolder(place.folder);
  }

  /** Removes what there is of an archive; a runtime that is yet to begin it then has no folder to write into. */
  async dropAttempt({ folder }: AttemptPlace): Promise<void> {
    await removeFolder(folder);
  }

  /** Keeps the record of an archive. */
  async writeRecord(fileName: string, record: StoredRecord): Promise<void> {
    await writeFileAtomically(this.#locateRecord(fileName), `${JSON.stringify(record)}\n`, archiveMode);
  }

  /** Removes an archive, and then its record. */
  async removeArchive(fileName: string): Promise<void> {
    await rm(join(this.path, fileName), { force: true });
    await rm(this.#locateRecord(fileName), { force: true });
    await syncFolder(this.path);
  }

  /** The archive for reading; `undefined` when it is gone, or what has its name is no regular file. */
  async openArchive(fileName: string): Promise<FileHandle | undefined> {
    let handle: FileHandle;
    try {
      // A pipe would be waited for, and a link leads elsewhere.
      handle = await open(join(this.path, fileName), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      if (['ENOENT', 'ELOOP', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    }
    let isFile = false;
    try {
      isFile = (await handle.stat()).isFile();
    } finally {
      if (!isFile) await handle.close();
    }
    return isFile ? handle : undefined;
  }

  #locateRecord(fileName: string): string {
    return join(this.#records, `${fileName.slice(0, -'.tar'.length)}.json`);
  }
}
