import { open, readdir, stat, statfs, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** Space of a file system, in bytes and inodes, as those see it who are not root. */
export interface FilesystemSpace {
  /** Same for two paths on the same file system. */
  readonly device: number;
  readonly capacityBytes: number;
  readonly availableBytes: number;
  /** 0 where the file system does not count them. */
  readonly inodes: number;
  readonly inodesFree: number;
}

/** The node's files as far as its state is read from them; paths are absolute, as the node sees them. */
export interface HostFiles {
  /** The first MiB of a file as UTF-8; `undefined` when it is not there or may not be read. */
  readText(path: string): Promise<string | undefined>;
  /** As above, as it is. */
  readBytes(path: string): Promise<Buffer | undefined>;
  /** Names in a folder, sorted; none when it is not there or may not be read. */
  listNames(path: string): Promise<readonly string[]>;
  /** Whether there is such a file or folder. */
  isThere(path: string): Promise<boolean>;
  /** Space of the file system of a path; `undefined` when that cannot be told. */
  readSpace(path: string): Promise<FilesystemSpace | undefined>;
}

const maxBytes = 1024 * 1024;
const chunkBytes = 16 * 1024;

/** Files of this machine, below `root`. */
export function openHostFiles(root = '/'): HostFiles {
  return new MountedFiles(root);
}

class MountedFiles implements HostFiles {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async readBytes(path: string): Promise<Buffer | undefined> {
    let file: FileHandle | undefined;
    try {
      file = await open(join(this.#root, path), 'r');
      return await readSome(file);
    } catch {
      return undefined;
    } finally {
      await file?.close();
    }
  }

  async readText(path: string): Promise<string | undefined> {
    return (await this.readBytes(path))?.toString('utf8');
  }

  async listNames(path: string): Promise<readonly string[]> {
    try {
      return (await readdir(join(this.#root, path))).sort();
    } catch {
      return [];
    }
  }

  async isThere(path: string): Promise<boolean> {
    try {
      await stat(join(this.#root, path));
      return true;
    } catch {
      return false;
    }
  }

  async readSpace(path: string): Promise<FilesystemSpace | undefined> {
    const full = join(this.#root, path);
    try {
      const [{ dev }, space] = await Promise.all([stat(full), statfs(full)]);
      return {
        device: dev,
        capacityBytes: space.blocks * space.bsize,
        availableBytes: space.bavail * space.bsize,
        inodes: space.files,
        inodesFree: space.ffree,
      };
    } catch {
      return undefined;
    }
  }
}

/** Files of /proc have no size: they end where a read brings nothing. */
async function readSome(file: FileHandle): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < maxBytes) {
    const buffer = Buffer.alloc(Math.min(chunkBytes, maxBytes - length));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(chunks);
}
