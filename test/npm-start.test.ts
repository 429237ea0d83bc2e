import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterAll, beforeAll, expect, it } from 'vitest';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bailiwick-npm-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.for(['SIGTERM', 'SIGINT'] as const)(
  'prints where it is and what to try, and ends cleanly when npm gets %s',
  async (signal) => {
    const npm = spawn('npm', ['start', '--silent', '--', '--port', '0', '--data-dir', folder], {
      cwd: join(import.meta.dirname, '..'),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = once(npm, 'exit');
    const lines: string[] = [];
    for await (const line of createInterface({ input: npm.stdout })) {
      lines.push(line);
      if (line.startsWith('  kubectl run')) break;
    }
    expect(lines[0]).toMatch(/^ready https:\/\/127\.0\.0\.1:\d+$/);
    expect(lines[1]).toBe(`kubeconfig ${join(folder, 'kubeconfig')}`);
    expect(lines.filter((line) => line.startsWith('  kubectl '))).toHaveLength(3);

    npm.kill(signal);
    expect((await exited)[0]).toBe(0);
    // The service held the file open until it ended, and emptied its log on the way out.
    await expect(stat(join(folder, 'store.db-wal'))).rejects.toThrow('ENOENT');
  },
);
