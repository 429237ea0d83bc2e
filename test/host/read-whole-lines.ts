import { readFile } from 'node:fs/promises';

/** Lines of a file that somebody writes to, but for one that is not written to its end yet. */
export async function readWholeLines(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8')).split('\n').slice(0, -1);
}
