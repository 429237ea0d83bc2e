import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { glob, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { projectRoot } from '../tools/run-command.ts';
import { readConsoleSteps } from '../tools/docs/read-console-steps.ts';
import type { ConsoleStep } from '../tools/docs/read-console-steps.ts';
import { readTables } from '../tools/docs/read-tables.ts';
import { findKubectlSkipReason } from './service/run-kubectl.ts';
import { startService } from './service/start-service.ts';
import type { Service } from './service/start-service.ts';

const skipReason = findKubectlSkipReason();
const retryMillis = 250;
const maxRetries = 240;

/** A folder in which the commands of one page run, as a person would in a checkout. */
interface Terminal {
  readonly folder: string;
  readonly environment: Record<string, string>;
  service?: Service;
}

/** Output without what differs from run to run: the folder, the port, widths of columns, ages. */
function normalizeOutput(text: string): string {
  return text
    .replaceAll(/\S*\/\.bailiwick\//g, '.bailiwick/')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/\s+/g, ' ')
        .replace(/ \d+[smhd](\d+[smhd])?$/, ' AGE')
        .trim(),
    )
    .join('\n')
    .trim();
}

/** Whether output is what a page shows; a line `...` there stands for any lines. */
function matchesOutput(shown: string, output: string): boolean {
  const pattern = normalizeOutput(shown)
    .split('\n')
    .map((line) => (line === '...' ? String.raw`[\s\S]*` : line.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)))
    .join('\n');
  return new RegExp(`^${pattern}$`).test(normalizeOutput(output));
}

function runShell(command: string, terminal: Terminal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', command], {
      cwd: terminal.folder,
      env: { ...process.env, HOME: terminal.folder, ...terminal.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    }
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
}

/** Starts the service as `npm start -- WORDS` does, on a free port and with data of its own, which the terminal sees as `.bailiwick`. */
async function startInTerminal(words: readonly string[], terminal: Terminal): Promise<string> {
  await terminal.service?.stop();
  const isFile = (word: string, before = ''): boolean =>
    existsSync(join(terminal.folder, word)) || /^--\S+-path$/.test(before);
  const flags = words.map((word, index) => (isFile(word, words[index - 1]) ? join(terminal.folder, word) : word));
  terminal.service = await startService({ flags });
  const link = join(terminal.folder, '.bailiwick');
  await rm(link, { force: true });
  await symlink(terminal.service.dataDir, link);
  return terminal.service
    .readOutput()
    .replaceAll(terminal.service.dataDir, '.bailiwick')
    .replace('kubeconfig ', 'kubeconfig /');
}

async function runStep({ command }: ConsoleStep, terminal: Terminal): Promise<string> {
  const start = /^npm start(?: -- (.*))?$/.exec(command);
  if (start && !command.includes('--help')) return startInTerminal(start[1]?.split(' ') ?? [], terminal);
  const setting = /^export (\w+)=(\S+)$/.exec(command);
  if (setting) {
    terminal.environment[setting[1]!] = setting[2]!;
    return '';
  }
  return runShell(command, terminal);
}

/** Commands that only read may be tried again: some of what they show is written in the background. */
function isRead(command: string): boolean {
  return /^kubectl (--\S+ \S+ )*(get|describe|auth) /.test(command);
}

async function expectStep(step: ConsoleStep, terminal: Terminal): Promise<void> {
  let output = await runStep(step, terminal);
  for (let retry = 0; isRead(step.command) && retry < maxRetries && !matchesOutput(step.output, output); retry += 1) {
    await sleep(retryMillis);
    output = await runStep(step, terminal);
  }
  if (!matchesOutput(step.output, output)) {
    expect(normalizeOutput(output), `$ ${step.command}`).toBe(normalizeOutput(step.output));
  }
}

const pages = ['README.md', ...(await Array.fromAsync(glob('docs/**/*.md', { cwd: projectRoot })))].filter(
  (page) => readConsoleSteps(readFileSync(join(projectRoot, page), 'utf8')).length > 0,
);

describe.skipIf(skipReason)(`what the pages show${skipReason ? ` (${skipReason})` : ''}`, () => {
  it.for(pages)('%s', { timeout: 900_000 }, async (page) => {
    const folder = await mkdtemp(join(tmpdir(), 'bailiwick-docs-'));
    const terminal: Terminal = { folder, environment: {} };
    try {
      await symlink(join(projectRoot, 'examples'), join(folder, 'examples'));
      for (const step of readConsoleSteps(await readFile(join(projectRoot, page), 'utf8'))) {
        await expectStep(step, terminal);
      }
    } finally {
      await terminal.service?.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('docs/running.md', () => {
  it('lists the metrics that are served, and the files that are kept', async () => {
    const page = await readFile(join(projectRoot, 'docs/running.md'), 'utf8');
    const service = await startService();
    try {
      const { text } = await service.request('GET', '/metrics');
      const served = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!).sort();
      const own = served.filter((name) => name.startsWith('apiserver_'));
      const flowPage = await readFile(join(projectRoot, 'docs/flow-control.md'), 'utf8');
      for (const [explained, isOfFlows] of [
        [page, false],
        [flowPage, true],
      ] as const) {
        const expected = own.filter((name) => name.startsWith('apiserver_flowcontrol_') === isOfFlows);
        expect(readTables(explained, ['metric', 'labels', 'meaning']).map(([name]) => name)).toEqual(expected);
      }
      for (const name of served) {
        const isCovered =
          page.includes(`\`${name}\``) ||
          flowPage.includes(`\`${name}\``) ||
          [...page.matchAll(/`(\w+_)\*`/g)].some(([, prefix = '']) => name.startsWith(prefix));
        expect(isCovered, name).toBe(true);
      }
      const kept = await Array.fromAsync(glob('**', { cwd: service.dataDir, withFileTypes: true }));
      const files = kept
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(service.dataDir.length + 1));
      expect(new Set(readTables(page, ['file', 'holds', 'secret']).map(([file]) => file))).toEqual(new Set(files));
    } finally {
      await service.stop();
    }
  });
});
