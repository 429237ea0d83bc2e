import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { describeCluster } from './describe-cluster.ts';
import { startCluster } from './start-cluster.ts';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function waitUntilGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isAlive)) await wait(50);
}

describeCluster('a control plane of the rig', () => {
  it('serves the administrator, refuses others, and leaves nothing behind', async () => {
    const cluster = await startCluster();
    const pids = [...cluster.pids.values()];
    try {
      const created = await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'rig' } } });
      expect(created.status).toBe(201);
      expect(created.body.status.phase).toBe('Active');
      expect((await cluster.request('GET', '/api/v1/namespaces', { anonymous: true })).status).toBe(403);
      expect((await cluster.request('GET', '/version')).body.gitVersion).toBe('v1.34.4');
      const clientCertificate = await cluster.issueClientCertificate('someone', ['system:masters']);
      const seen = await cluster.request('GET', '/api/v1/namespaces/rig', { clientCertificate });
      expect(seen.status).toBe(200);
      expect(pids.length).toBe(3);
      expect(pids.every(isAlive)).toBe(true);
    } finally {
      await cluster.stop();
    }
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(cluster.folder)).toBe(false);
  });

  it('ends with the process that started it, however that ends', async () => {
    const program = `
      import { startCluster } from ${JSON.stringify(new URL('start-cluster.ts', import.meta.url).href)};
      const cluster = await startCluster();
      console.log(JSON.stringify({ pids: [...cluster.pids.values()], folder: cluster.folder }));
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', resolve);
      child.once('exit', () => reject(new Error('the program ended early')));
    });
    const { pids, folder } = JSON.parse(line) as { pids: number[]; folder: string };
    child.kill('SIGKILL');
    await waitUntilGone(pids);
    expect(existsSync(folder)).toBe(false);
  });
});
