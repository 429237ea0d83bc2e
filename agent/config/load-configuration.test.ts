import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartError } from '../../platform/process/start-error.ts';
import { readAgentFlags } from './agent-flags.ts';
import { maskConfiguration } from './idle-fields.ts';
import { loadConfiguration } from './load-configuration.ts';

const head = 'apiVersion: agent.config.bailiwick.dev/v1beta1\nkind: AgentConfiguration\n';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-config-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** `@` stands for the folder. */
function load(...words: string[]) {
  return loadConfiguration(readAgentFlags(words.map((word) => word.replace('@', folder))));
}

describe('loadConfiguration', () => {
  it('runs by defaults without a file', async () => {
    const { configuration, document, idleFields } = await load();
    expect(configuration.port).toBe(10_350);
    expect(document).toMatchObject({ apiVersion: 'agent.config.bailiwick.dev/v1beta1', kind: 'AgentConfiguration' });
    expect(document).toMatchObject({ runtimeRequestTimeout: '2m0s', nodeLeaseDurationSeconds: 40 });
    expect(idleFields).toEqual([]);
  });

  it('lays drop-ins over the file in the order of their names, those in folders too, and flags over all', async () => {
    await write({
      'agent.yaml': `${head}port: 1\nmaxPods: 1\naddress: 10.0.0.1\nnodeLeaseDurationSeconds: 1\nfeatureGates: {ContainerCheckpoint: false}`,
      'd/10-a.conf': `${head}maxPods: 10\naddress: 10.0.0.10\nnodeLeaseDurationSeconds: 10`,
      'd/15/z.conf': `${head}nodeLeaseDurationSeconds: 15`,
      'd/20-b.conf': `${head}address: 10.0.0.20\nfeatureGates: {SystemdWatchdog: false}`,
      'd/30.yaml': `${head}maxPods: 30`,
    });
    const { configuration } = await load('--config', '@/agent.yaml', '--config-dir', '@/d', '--address', '::1');
    expect(configuration).toMatchObject({ port: 1, maxPods: 10, address: '::1', nodeLeaseDurationSeconds: 15 });
    expect(configuration.gates.isEnabled('ContainerCheckpoint')).toBe(false);
    expect(configuration.gates.isEnabled('SystemdWatchdog')).toBe(false);
  });

  it('reads drop-ins of a mounted volume once', async () => {
    await write({ 'd/..2026/10.conf': `${head}port: 5`, 'd/..2026/20.conf': `${head}port: 6` });
    await symlink('..2026', join(folder, 'd/..data'));
    await symlink('..data/10.conf', join(folder, 'd/10.conf'));
    const { configuration } = await load('--config-dir', '@/d');
    expect(configuration.port).toBe(5);
  });

  it('takes drop-ins without a file, and files of another domain only under it', async () => {
    await write({ 'd/a.conf': `${head.replace('bailiwick.dev', 'k8s.io')}port: 7` });
    expect((await load('--config-dir', '@/d', '--domain', 'k8s.io')).configuration.port).toBe(7);
    await expect(load('--config-dir', '@/d')).rejects.toThrow(
      `${folder}/d/a.conf: apiVersion: Unsupported value: "agent.config.k8s.io/v1beta1": supported values: "agent.config.bailiwick.dev/v1beta1"`,
    );
  });

  it('resolves relative paths against the file that has them', async () => {
    await write({ 'a/agent.yaml': `${head}tlsCertFile: x.crt`, 'b/k.conf': `${head}tlsPrivateKeyFile: x.key` });
    const { configuration } = await load('--config', '@/a/agent.yaml', '--config-dir', '@/b');
    expect(configuration.tlsCertFile).toBe(`${folder}/a/x.crt`);
    expect(configuration.tlsPrivateKeyFile).toBe(`${folder}/b/x.key`);
  });

  it('reads a file of any size up to the greatest, and refuses one beyond', async () => {
    const filler = `${'# filler\n'.repeat(40_000)}port: 9\n`;
    await write({ 'large.yaml': `${head}${filler}`, 'huge.yaml': `${head}${filler.repeat(10)}` });
    expect((await load('--config', '@/large.yaml')).configuration.port).toBe(9);
    await expect(load('--config', '@/huge.yaml')).rejects.toThrow('/huge.yaml: must not be larger than 3145728 bytes');
  });

  it('reads a pipe to its end', async () => {
    const text = `${head}${'# filler\n'.repeat(20_000)}port: 9\n`;
    await write({ text });
    const words = [
      '-c',
      `exec 3< <(cat "$1"); exec "$2" -e "$3" /dev/fd/3`,
      'sh',
      join(folder, 'text'),
      process.execPath,
    ];
    const program = `
      const { readAgentFlags } = await import(${JSON.stringify(new URL('agent-flags.ts', import.meta.url).href)});
      const { loadConfiguration } = await import(${JSON.stringify(new URL('load-configuration.ts', import.meta.url).href)});
      const { configuration } = await loadConfiguration(readAgentFlags(['--config', '/dev/fd/3']));
      process.stdout.write(String(configuration.port));
    `;
    expect((await promisify(execFile)('bash', [...words, program])).stdout).toBe('9');
  });

  it('refuses every fault of every file at once, naming file and field', async () => {
    await write({ 'agent.yaml': `${head}port: x\nprot: 1`, 'd/a.conf': `${head}maxPods: z`, 'd/b.conf': '' });
    const loading = load('--config', '@/agent.yaml', '--config-dir', '@/d');
    await expect(loading).rejects.toThrow(StartError);
    await expect(loading).rejects.toThrow(
      [
        `${folder}/agent.yaml: port: Invalid value: "x": must be an integer`,
        `${folder}/agent.yaml: unknown field "prot"`,
        `${folder}/d/a.conf: maxPods: Invalid value: "z": must be an integer`,
        `${folder}/d/b.conf: is empty`,
      ].join('\n'),
    );
  });

  it('names what set a value last that cannot be', async () => {
    await write({
      'agent.yaml': `${head}address: here\nevictionHard: {memory.available: "-1"}`,
      'd/a.conf': `${head}address: there`,
    });
    await expect(
      load('--config', '@/agent.yaml', '--config-dir', '@/d', '--container-runtime-endpoint', 'tcp://x'),
    ).rejects.toThrow(
      [
        `${folder}/d/a.conf: address: Invalid value: "there": must be an IP address`,
        '--container-runtime-endpoint: containerRuntimeEndpoint: Invalid value: "tcp://x": only support unix socket endpoint',
      ].join('\n'),
    );
  });

  it.for([
    [['--config', '@/absent.yaml'], '/absent.yaml cannot be read: ENOENT'],
    [['--config', '@'], ' cannot be read: EISDIR'],
    [['--config-dir', '@/absent'], '/absent cannot be read: ENOENT'],
  ] as const)('refuses %j', async ([words, text]) => {
    await expect(load(...words)).rejects.toThrow(`${folder}${text}`);
  });

  it('tells which fields and gates change nothing yet', async () => {
    await write({
      'agent.yaml': `${head}port: 1\nclusterDNS: [10.0.0.1]\nfeatureGates: {NodeSwap: true, SystemdWatchdog: false}`,
      'd/a.conf': `${head}staticPodPath: /etc/pods\nclusterDomain: null`,
    });
    const { idleFields } = await load('--config', '@/agent.yaml', '--config-dir', '@/d');
    expect(idleFields).toEqual(['clusterDNS', 'featureGates[NodeSwap]', 'staticPodPath']);
  });

  it('shows no header of requests', async () => {
    await write({ 'agent.yaml': `${head}staticPodURLHeader: {Authorization: [secret]}` });
    const { document } = await load('--config', '@/agent.yaml');
    expect(maskConfiguration(document)['staticPodURLHeader']).toEqual({ Authorization: ['<masked>'] });
  });
});
