import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configSchema } from '../agent/config/config-schema.ts';
import { decodeConfiguration } from '../agent/config/decode-configuration.ts';
import { completeConfiguration, mergeDropIns } from '../agent/config/merge-configuration.ts';
import { arbitraryDocument } from '../agent/config/testdata/arbitrary-document.ts';
import { deepEqual } from '../core/meta/deep.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/meta/json.ts';
import { buildNodeProgram } from './cluster/build-node-program.ts';
import { nodeSkipReason } from './cluster/node-skip-reason.ts';

/** Fields that the kubelet does not have, or whose defaults differ (`agent-defaults`), or whose files it would read. */
const left = [
  ...['address', 'port', 'healthzPort', 'serverTLSBootstrap', 'checkpoints', 'nftables', 'clientCAFile'],
  ...['tlsCertFile', 'tlsPrivateKeyFile', 'tlsMinVersion', 'tlsCipherSuites'],
];
const identity = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
const rounds = process.env['BAILIWICK_SOAK'] === '1' ? 200 : 12;

/** Go keeps a zero where we keep nothing. */
function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true;
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.values(value).every(isNothing);
}

/** The same, by names without regard to case, and without what is nothing; maps are kept as they are. */
function compare(ours: JsonObject, theirs: JsonObject, path: string, differences: string[]): void {
  const byName = new Map(Object.entries(theirs).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [name, value] of Object.entries(ours)) {
    if (left.includes(name)) continue;
    const other = byName.get(name.toLowerCase());
    const isGroup = name === 'authentication' || name === 'authorization' || path !== '';
    if (isGroup && isJsonObject(value) && isJsonObject(other)) compare(value, other, `${path}${name}.`, differences);
    else if (isNothing(value) && isNothing(other)) continue;
    // The kubelet does not log headers.
    else if (name === 'staticPodURLHeader') compareKeys(value, other, differences);
    else if (!deepEqual(value, other)) {
      differences.push(`${path}${name}: ${JSON.stringify(value)}, the kubelet ${JSON.stringify(other)}`);
    }
  }
}

function compareKeys(ours: JsonValue | undefined, theirs: JsonValue | undefined, differences: string[]): void {
  const keys = (value: JsonValue | undefined) =>
    Object.keys(isJsonObject(value) ? value : {})
      .toSorted()
      .join();
  if (keys(ours) !== keys(theirs)) differences.push(`staticPodURLHeader: ${keys(ours)}, the kubelet ${keys(theirs)}`);
}

/** Where this gate is on, the kubelet has a field that may not be there when it is off again. */
function leaveGateAlone(document: JsonObject): JsonObject {
  const { featureGates } = document;
  if (!isJsonObject(featureGates)) return document;
  const { KubeletEnsureSecretPulledImages: _, ...gates } = featureGates;
  return { ...document, featureGates: gates };
}

const reason = nodeSkipReason();
describe.skipIf(reason !== undefined)(`the agent's configuration${reason === undefined ? '' : ` (${reason})`}`, () => {
  let kubelet: string;
  let folder: string;
  beforeAll(async () => {
    kubelet = await buildNodeProgram('kubelet');
    folder = await mkdtemp(join(tmpdir(), 'agent-config-parity-'));
  }, 600_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** What the kubelet makes of files; it ends right after it has read them, since the flags that it has do not go together. */
  async function readByKubelet(main: JsonObject, dropIns: readonly JsonObject[]): Promise<JsonObject> {
    const run = await mkdtemp(join(folder, 'run-'));
    await mkdir(join(run, 'd'));
    const logging = { format: 'json', verbosity: 5 };
    await writeFile(
      join(run, 'main.json'),
      JSON.stringify({ ...identity, logging, serverTLSBootstrap: false, ...main }),
    );
    for (const [index, dropIn] of dropIns.entries()) {
      await writeFile(join(run, 'd', `${index}.conf`), JSON.stringify({ ...identity, ...dropIn }));
    }
    const words = [
      ...['--config', join(run, 'main.json'), '--config-dir', join(run, 'd'), '--root-dir', join(run, 'root')],
      ...['--cert-dir', join(run, 'pki'), '--exit-on-lock-contention'],
    ];
    const log = await new Promise<string>((resolve) => {
      execFile(kubelet, words, { maxBuffer: 64 << 20, timeout: 60_000 }, (_error, _out, text) => resolve(text));
    });
    const line = log.split('\n').find((text) => text.includes('"msg":"KubeletConfiguration"'));
    if (line === undefined) throw new Error(`the kubelet did not take the files:\n${log.slice(-3000)}`);
    return (JSON.parse(line) as { configuration: JsonObject }).configuration;
  }

  async function expectSame(main: JsonObject, dropIns: readonly JsonObject[]): Promise<void> {
    const read = [main, ...dropIns].map((document) => {
      const decoded = decodeConfiguration(Buffer.from(JSON.stringify({ ...identity, ...document })), identity, '/');
      if ('faults' in decoded) throw new Error(decoded.faults.join('\n'));
      return decoded.document;
    });
    const ours = mergeDropIns(completeConfiguration(read[0] ?? {}), read.slice(1));
    const differences: string[] = [];
    compare(ours, await readByKubelet(main, dropIns), '', differences);
    expect(differences).toEqual([]);
  }

  it.for<[string, JsonObject, JsonObject[]]>([
    ['nothing', {}, []],
    ['an empty drop-in', {}, [{}]],
    ['a frequency of updates', { nodeStatusUpdateFrequency: '20s' }, []],
    ['a frequency of updates in a drop-in', {}, [{ nodeStatusUpdateFrequency: '20s' }]],
    ['a frequency of reports taken away', {}, [{ nodeStatusReportFrequency: null }]],
    ['no frequency of reports', { nodeStatusUpdateFrequency: '20s' }, [{ nodeStatusReportFrequency: '0s' }]],
    ['zeros', { maxPods: 0, runtimeRequestTimeout: '0s' }, [{ nodeLeaseDurationSeconds: 0 }]],
    ['zeros over values', { maxPods: 7, runtimeRequestTimeout: '7s' }, [{ maxPods: 0, runtimeRequestTimeout: '0s' }]],
    ['one threshold', { evictionHard: { 'memory.available': '1Gi' } }, []],
    ['one threshold in a drop-in', {}, [{ evictionHard: { 'memory.available': '1Gi' } }]],
    ['no thresholds', { evictionHard: {} }, []],
    ['thresholds taken away', {}, [{ evictionHard: null }]],
    [
      'one threshold beside the defaults',
      { evictionHard: { 'memory.available': '1Gi' }, mergeDefaultEvictionSettings: true },
      [],
    ],
    ['a list and a shorter one', { clusterDNS: ['10.0.0.1', '10.0.0.2'] }, [{ clusterDNS: ['10.0.0.3'] }]],
    [
      'gates key by key',
      { featureGates: { ContainerCheckpoint: false, SystemdWatchdog: false } },
      [{ featureGates: { SystemdWatchdog: true } }, { featureGates: { KubeletPSI: false } }],
    ],
    [
      'a structure taken away',
      { authentication: { webhook: { enabled: false, cacheTTL: '1m0s' } } },
      [{ authentication: null }],
    ],
  ])('comes to what the kubelet makes of %s', async ([, main, dropIns]) => {
    await expectSame(main, dropIns);
  });

  it(
    'comes to what the kubelet makes of any file and drop-ins',
    async () => {
      const document = arbitraryDocument(configSchema, left).map(leaveGateAlone);
      const dropIn = arbitraryDocument(configSchema, left, true).map(leaveGateAlone);
      await fc.assert(fc.asyncProperty(document, fc.array(dropIn, { maxLength: 3 }), expectSame), { numRuns: rounds });
    },
    30_000 + rounds * 5_000,
  );
});
