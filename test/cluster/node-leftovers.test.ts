import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

import { describeNode } from './describe-node.ts';
import { expectNothingLeft, findProcesses, isAlive } from './expect-nothing-left.ts';
import { busyboxReference } from './small-images.ts';
import { sweepDeadMachines } from './sweep-dead-machines.ts';
import { waitUntil } from './wait-until.ts';

async function startElsewhere(): Promise<{
  child: ChildProcess;
  folder: string;
  traces: string[];
  supervisor: number;
}> {
  const program = `
    import { startNodeCluster } from ${JSON.stringify(new URL('start-node-cluster.ts', import.meta.url).href)};
    const cluster = await startNodeCluster();
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: '${busyboxReference}', command: ['sleep', '1000'] }] } };
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(pod));
    await cluster.kubectl(['wait', 'pod/p', '--for=condition=Ready', '--timeout=240s']);
    const [traces, supervisor] = [await cluster.listTraces(), cluster.pids.get('supervisor')];
    console.log(JSON.stringify({ folder: cluster.folder, traces, supervisor }));
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', () => reject(new Error('the program ended early')));
  });
  return { child, ...(JSON.parse(line) as { folder: string; traces: string[]; supervisor: number }) };
}

describeNode('a cluster with a node', () => {
  it('leaves nothing behind when its test is killed', async () => {
    const { child, folder, traces, supervisor } = await startElsewhere();
    expect(traces.length).toBeGreaterThan(2);
    expect((await findProcesses(folder)).length).toBeGreaterThan(8);
    child.kill('SIGKILL');
    await waitUntil('the supervisor to finish', () => Promise.resolve(!isAlive(supervisor)));
    await expectNothingLeft({ folder, traces: () => Promise.resolve(traces.filter((file) => existsSync(file))) });
  });

  it('ends when even its supervisor is killed, and the next one sweeps up', async () => {
    const { child, folder, traces, supervisor } = await startElsewhere();
    process.kill(supervisor, 'SIGKILL');
    child.kill('SIGKILL');
    const name = basename(folder);
    await waitUntil('the machine to end', async () => (await findProcesses(name)).length === 0);
    await waitUntil('the machine to be swept up', async () => {
      await sweepDeadMachines();
      return !existsSync(folder);
    });
    await expectNothingLeft({ folder, traces: () => Promise.resolve(traces.filter((file) => existsSync(file))) });
  });
});
