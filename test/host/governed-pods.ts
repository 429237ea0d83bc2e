import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

import { fetchServedCertificate } from '../../platform/certificates/check-served-certificate.ts';
import { readCertificates } from '../../platform/certificates/read-certificate.ts';
import { buildReleaseNames } from '../../platform/release/release-names.ts';
import type { ClusterAnswer } from '../cluster/cluster-request.ts';
import type { Cluster } from '../cluster/start-cluster.ts';
import { waitUntil } from '../cluster/wait-until.ts';
import type { ReleaseRun } from '../start-webhooks.ts';
import { RequestDriver } from './drive-requests.ts';
import type { DrivenRequest } from './drive-requests.ts';
import { findPercentile } from './figures.ts';

const governed = 'governed';
const defaultCpu = '250m';
const maxCpu = '1';
const aboveMax = '2';

/** What became of pods that were created at a fixed rate, and the serials that each replica of the webhooks was seen to serve. */
export interface DrivenPods {
  readonly admissions: number;
  readonly failures: readonly string[];
  readonly serials: readonly (readonly string[])[];
  /** A line of figures. */
  readonly summary: string;
}

/** Pods of a namespace whose defaults come from a release's webhooks. */
export class GovernedPods {
  readonly driver: RequestDriver;
  readonly #cluster: Cluster;
  readonly #run: ReleaseRun;
  #count = 0;

  constructor(cluster: Cluster, run: ReleaseRun) {
    this.#cluster = cluster;
    this.#run = run;
    this.driver = new RequestDriver(cluster);
  }

  /** Makes the namespace and its limit range; resolves when defaults are filled in and bounds are kept. */
  async start(): Promise<void> {
    const { domain } = this.#run;
    await this.#cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: governed } } });
    const spec = { limits: [{ type: 'Container', default: { cpu: defaultCpu }, max: { cpu: maxCpu } }] };
    const body = { apiVersion: `core.${domain}/v1`, kind: 'LimitRange', metadata: { name: 'sizes' }, spec };
    const path = `/apis/core.${domain}/v1/namespaces/${governed}/limitranges`;
    const { status } = await this.#cluster.request('POST', path, { body });
    if (status !== 201) throw new Error(`the limit range was answered ${status}`);
    // An API server follows what fills in and what judges by watches of their own: either may be known first.
    await waitUntil('limits to be in force', async () => {
      const [plain, tooLarge] = await Promise.all([this.#dryRun(), this.#dryRun(aboveMax)]);
      return plain.status === 201 && JSON.stringify(plain.body).includes(defaultCpu) && tooLarge.status === 403;
    });
  }

  #dryRun(cpu?: string): Promise<ClusterAnswer> {
    const { path, body } = this.make(cpu);
    return this.#cluster.request('POST', `${path}?dryRun=All`, { body });
  }

  /** The creation of one more pod, that asks for nothing unless it is told what. */
  readonly make = (cpu?: string): DrivenRequest => {
    const metadata = { name: `pod-${(this.#count += 1)}` };
    const resources = cpu === undefined ? {} : { limits: { cpu } };
    const spec = { containers: [{ name: 'main', image: 'web:1', resources }] };
    return { path: `/api/v1/namespaces/${governed}/pods`, body: JSON.stringify({ metadata, spec }) };
  };

  /** Fingerprints of the authorities that the API server trusts, a list for each entry that is registered. */
  async readTrusted(): Promise<string[][]> {
    const bundles: string[][] = [];
    const { namespace, release } = this.#run;
    const name = buildReleaseNames(release, namespace).webhookConfiguration;
    for (const type of ['mutating', 'validating']) {
      const path = `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations/${name}`;
      const { body } = await this.#cluster.request('GET', path);
      for (const webhook of (body.webhooks ?? []) as { clientConfig: { caBundle: string } }[]) {
        const text = Buffer.from(webhook.clientConfig.caBundle, 'base64').toString('utf8');
        bundles.push(readCertificates(text).map((one) => one.fingerprint256));
      }
    }
    return bundles;
  }

  /** Creates pods at a fixed rate, and looks at what the replicas serve, while `act` runs. */
  async driveWhile(perSecond: number, act: () => Promise<void>): Promise<DrivenPods> {
    const over = new AbortController();
    const failures: string[] = [];
    const latencies: number[] = [];
    const ports = this.#run.webhooks.map((program) => Number(new URL(program?.url ?? '').port));
    const serials = ports.map(() => [] as string[]);
    const startMillis = performance.now();
    const drive = async (): Promise<void> => {
      const running: Promise<void>[] = [];
      for (let index = 0; !over.signal.aborted; index += 1) {
        const dueMillis = startMillis + (index * 1000) / perSecond;
        await wait(Math.max(0, dueMillis - performance.now()));
        running.push(this.#createOne(dueMillis, latencies, failures));
      }
      await Promise.all(running);
    };
    const watch = async (): Promise<void> => {
      const { namespace, release } = this.#run;
      const serverName = `${buildReleaseNames(release, namespace).webhooks}.${namespace}.svc`;
      while (!over.signal.aborted) {
        for (const [index, port] of ports.entries()) {
          const { serialNumber } = await fetchServedCertificate({ port, serverName, timeoutMillis: 30_000 });
          if (serials[index]?.at(-1) !== serialNumber) serials[index]?.push(serialNumber);
        }
        await wait(100);
      }
    };
    const driven = Promise.all([drive(), watch()]);
    try {
      await act();
    } finally {
      over.abort();
      await driven;
    }
    const seconds = (performance.now() - startMillis) / 1_000;
    const show = (fraction: number): string => findPercentile(latencies, fraction).toFixed(1);
    const summary =
      `${latencies.length} admissions in ${seconds.toFixed(1)} s, ${failures.length} failed; p50 ${show(0.5)} ms, p99 ${show(0.99)} ms, ` +
      `slowest ${show(1)} ms; serials served: ${serials.map((seen) => seen.length).join(' and ')}`;
    return { admissions: latencies.length, failures, serials, summary };
  }

  async #createOne(dueMillis: number, latencies: number[], failures: string[]): Promise<void> {
    try {
      const text = await this.driver.post(this.make());
      latencies.push(performance.now() - dueMillis);
      if (!text.includes(defaultCpu)) failures.push('a pod was stored without defaults');
    } catch (error) {
      failures.push((error as Error).message);
    }
  }

  close(): void {
    this.driver.close();
  }
}
