// Keeps the processes of one cluster. Its standard input is the lifeline: when that ends, also because the process at the other
// end was killed, it stops what it started, newest first, removes what it was told to and the cluster's folder, its one argument, and
// ends itself. Orders come in and events go out as one line of JSON each.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';

import { removeControlGroup, thawControlGroup } from './control-groups.ts';
import { runProgram } from './run-program.ts';
import type { RemoveOrder, StartOrder, SupervisorEvent, SupervisorOrder } from './supervisor-messages.ts';
import { findWrappedPid } from './wrapped-pid.ts';

const stopTimeoutMillis = 10_000;
const children: { readonly process: ChildProcess; readonly order: StartOrder }[] = [];
const removals: RemoveOrder[] = [];

function report(event: SupervisorEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

function start(order: StartOrder): void {
  const log = openSync(order.logFile, 'a');
  const child = spawn(order.command, order.words, { stdio: ['ignore', log, log] });
  closeSync(log);
  children.push({ process: child, order });
  child.on('error', (error) => report({ name: order.name, type: 'ended', reason: error.message }));
  child.on('spawn', () => report({ name: order.name, type: 'started', pid: child.pid ?? 0 }));
  child.on('exit', (code, signal) => report({ name: order.name, type: 'ended', reason: String(signal ?? code) }));
}

/** Kills the first process of a machine: the wrapper then ends after all that were in there. */
function switchOff(wrapper: ChildProcess): void {
  const first = findWrappedPid(wrapper.pid ?? 0);
  if (first === undefined) wrapper.kill('SIGKILL');
  else process.kill(first, 'SIGKILL');
}

function stop(child: ChildProcess, order: StartOrder): Promise<void> {
  // What is inside ends with its machine.
  if (order.machine === 'inside') return Promise.resolve();
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMillis);
    child.on('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    if (order.machine === 'boots') switchOff(child);
    else child.kill('SIGTERM');
  });
}

async function remove(order: RemoveOrder): Promise<void> {
  try {
    if (order.what === 'control group') await removeControlGroup(order.name);
    else await runProgram('ip', ['link', 'delete', order.name]);
  } catch (error) {
    // The rest is still to be removed.
    console.error(`the ${order.what} ${order.name} stays behind`, error);
  }
}

// Whoever ordered the processes may be gone; events are then for nobody.
process.stdout.on('error', () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.stdin.destroy());
}
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const order = JSON.parse(line) as SupervisorOrder;
  if (order.type === 'start') start(order);
  else removals.push(order);
});
process.stdin.on('close', () => {
  void (async () => {
    for (const { what, name } of removals) if (what === 'control group') await thawControlGroup(name);
    for (const child of children.toReversed()) await stop(child.process, child.order);
    for (const order of removals.toReversed()) await remove(order);
    const folder = process.argv[2];
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    process.exit(0);
  })();
});
