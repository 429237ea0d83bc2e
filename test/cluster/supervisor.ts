// Keeps the processes of one cluster. Its standard input is the lifeline: when that ends, also because the process at the other
// end was killed, it stops what it started, newest first, removes the cluster's folder, its one argument, and ends itself. Orders come in and events go out as one line of JSON each.
import { spawn, type ChildProcess } from 'node:child_process';
import { openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';

import type { SupervisorEvent, SupervisorOrder } from './supervisor-messages.ts';

const stopTimeoutMillis = 10_000;
const children: ChildProcess[] = [];

function report(event: SupervisorEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

function start(order: SupervisorOrder): void {
  const log = openSync(order.logFile, 'a');
  const child = spawn(order.command, order.words, { stdio: ['ignore', log, log] });
  children.push(child);
  child.on('error', (error) => report({ name: order.name, type: 'ended', reason: error.message }));
  child.on('spawn', () => report({ name: order.name, type: 'started', pid: child.pid ?? 0 }));
  child.on('exit', (code, signal) => report({ name: order.name, type: 'ended', reason: String(signal ?? code) }));
}

function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMillis);
    child.on('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

// Whoever ordered the processes may be gone; events are then for nobody.
process.stdout.on('error', () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.stdin.destroy());
}
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => start(JSON.parse(line) as SupervisorOrder));
process.stdin.on('close', () => {
  void (async () => {
    for (const child of children.toReversed()) await stop(child);
    const folder = process.argv[2];
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    process.exit(0);
  })();
});
