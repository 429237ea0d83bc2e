import { setTimeout as wait } from 'node:timers/promises';

import type { Cluster } from '../cluster/start-cluster.ts';
import { waitUntil } from '../cluster/wait-until.ts';
import type { ReleaseRun } from '../start-webhooks.ts';
import { spared } from './start-third-party.ts';

const PODS = 50;
const CREATES = 300;
const ATTEMPTS = 4;
const FILLS = 5;
const QUIET_MILLIS = 60_000;

/** How a race ended; times in milliseconds. */
export interface RaceReport {
  readonly namespace: string;
  readonly kills: number;
  /** How often each status was answered; 0 is no answer. */
  readonly answers: Readonly<Record<number, number>>;
  readonly stored: number;
  /** From the last answer, and the last kill, until `status.used` was what is stored and no claim was open. */
  readonly exactMillis: number | undefined;
  /** Pods that fitted in afterwards. */
  readonly filled: number;
}

/** One namespace with a quota of 50 pods, and what is done to it. */
export class RaceNamespace {
  readonly name: string;
  /** What the host said when it could not ask our webhooks. */
  readonly failures = new Set<string>();
  readonly #cluster: Cluster;
  readonly #run: ReleaseRun;
  readonly #quotas: string;

  constructor(cluster: Cluster, run: ReleaseRun, name: string) {
    this.#cluster = cluster;
    this.#run = run;
    this.name = name;
    this.#quotas = `/apis/core.${run.domain}/v1/namespaces/${name}/resourcequotas`;
  }

  /** Makes the namespace and its quota; resolves when the quota is in force. */
  async open(): Promise<void> {
    await this.#expect(201, 'POST', '/api/v1/namespaces', { metadata: { name: this.name } });
    const hard = { pods: String(PODS), 'requests.cpu': String(PODS / 2) };
    await this.#expect(201, 'POST', this.#quotas, {
      apiVersion: `core.${this.#run.domain}/v1`,
      kind: 'ResourceQuota',
      metadata: { name: 'q' },
      spec: { hard },
    });
    await this.#run.waitForEvent(this.name, 'q', 'Enforced');
    const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '100' } } }];
    const big = { metadata: { name: 'big', labels: spared }, spec: { containers } };
    await waitUntil(
      'the host to call the webhooks',
      async () => (await this.#createPod(big, '?dryRun=All')).status === 403,
    );
  }

  /** Creates 300 pods at once, most of them with generated names; who is refused by others than the quota tries again, as controllers do. */
  async race(random: () => number): Promise<Record<number, number>> {
    const answers: Record<number, number> = {};
    const creates = Array.from({ length: CREATES }, async (_, i) => {
      const metadata = random() < 0.8 ? { generateName: 'p-' } : { name: `p${i}` };
      await wait(random() * 2_000);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { status, body } = await this.#createPod({ metadata, spec: podSpec }).catch(noAnswer);
        answers[status] = (answers[status] ?? 0) + 1;
        if (status >= 500) this.failures.add(String(body.message).replaceAll(/[0-9]{4,}/g, 'N'));
        if (status === 201 || status === 409 || String(body.message).includes('exceeded quota')) return;
        await wait(random() * 3_000);
      }
    });
    await Promise.all(creates);
    return answers;
  }

  /** Waits until used is what is stored; resolves to the time that took, or to `undefined` after a minute and a half. */
  async awaitExact(): Promise<number | undefined> {
    const startMillis = Date.now();
    while (Date.now() - startMillis < 1.5 * QUIET_MILLIS) {
      const stored = await this.countPods();
      const { body } = await this.#cluster.request('GET', `${this.#quotas}/q`);
      // A machine that is stuck for a while answers with an error.
      const { used = {}, claims = [] } = (body.status ?? {}) as { used?: Record<string, string>; claims?: unknown[] };
      const cpu = stored % 2 === 0 ? String(stored / 2) : `${stored * 500}m`;
      if (used['pods'] === String(stored) && used['requests.cpu'] === cpu && claims.length === 0)
        return Date.now() - startMillis;
      await wait(200);
    }
    return undefined;
  }

  /**
   * Frees some room, and uses all that is free; resolves to how many pods fitted. Throws when room is left that nobody can use.
   * A webhook that other rounds kill may leave a claim behind, so the last places may take their time.
   */
  async fill(): Promise<number> {
    const { body } = await this.#cluster.request('GET', `/api/v1/namespaces/${this.name}/pods?limit=10`);
    for (const { metadata } of body.items as { metadata: { name: string } }[]) {
      await this.#cluster.request('DELETE', this.#podPath(metadata.name, '?gracePeriodSeconds=0'));
    }
    await this.awaitExact();
    const metadata = { generateName: 'f-', labels: spared };
    let fitted = 0;
    for (let refusals = 0; refusals < FILLS;) {
      const { status, body: refusal } = await this.#createPod({ metadata, spec: podSpec });
      if (status === 201) fitted += 1;
      // Elsewhere webhooks may be killed still.
      if (status < 400 || status >= 500) continue;
      if (!String(refusal.message).includes('exceeded quota: q, ')) {
        throw new Error(`a pod was answered ${status} ${refusal.message}`);
      }
      refusals += 1;
      if ((await this.countPods()) === PODS) return fitted;
      await this.awaitExact();
    }
    throw new Error(`only ${await this.countPods()} pods fitted`);
  }

  async countPods(): Promise<number> {
    const { body } = await this.#cluster.request('GET', `/api/v1/namespaces/${this.name}/pods`);
    return body.items.length;
  }

  #podPath(name: string, query: string): string {
    return `/api/v1/namespaces/${this.name}/pods/${name}${query}`;
  }

  #createPod(pod: object, query = '') {
    return this.#cluster.request('POST', `/api/v1/namespaces/${this.name}/pods${query}`, { body: pod });
  }

  async #expect(expected: number, method: string, path: string, body: object): Promise<void> {
    const answer = await this.#cluster.request(method, path, { body });
    if (answer.status !== expected)
      throw new Error(`${method} ${path} was answered ${answer.status} ${answer.body.message}`);
  }
}

const podSpec = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '500m' } } }] };

function noAnswer() {
  return { status: 0, body: {} as { message?: string } };
}
