import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ProcessGroup } from '../cluster/process-group.ts';

/** A program of others that runs as a client of an API server; it ends with this process at the latest. */
export interface ClientProgram {
  /** What it logged so far. */
  readLog(): Promise<string>;
  /** Throws, with the end of the log, when it has ended. */
  checkAlive(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/** Starts the executable `command` under a name, with the words that are made for its own empty folder. */
export async function startClientProgram(
  name: string,
  command: string,
  listWords: (folder: string) => readonly string[],
): Promise<ClientProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-client-'));
  const group = new ProcessGroup(folder);
  const logFile = join(folder, `${name}.log`);
  group.start({ name, command, words: listWords(folder), logFile });
  return {
    readLog: () => readFile(logFile, 'utf8'),
    checkAlive: () => group.checkAlive(),
    stop: () => group.stop(),
  };
}
