import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** That a container's dump was begun and is not known to be over, so that the container may stand still. */
export interface DumpNote {
  /** One that no other has; a file's name. */
  readonly key: string;
  readonly containerId: string;
  /** Of the container's turn. */
  readonly turn: string;
}

/** Notes of dumps, a file each in a folder of their own. They outlive this program, which may end before a dump does. */
export class DumpNotes {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the folder ready, and returns what is noted there. Its parent must be there. */
  async open(): Promise<DumpNote[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
    const notes: DumpNote[] = [];
    for (const key of await readdir(this.#folder)) {
      const note = await readFile(join(this.#folder, key), 'utf8').catch(() => '');
      const [containerId = '', turn = ''] = note.split(' ');
      if (turn !== '') notes.push({ key, containerId, turn });
      // Nothing was begun before its note was whole.
      else await rm(join(this.#folder, key), { recursive: true, force: true });
    }
    return notes;
  }

  /** To be called before the dump begins. */
  async keep({ key, containerId, turn }: DumpNote): Promise<void> {
    // A loss of power ends all containers: the file need not outlive one.
    await writeFile(join(this.#folder, key), `${containerId} ${turn}`, { mode: 0o600, flag: 'wx' });
  }

  /** To be called when the container was seen to go on, or is gone. */
  async forget(key: string): Promise<void> {
    await rm(join(this.#folder, key), { force: true });
  }
}
