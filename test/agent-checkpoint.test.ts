import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, it } from 'vitest';

import type { CheckpointRecord } from '../agent/checkpoint/checkpoint-record.ts';
import {
  hasInMemory,
  listArchive,
  listCheckpointFiles,
  readFromArchive,
  readMode,
} from './agent/checkpoint-archives.ts';
import { startAgentProgram, type AgentRun } from './agent/start-agent-program.ts';
import { runProgram } from './cluster/run-program.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { describeRuntime } from './runtime/describe-runtime.ts';
import { startRuntime } from './runtime/start-runtime.ts';
import type { TestPod, TestRuntime } from './runtime/test-runtime.ts';

function reverse(text: string): string {
  return [...text].toReversed().join('');
}

describeRuntime('checkpoints of a node', () => {
  let runtime: TestRuntime;
  let agent: AgentRun;
  let rootDir = '';
  const pods: TestPod[] = [];

  async function list(): Promise<CheckpointRecord[]> {
    return (await agent.request('GET', '/checkpoints')).json.items as CheckpointRecord[];
  }

  beforeAll(async () => {
    runtime = await startRuntime();
    rootDir = join(runtime.folder, 'agent');
    agent = await startAgentProgram({
      rootDir,
      flags: ['--container-runtime-endpoint', runtime.endpoint],
    });
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const containers = [{ name: 'app', memoryMiB: 8, text: `the text of ${name}` }];
      pods.push(await runtime.runPod({ namespace: 'shop', name, containers }));
    }
  });

  afterAll(async () => {
    await agent.end();
    await runtime.stop();
  });

  it('are archives with the memory, the container goes on, and another goes on from there [Endpoints/Node agent checkpoint operation#2] [Endpoints/Node agent checkpoint operation#8] [Endpoints/Node agent checkpoint operation#9] [Endpoints/Node agent checkpoint operation#10] [Endpoints/Node agent checkpoint operation#11] [Endpoints/Node agent checkpoint operation#12] [What the service does#11]', async () => {
    const text = 'a secret that nothing but the memory has';
    const pod = await runtime.runPod({
      namespace: 'bank',
      name: 'web-0',
      containers: [{ name: 'app', memoryMiB: 48, text }],
    });
    await runtime.waitUntilCountsOn(pod, 'app');
    const countBefore = await runtime.readCount(pod, 'app');
    const answer = await agent.request('POST', '/checkpoint/bank/web-0/app');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    const [archive = '', ...others] = answer.json.items as string[];
    expect(others).toEqual([]);
    expect(archive.startsWith(join(rootDir, 'checkpoints/checkpoint-web-0_bank-app-'))).toBe(true);
    expect(archive.slice(-'2026-01-01T00:00:00.000Z.tar'.length)).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\.tar$/,
    );
    expect(await readMode(archive)).toBe('600');
    expect(await readMode(join(rootDir, 'checkpoints'))).toBe('700');

    expect(await listArchive(archive)).toEqual(
      expect.arrayContaining(['checkpoint/pages-1.img', 'config.dump', 'spec.dump']),
    );
    expect(await hasInMemory(archive, reverse(text))).toBe(true);
    expect(await runtime.waitUntilCountsOn(pod, 'app')).toBeGreaterThan(countBefore);
    const sum = await runtime.readSum(pod, 'app');
    await runtime.removePod(pod);

    const restored = await runtime.runPod({
      namespace: 'bank',
      name: 'again',
      containers: [{ name: 'app', restoredFrom: archive }],
    });
    expect(await runtime.waitUntilCountsOn(restored, 'app')).toBeGreaterThan(countBefore);
    expect(await runtime.readSum(restored, 'app')).toBe(sum);
    const counts = [...(await runtime.readLog(restored, 'app')).matchAll(/^count (\d+)$/gm)].map(([, count]) =>
      Number(count),
    );
    // It did not begin again.
    expect(counts).toEqual([...new Set(counts)].toSorted((left, right) => left - right));
    await runtime.removePod(restored);
  });

  it.for<[string, string, number, string]>([
    ['an unknown namespace', 'void/a/app', 404, 'pod does not exist'],
    ['an unknown pod', 'shop/none/app', 404, 'pod does not exist'],
    ['an unknown container', 'shop/a/none', 404, 'container none does not exist'],
    ['a timeout that is no number', 'shop/a/app?timeout=soon', 404, 'cannot parse value of timeout parameter'],
    [
      'a negative timeout',
      'shop/a/app?timeout=-1',
      500,
      'checkpointing of shop/a/app failed (CheckpointContainer requires the timeout value to be > 0)',
    ],
  ])(
    'are refused for %s with the words of the kubelet [Endpoints/Node agent checkpoint operation#3] [Endpoints/Node agent checkpoint operation#4] [Endpoints/Node agent checkpoint operation#5] [Errors#3]',
    async ([, path, status, message]) => {
      const answer = await agent.request('POST', `/checkpoint/${path}`);
      expect([answer.status, answer.text]).toEqual([status, message]);
    },
  );

  it('are refused for a container that ended with the words of the kubelet [Errors#4]', async () => {
    const containers = [
      { name: 'app', memoryMiB: 1 },
      { name: 'short', image: 'localhost/busybox:1', command: ['true'] },
    ];
    const pod = await runtime.runPod({ namespace: 'shop', name: 'ending', containers });
    await waitUntil('the container to end', async () => {
      const { text } = await agent.request('POST', '/checkpoint/shop/ending/short');
      return text === 'checkpointing of shop/ending/short failed (container short not found)';
    });
    await runtime.removePod(pod);
  });

  it('have a timeout of whole seconds, of which 0 is none [Endpoints/Node agent checkpoint operation#6] [Limits#17]', async () => {
    for (const timeout of ['0', '60']) {
      expect((await agent.request('POST', `/checkpoint/shop/a/app?timeout=${timeout}`)).status).toBe(200);
    }
  });

  it('are told of line by line while they are made', async () => {
    const answer = await agent.open('POST', '/checkpoint/shop/b/app?progress=true');
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    const lines: { type: string; phase?: string; checkpoint?: CheckpointRecord }[] = [];
    for await (const line of createInterface({ input: answer })) lines.push(JSON.parse(line) as (typeof lines)[0]);
    expect(lines[0]).toEqual({ type: 'Progress', phase: 'Dumping', bytes: 0 });
    expect(lines.at(-1)).toMatchObject({
      type: 'Done',
      checkpoint: {
        namespace: 'shop',
        podName: 'b',
        podUid: pods[1]?.uid,
        containerName: 'app',
        nodeName: agent.nodeName,
      },
    });
  });

  it('are all answered when 20 of 5 containers are asked for at once, and none is corrupt', async () => {
    const before = new Set((await list()).map(({ archive }) => archive));
    const asked = Array.from({ length: 20 }, async (_, i) => {
      const pod = pods[i % 5];
      const answer = await agent.request('POST', `/checkpoint/shop/${pod?.name ?? ''}/app`);
      expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
      return { pod, archive: answer.json.items[0] as string };
    });
    const made = await Promise.all(asked);
    expect(new Set(made.map(({ archive }) => archive)).size).toBe(20);
    for (const { pod, archive } of made) {
      expect(before.has(archive)).toBe(false);
      expect(await listArchive(archive)).toContain('checkpoint/pages-1.img');
      expect(await hasInMemory(archive, reverse(`the text of ${pod?.name ?? ''}`))).toBe(true);
      expect(JSON.parse(await readFromArchive(archive, 'config.dump'))).toMatchObject({
        id: pod?.containers.get('app'),
      });
    }
    for (const pod of pods) await runtime.waitUntilCountsOn(pod, 'app');
    const files = await listCheckpointFiles(rootDir);
    expect(files.filter((file) => file.startsWith('.partial'))).toEqual([]);
    expect((await list()).map(({ archive }) => archive)).toEqual(
      expect.arrayContaining(made.map(({ archive }) => archive)),
    );
  });

  it('are known as they were when the agent starts again, pinned ones too', async () => {
    const [one] = await list();
    expect((await agent.request('PUT', `/checkpoints/${one?.namespace ?? ''}/${one?.name ?? ''}/pin`)).status).toBe(
      200,
    );
    const before = await list();
    await agent.end();
    agent = await startAgentProgram({
      rootDir,
      flags: ['--container-runtime-endpoint', runtime.endpoint],
    });
    expect(await list()).toEqual(before);
  });

  it('are kept within the bounds that are set', async () => {
    // What was set for the agent of all other tests: ten of a container.
    for (let i = 0; i < 12; i += 1) {
      expect((await agent.request('POST', '/checkpoint/shop/c/app')).status).toBe(200);
    }
    await waitUntil('retention', async () => (await list()).filter(({ podName }) => podName === 'c').length === 10);
    const records = await list();
    const files = await listCheckpointFiles(rootDir);
    expect(files).toHaveLength(2 * records.length);
    const metrics = (await agent.request('GET', '/metrics')).text;
    expect(metrics).toContain(`\nbailiwick_agent_checkpoint_archives ${records.length}\n`);
    expect(metrics).toMatch(/\nbailiwick_agent_checkpoint_removals_total\{reason="ContainerCount"\} [1-9]/);
  });

  it('are on disk with their records before they have their names', async () => {
    const library = join(runtime.folder, 'record-syncs.so');
    const log = join(runtime.folder, 'syncs');
    const source = fileURLToPath(new URL('agent/record-syncs.c', import.meta.url));
    await runProgram('gcc', ['-O1', '-shared', '-fPIC', '-o', library, source, '-ldl']);
    await agent.end();
    agent = await startAgentProgram({
      ...{ rootDir, flags: ['--container-runtime-endpoint', runtime.endpoint] },
      environment: { LD_PRELOAD: library, SYNC_LOG: log },
    });
    const answer = await agent.request('POST', '/checkpoint/shop/d/app');
    const archive = String(answer.json.items[0]);
    const name = archive.slice(archive.lastIndexOf('/') + 1, -'.tar'.length);
    const record = join(rootDir, 'checkpoints/.records', `${name}.json`);
    const steps = (await readFile(log, 'utf8')).split('\n').map((line) => line.replaceAll(/[0-9a-f]{12,16}/g, 'X'));
    const made = steps.slice(steps.indexOf(`sync ${join(rootDir, 'checkpoints/.partial/X/archive.tar')}`));
    expect(made.slice(0, 6)).toEqual([
      `sync ${join(rootDir, 'checkpoints/.partial/X/archive.tar')}`,
      `sync ${record}.X.tmp`,
      `rename ${record}.X.tmp ${record}`,
      `sync ${join(rootDir, 'checkpoints/.records')}`,
      `rename ${join(rootDir, 'checkpoints/.partial/X/archive.tar')} ${archive}`,
      `sync ${join(rootDir, 'checkpoints')}`,
    ]);
  });
});
