import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { AnyObject } from './controllers/await-objects.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { PlayedNodes } from './node-lifecycle/node-target.ts';
import { type Service, startService } from './service/start-service.ts';

const graceMillis = 3_000;
const periodMillis = 300;
const flags = [
  `--node-monitor-period=${periodMillis}ms`,
  `--node-monitor-grace-period=${graceMillis}ms`,
  '--node-eviction-rate=100',
];
const names = ['a', 'b', 'c'];

let dataDir: string;
let service: Service;
let nodes: PlayedNodes;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bailiwick-outage-'));
  service = await startService({ dataDir, flags });
  nodes = new PlayedNodes({
    prefix: 'node.bailiwick.dev',
    async send(method, path, body, contentType) {
      const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
      const answer = await service.request(method, path, { headers, ...(body === undefined ? {} : { body }) });
      return { status: answer.status, body: answer.json as AnyObject };
    },
  });
  await nodes.create({}, ...names);
  // It would leave at once.
  await nodes.createPod('p', 'a', { unreachable: 0 });
});

afterEach(async () => {
  nodes.stop();
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** What was ever told against the nodes, and whether the pod was. */
async function listLosses(): Promise<unknown> {
  const { items } = await nodes.send('GET', '/api/v1/namespaces/default/events');
  const told = (items as AnyObject[]).filter(
    ({ reason }) => reason === 'NodeNotReady' || reason === 'TaintManagerEviction',
  );
  const taints = await Promise.all(names.map((name) => nodes.listTaints(name)));
  const { metadata } = await nodes.findPod('p');
  return [
    ...told.map(({ message }) => message as string),
    ...taints.flat(),
    ...(metadata.deletionTimestamp ? ['gone'] : []),
  ];
}

/** Looks at the nodes' health so far. */
async function countLooks(): Promise<number> {
  const { text } = await service.request('GET', '/metrics');
  return Number(/^node_collector_update_all_nodes_health_duration_seconds_count (\d+)/m.exec(text)?.[1] ?? 0);
}

/** Resolves when the nodes were looked at for longer than they may be silent. */
async function awaitVerdict(): Promise<void> {
  const enough = (await countLooks()) + (2 * graceMillis) / periodMillis;
  await waitUntil('the nodes to be looked at', async () => (await countLooks()) >= enough);
}

it('does not hold it against the nodes that the service was killed, and away for longer than their grace', async () => {
  await service.kill();
  // Real time has to pass: nobody is there to tell of anything.
  await wait(2 * graceMillis);
  service = await startService({ dataDir, flags });
  await awaitVerdict();
  expect(await listLosses()).toEqual([]);
}, 240_000);

it('does not hold it against the nodes that the service was suspended', async () => {
  const { pid = 0 } = service.process;
  process.kill(pid, 'SIGSTOP');
  await wait(3 * graceMillis);
  process.kill(pid, 'SIGCONT');
  await awaitVerdict();
  expect(await listLosses()).toEqual([]);
}, 240_000);

it('still notices afterwards who is silent', async () => {
  const { pid = 0 } = service.process;
  process.kill(pid, 'SIGSTOP');
  await wait(graceMillis);
  process.kill(pid, 'SIGCONT');
  nodes.silence('a');
  await nodes.waitFor('a', (node) => node['spec'].taints?.length === 2);
  await nodes.waitForPod('p', (pod) => pod['metadata'].deletionTimestamp !== undefined);
}, 240_000);
