import type { ApiClient } from '../../test/host/connect-api.ts';
import { FollowedBudgets } from './follow-budgets.ts';

/** How many there are of what. */
export interface CrowdSize {
  readonly namespaces: number;
  readonly budgetsOfNamespace: number;
  readonly podsOfBudget: number;
}

interface Created {
  readonly metadata: { readonly uid: string };
}

const parallel = 16;
const merge = 'application/strategic-merge-patch+json';

async function runParallel(count: number, run: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await run(next - 1);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

/** Budgets with a replica set and its pods each, in some namespaces of an API; pods become Ready and cease to be as a bench wants it. */
export class Crowd {
  readonly #api: ApiClient;
  readonly #size: CrowdSize;
  readonly #prefix: string;
  readonly #budgetVersion: string;
  readonly #budgets = new FollowedBudgets();
  readonly #unready = new Set<string>();
  readonly #healthy = new Map<number, number>();
  /** Uids of replica sets. */
  readonly #owners = new Map<number, string>();

  /** `prefix` begins the names of the namespaces, `budgetVersion` is the apiVersion of the budgets. */
  constructor(api: ApiClient, prefix: string, budgetVersion: string, size: CrowdSize) {
    this.#api = api;
    this.#prefix = prefix;
    this.#budgetVersion = budgetVersion;
    this.#size = size;
  }

  get budgetCount(): number {
    return this.#size.namespaces * this.#size.budgetsOfNamespace;
  }

  get podCount(): number {
    return this.budgetCount * this.#size.podsOfBudget;
  }

  /** Makes everything; resolves when every budget is counted. */
  async create(): Promise<void> {
    for (let i = 0; i < this.#size.namespaces; i += 1) {
      await this.#send('POST', '/api/v1/namespaces', { metadata: { name: `${this.#prefix}-${i}` } });
    }
    await this.#budgets.start(this.#api, `/apis/${this.#budgetVersion}/poddisruptionbudgets`);
    await runParallel(this.budgetCount, (i) => this.#createBudget(i));
    await runParallel(this.podCount, (i) => this.#createPod(i));
    await Promise.all(
      Array.from({ length: this.budgetCount }, (_, i) =>
        this.#budgets.waitFor(this.#keyOf(i), this.#size.podsOfBudget),
      ),
    );
  }

  /** Lets a pod of a budget change; resolves to the milliseconds from before the change to the status that shows it. */
  async changePod(budget: number, pod: number): Promise<number> {
    const name = `app-${budget}-${pod}`;
    const isUnready = this.#unready.has(name);
    const healthy = (this.#healthy.get(budget) ?? this.#size.podsOfBudget) + (isUnready ? 1 : -1);
    this.#healthy.set(budget, healthy);
    if (isUnready) this.#unready.delete(name);
    else this.#unready.add(name);
    const startMillis = performance.now();
    const shown = this.#budgets.waitFor(this.#keyOf(budget), healthy);
    await this.#setReady(budget, name, isUnready);
    return (await shown) - startMillis;
  }

  close(): void {
    this.#budgets.close();
  }

  #namespaceOf(budget: number): string {
    return `${this.#prefix}-${budget % this.#size.namespaces}`;
  }

  #keyOf(budget: number): string {
    return `${this.#namespaceOf(budget)}/app-${budget}`;
  }

  async #send(method: string, path: string, body: object, contentType = 'application/json'): Promise<Created> {
    const { status, text, json } = await this.#api.request(method, path, {
      body,
      headers: { 'content-type': contentType },
    });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return json as Created;
  }

  async #createBudget(budget: number): Promise<void> {
    const namespace = this.#namespaceOf(budget);
    const labels = { app: `app-${budget}` };
    const selector = { matchLabels: labels };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const metadata = { name: `app-${budget}` };
    const set = { replicas: this.#size.podsOfBudget, selector, template };
    const made = await this.#send('POST', `/apis/apps/v1/namespaces/${namespace}/replicasets`, { metadata, spec: set });
    this.#owners.set(budget, made.metadata.uid);
    const spec = { maxUnavailable: '20%', selector };
    const path = `/apis/${this.#budgetVersion}/namespaces/${namespace}/poddisruptionbudgets`;
    const kind = { apiVersion: this.#budgetVersion, kind: 'PodDisruptionBudget' };
    await this.#send('POST', path, { ...kind, metadata: { name: `app-${budget}` }, spec });
  }

  async #createPod(i: number): Promise<void> {
    const budget = i % this.budgetCount;
    const name = `app-${budget}-${Math.floor(i / this.budgetCount)}`;
    const namespace = this.#namespaceOf(budget);
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `app-${budget}`, controller: true };
    const metadata = {
      ...{ name, labels: { app: `app-${budget}` } },
      ownerReferences: [{ ...owner, uid: this.#owners.get(budget) }],
    };
    const spec = { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 0 };
    await this.#send('POST', `/api/v1/namespaces/${namespace}/pods`, { metadata, spec });
    await this.#setReady(budget, name, true);
  }

  async #setReady(budget: number, name: string, isReady: boolean): Promise<void> {
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] };
    const path = `/api/v1/namespaces/${this.#namespaceOf(budget)}/pods/${name}/status`;
    await this.#send('PATCH', path, { status }, merge);
  }
}
