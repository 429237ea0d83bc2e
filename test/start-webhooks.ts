import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { nameEntry } from '../admission/registrations/plan-registrations.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { installCrds } from './crds/install-crds.ts';
import { startBalancer } from './webhooks/start-balancer.ts';
import { type Program, startProgram } from './webhooks/start-program.ts';

/** How to run a release beside a control plane that has no nodes. */
export interface ReleaseRunOptions {
  readonly cluster: Cluster;
  readonly domain?: string;
  /** Replicas of the webhooks; absent: two. */
  readonly replicas?: number;
  /** Replicas of the operator, of which one leads; absent: one. */
  readonly operators?: number;
  /** Whether the kinds are there already. */
  readonly hasCrds?: boolean;
  readonly operatorFlags?: readonly string[];
  readonly webhooksFlags?: readonly string[];
  /** How long webhooks that are asked to end still take calls; absent: not at all, which may fail calls that are on their way. */
  readonly drainSeconds?: number;
  /** Whether the API server calls the one replica itself, so that nothing in between costs time; absent: it does not. */
  readonly isDirect?: boolean;
}

/** A release whose programs run beside the cluster; the API server reaches the webhooks over one address. */
export interface ReleaseRun {
  readonly domain: string;
  readonly namespace: string;
  readonly release: string;
  /** By place; `undefined` while it is killed. */
  readonly webhooks: readonly (Program | undefined)[];
  readonly operators: readonly (Program | undefined)[];
  /** File of a kubeconfig for the API service of an operator, with the rights of the cluster's administrator. */
  locateKubeconfig(place: number): string;
  killWebhooks(place: number): Promise<void>;
  /** Sends new connections to the others, as happens to a replica that says that it is not ready. */
  leaveOut(place: number): void;
  /** Sends new connections to it again. */
  takeIn(place: number): void;
  startWebhooks(place: number): Promise<void>;
  killOperator(place: number): Promise<void>;
  startOperator(place: number): Promise<void>;
  /** Sets the release's `enforcement`; resolves when the setting is written, not when it is followed. */
  setEnforcement(mode: string): Promise<void>;
  /** Names of the entries that are registered at the host. */
  listEntries(): Promise<string[]>;
  /** Waits until an object of this name has an Event of this reason. */
  waitForEvent(namespace: string, name: string, reason: string): Promise<void>;
  /** What the programs that run, and ran, logged last. */
  readLogs(): string;
  /** Ends every program and removes what it kept; the cluster stays. */
  stop(): Promise<void>;
}

const namespace = 'bailiwick-system';
const release = 'test';

/** Starts operators and webhooks of a release, its kinds and settings first; resolves when the webhooks are registered. */
export async function startRelease(options: ReleaseRunOptions): Promise<ReleaseRun> {
  const { cluster, domain = 'bailiwick.dev', replicas = 2, operators: operatorCount = 1 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-release-'));
  const balancer = await startBalancer();
  // Its port becomes the replica's.
  if (options.isDirect === true) await balancer.close();
  const webhooks: (Program | undefined)[] = Array.from({ length: replicas }, () => undefined);
  const operators: (Program | undefined)[] = Array.from({ length: operatorCount }, () => undefined);
  const pastLogs: string[] = [];
  const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;

  const leftOut = new Set<number>();
  const updateTargets = (): void =>
    balancer.setTargets(
      webhooks.flatMap((program, place) =>
        program === undefined || leftOut.has(place) ? [] : Number(new URL(program.url).port),
      ),
    );
  const common = [
    '--kubeconfig',
    cluster.kubeconfig,
    '--domain',
    domain,
    '--namespace',
    namespace,
    '--release',
    release,
  ];

  const run: ReleaseRun = {
    ...{ domain, namespace, release, webhooks, operators },
    locateKubeconfig: (place) => join(folder, `operator-${place}`, 'kubeconfig'),
    async killWebhooks(place) {
      const program = webhooks[place];
      webhooks[place] = undefined;
      updateTargets();
      await program?.end('SIGKILL');
      if (program !== undefined) pastLogs.push(program.readLog());
    },
    leaveOut(place) {
      leftOut.add(place);
      updateTargets();
    },
    takeIn(place) {
      leftOut.delete(place);
      updateTargets();
    },
    async startWebhooks(place) {
      const flags = [
        '--port',
        options.isDirect === true ? String(balancer.port) : '0',
        '--drain-seconds',
        String(options.drainSeconds ?? 0),
        ...(options.webhooksFlags ?? []),
      ];
      webhooks[place] = await startProgram('webhooks', [...common, ...flags]);
      leftOut.delete(place);
      updateTargets();
    },
    async killOperator(place) {
      const program = operators[place];
      operators[place] = undefined;
      await program?.end('SIGKILL');
      if (program !== undefined) pastLogs.push(program.readLog());
    },
    async startOperator(place) {
      const flags = ['--store', 'crds', '--port', '0', '--data-dir', join(folder, `operator-${place}`)];
      const url = ['--webhooks-url', `https://127.0.0.1:${balancer.port}`];
      operators[place] = await startProgram('operator', [
        ...common,
        ...flags,
        ...url,
        ...(options.operatorFlags ?? []),
      ]);
    },
    async setEnforcement(mode) {
      const data = { enforcement: mode };
      const body = JSON.stringify({ data });
      const headers = { 'content-type': 'application/merge-patch+json' };
      const answer = await cluster.request('PATCH', `${configMaps}/${release}-settings`, { body, headers });
      if (answer.status !== 200) throw new Error(`the setting was answered ${answer.status}`);
    },
    async listEntries() {
      const names: string[] = [];
      for (const resource of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
        const path = `/apis/admissionregistration.k8s.io/v1/${resource}/${namespace}.${release}`;
        const { body } = await cluster.request('GET', path);
        names.push(...((body.webhooks ?? []) as { name: string }[]).map(({ name }) => name));
      }
      return names.toSorted();
    },
    async waitForEvent(where, name, reason) {
      const selector = encodeURIComponent(`involvedObject.name=${name},reason=${reason}`);
      await waitUntil(`the Event ${reason} of ${where}/${name}`, async () => {
        const { body } = await cluster.request('GET', `/api/v1/namespaces/${where}/events?fieldSelector=${selector}`);
        return (body.items?.length ?? 0) > 0;
      });
    },
    readLogs: () => [...pastLogs, ...[...operators, ...webhooks].map((program) => program?.readLog() ?? '')].join('\n'),
    async stop() {
      const running = [...webhooks, ...operators].filter((program) => program !== undefined);
      await Promise.all(running.map((program) => program.end()));
      if (options.isDirect !== true) await balancer.close();
      await rm(folder, { recursive: true, force: true });
    },
  };

  try {
    if (options.hasCrds !== true) await installCrds(cluster, domain);
    await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
    const settings = { metadata: { name: `${release}-settings` }, data: { enforcement: 'Enforce' } };
    await cluster.request('POST', configMaps, { body: settings });
    await Promise.all([
      ...operators.map((_, place) => run.startOperator(place)),
      ...webhooks.map((_, place) => run.startWebhooks(place)),
    ]);
    const written = nameEntry('objects', domain);
    await waitUntil('the webhooks to be registered', async () => (await run.listEntries()).includes(written));
    return run;
  } catch (error) {
    await run.stop();
    throw error;
  }
}
