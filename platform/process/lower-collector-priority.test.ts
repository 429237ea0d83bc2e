import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const isLinux = process.platform === 'linux';
const name = 'lets the threads that collect garbage give way, and no other';

const program = `
import { readdirSync, readFileSync } from 'node:fs';
import { lowerCollectorPriority } from ${JSON.stringify(new URL('lower-collector-priority.ts', import.meta.url).href)};
const lowered = lowerCollectorPriority(5);
const threads = readdirSync('/proc/self/task').map((thread) => {
  // The name, in brackets, may have spaces; niceness is the 17th word after it.
  const [, name, rest] = /\\((.*)\\) (.*)/s.exec(readFileSync('/proc/self/task/' + thread + '/stat', 'utf8'));
  return { isCollector: name === 'V8Worker', niceness: Number(rest.split(' ')[16]) };
});
console.log(JSON.stringify({ lowered, threads }));
`;

it.skipIf(!isLinux)(isLinux ? name : `${name} (not run: it reads /proc)`, () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const { lowered, threads } = JSON.parse(stdout) as {
    lowered: number;
    threads: { isCollector: boolean; niceness: number }[];
  };
  expect(lowered).toBeGreaterThan(0);
  expect(threads.filter(({ niceness }) => niceness === 5)).toHaveLength(lowered);
  expect(threads.filter(({ isCollector }) => isCollector)).toHaveLength(lowered);
});
