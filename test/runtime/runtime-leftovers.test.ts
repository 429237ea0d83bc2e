import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

import { expect, it } from 'vitest';

import { expectNothingLeft, findProcesses, isAlive } from '../cluster/expect-nothing-left.ts';
import { sweepDeadMachines } from '../cluster/sweep-dead-machines.ts';
import { waitUntil } from '../cluster/wait-until.ts';
import { describeRuntime } from './describe-runtime.ts';
import { startRuntime } from './start-runtime.ts';

interface Elsewhere {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly found: string[];
  readonly supervisor: number;
}

/** A runtime that another process has started, in the middle of a dump: its container is paused. */
async function startElsewhere(): Promise<Elsewhere> {
  const program = `
    import { startRuntime } from ${JSON.stringify(new URL('start-runtime.ts', import.meta.url).href)};
    const runtime = await startRuntime();
    const pod = await runtime.runPod({ name: 'p', containers: [{ name: 'c', memoryMiB: 256 }] });
    const location = runtime.folder + '/c.tar';
    void runtime.call('CheckpointContainer', { containerId: pod.containers.get('c'), location }).catch(() => undefined);
    setTimeout(async () => {
      const [found, supervisor] = [await runtime.traces(), runtime.pids.get('supervisor')];
      console.log(JSON.stringify({ folder: runtime.folder, found, supervisor }));
    }, 300);
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', () => reject(new Error('the program ended early')));
  });
  return { child, ...(JSON.parse(line) as Omit<Elsewhere, 'child'>) };
}

describeRuntime('a container runtime of the rig', () => {
  it('leaves nothing behind when it is stopped in the middle of a dump', async () => {
    const runtime = await startRuntime();
    const pod = await runtime.runPod({ name: 'p', containers: [{ name: 'c', memoryMiB: 256 }] });
    const request = { containerId: pod.containers.get('c'), location: join(runtime.folder, 'c.tar') };
    const dump = runtime.call('CheckpointContainer', request).catch(() => undefined);
    const group = basename(runtime.folder);
    const files = `/sys/fs/cgroup/freezer/${group}/*/*/freezer.state /sys/fs/cgroup/${group}/*/*/cgroup.events`;
    await waitUntil('the container to be paused', async () =>
      /FROZEN|frozen 1/.test(await runtime.runOnMachine('sh', ['-c', `cat ${files} 2>/dev/null || true`])),
    );
    expect((await runtime.traces()).length).toBeGreaterThan(2);
    await runtime.stop();
    await dump;
    await expectNothingLeft(runtime);
  });

  it('leaves nothing behind when its test is killed', async () => {
    const { child, folder, found, supervisor } = await startElsewhere();
    expect(found.length).toBeGreaterThan(2);
    child.kill('SIGKILL');
    await waitUntil('the supervisor to finish', () => Promise.resolve(!isAlive(supervisor)));
    await expectNothingLeft({ folder, traces: () => Promise.resolve(found.filter((file) => existsSync(file))) });
  });

  it('ends when even its supervisor is killed, and the next one sweeps up', async () => {
    const { child, folder, found, supervisor } = await startElsewhere();
    process.kill(supervisor, 'SIGKILL');
    child.kill('SIGKILL');
    await waitUntil('the machine to end and to be swept up', async () => {
      await sweepDeadMachines();
      return (await findProcesses(basename(folder))).length === 0 && !existsSync(folder);
    });
    await expectNothingLeft({ folder, traces: () => Promise.resolve(found.filter((file) => existsSync(file))) });
  });
});
