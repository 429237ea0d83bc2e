import { readFile } from 'node:fs/promises';
import type { Clock } from './clock.ts';

/** Files whose content is to be followed. */
export interface FollowedFilesOptions {
  readonly files: readonly string[];
  readonly clock: Clock;
  /** Given the texts in the order of the files, at the beginning and after each change. What it throws at the beginning is thrown on. */
  readonly onTexts: (texts: readonly string[]) => void;
  /** Given why the files could not be read again, or taken. */
  readonly onFailure: (error: unknown) => void;
  /** Absent: ten seconds. */
  readonly everyMillis?: number;
}

const defaultEveryMillis = 10_000;

async function readTexts(files: readonly string[]): Promise<string[]> {
  return Promise.all(files.map((file) => readFile(file, 'utf8')));
}

/** Reads files now, and again every few seconds; returns what ends this. Rejects when they cannot be read at the beginning. */
export async function followFiles(options: FollowedFilesOptions): Promise<() => void> {
  const { files, clock, onTexts, onFailure, everyMillis = defaultEveryMillis } = options;
  let known = await readTexts(files);
  onTexts(known);
  let isEnded = false;
  let cancel: () => void = () => undefined;
  const look = async (): Promise<void> => {
    try {
      const texts = await readTexts(files);
      if (!isEnded && texts.some((text, index) => text !== known[index])) {
        // Known at once: what cannot be taken is said once, and not every few seconds.
        known = texts;
        onTexts(texts);
      }
    } catch (error) {
      if (!isEnded) onFailure(error);
    }
    if (!isEnded) cancel = clock.schedule(everyMillis, () => void look());
  };
  cancel = clock.schedule(everyMillis, () => void look());
  return () => {
    isEnded = true;
    cancel();
  };
}
