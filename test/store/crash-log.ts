import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { openSqliteStore } from '../../platform/store/sqlite-store.ts';

/** One write as the writing program printed it, or as the store tells it afterwards. */
export interface LoggedWrite {
  readonly revision: number;
  /** `TYPE KEY TOKEN`; tokens are unique. */
  readonly what: string;
}

/** What the writing program said until it ended. */
export interface CrashLog {
  readonly openRevision: number;
  readonly acknowledged: readonly LoggedWrite[];
  readonly watched: readonly LoggedWrite[];
}

/**
 * Runs `write-until-killed.ts` and kills it (SIGKILL) once `killAfter` writes are acknowledged and `delayMs` more have passed.
 * Throws when it ends by itself before.
 */
export async function runAndKill(options: {
  readonly file: string;
  readonly seed: number;
  readonly writers: number;
  readonly killAfter: number;
  readonly delayMs: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly kill?: (pid: number) => void;
}): Promise<CrashLog> {
  const program = new URL('./write-until-killed.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [program, options.file, String(options.seed), String(options.writers)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...options.env },
  });
  const acknowledged: LoggedWrite[] = [];
  const watched: LoggedWrite[] = [];
  let openRevision = 0;
  let wasKilled = false;
  const kill = (): void => {
    wasKilled = true;
    if (options.kill === undefined) child.kill('SIGKILL');
    else options.kill(child.pid!);
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const [, word, revision, what] = /^(\w+) (\d+) ?(.*)$/.exec(line) ?? [];
    if (word === 'open') openRevision = Number(revision);
    // The last line may be cut off in the middle; a whole one has three words.
    if (what?.split(' ').length !== 3) continue;
    if (word === 'ack') acknowledged.push({ revision: Number(revision), what });
    if (word === 'event') watched.push({ revision: Number(revision), what });
    if (word === 'ack' && acknowledged.length === options.killAfter) setTimeout(kill, options.delayMs);
  }
  if (!wasKilled) throw new Error('the writing program ended by itself');
  return { openRevision, acknowledged, watched };
}

/** Every change after the revision, from the file as the crash left it, and the current state as `TYPE KEY TOKEN` lines. */
export async function readAfterCrash(file: string, afterRevision: number) {
  const store = await openSqliteStore({ file });
  try {
    const events: LoggedWrite[] = [];
    const watch = store.watch('/', afterRevision);
    for (;;) {
      const page = await watch.read(500);
      if (page.length === 0) break;
      for (const { revision, type, key, value } of page) {
        const [token, inside] = value.toString('latin1').split(' ');
        expect(Number(inside)).toBe(revision);
        events.push({ revision, what: `${type} ${key} ${token}` });
      }
    }
    const { items } = await store.list('/');
    const state = items.map(({ key, revision, value }) => ({
      revision,
      what: `put ${key} ${value.toString('latin1').split(' ')[0]}`,
    }));
    return { events, state, revision: store.revision };
  } finally {
    await store.close();
  }
}

/** The state that the changes lead to, in key order. */
export function replay(changes: readonly LoggedWrite[]): LoggedWrite[] {
  const state = new Map<string, LoggedWrite>();
  for (const change of changes) {
    const [type, key] = change.what.split(' ');
    if (type === 'delete') state.delete(key!);
    else state.set(key!, change);
  }
  return [...state].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change);
}

/** Acknowledged writes that are not among the changes. */
export function findLost(log: CrashLog, changes: readonly LoggedWrite[]): LoggedWrite[] {
  const kept = new Set(changes.map(({ revision, what }) => `${revision} ${what}`));
  return log.acknowledged.filter(({ revision, what }) => !kept.has(`${revision} ${what}`));
}
