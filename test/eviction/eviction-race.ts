import { setTimeout as wait } from 'node:timers/promises';

import { waitUntil } from '../cluster/wait-until.ts';

/** An answer; status 0 where none came. */
export interface SiteAnswer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of any kind
  readonly body: any;
}

/** Where evictions are raced: a server, and the budgets that count there. */
export interface RaceSite {
  /** `policy/v1`, or what it is called there. */
  readonly budgetVersion: string;
  ask(method: string, path: string, body?: object, contentType?: string): Promise<SiteAnswer>;
}

/** How a race ended. */
export interface EvictionReport {
  readonly namespace: string;
  readonly kills: number;
  /** Pods that were charged and still there, when it was looked after a kill: whom only a second try evicts. */
  readonly stranded: number;
  /** How often each status was answered to an eviction; 0 is no answer. */
  readonly answers: Readonly<Record<number, number>>;
  readonly millis: number;
}

const podCount = 200;
/** How many of them may be disrupted. */
export const allowed = 10;
const settleMillis = 240_000;
const mergePatch = 'application/merge-patch+json';
const ready = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };

async function each<T>(items: readonly T[], parallel: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

/** A namespace with 200 healthy pods, a budget that wants 190 of them, and everybody who wants to evict one. */
export class EvictionRace {
  readonly namespace: string;
  /** What was answered to evictions besides what budgets say. */
  readonly oddities = new Set<string>();
  stranded = 0;
  readonly #site: RaceSite;
  readonly #random: () => number;
  readonly #pods: string;
  readonly #budgets: string;
  #made = 0;

  constructor(site: RaceSite, namespace: string, random: () => number) {
    this.#site = site;
    this.namespace = namespace;
    this.#random = random;
    this.#pods = `/api/v1/namespaces/${namespace}/pods`;
    this.#budgets = `/apis/${site.budgetVersion}/namespaces/${namespace}/poddisruptionbudgets`;
  }

  /** Makes the namespace, its pods and the budget; resolves when the budget lets as many go as it may. */
  async open(): Promise<void> {
    await this.#expect(201, 'POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: this.namespace },
    });
    await this.#makePods(podCount);
    await this.#expect(201, 'POST', this.#budgets, {
      apiVersion: this.#site.budgetVersion,
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { minAvailable: podCount - allowed, selector: { matchLabels: { app: 'web' } } },
    });
    await this.awaitAllowed();
  }

  /** Waits until the budget lets as many go as it may. */
  async awaitAllowed(): Promise<void> {
    await waitUntil('the budget to be counted', async () => {
      const { body } = await this.#site.ask('GET', `${this.#budgets}/web`);
      return body?.status?.disruptionsAllowed === allowed;
    });
  }

  /** Puts new pods in the place of those that went. */
  async refill(): Promise<void> {
    await this.#makePods(podCount - (await this.list()).length);
  }

  /** Looks who is charged and still there. */
  async countStranded(): Promise<void> {
    const { body } = await this.#site.ask('GET', `${this.#budgets}/web`);
    const names = new Set(await this.list());
    const charged = Object.keys(body?.status?.disruptedPods ?? {});
    this.stranded += charged.filter((name) => names.has(name)).length;
  }

  /** Names of the pods that are there and not on their way out. */
  async list(): Promise<string[]> {
    for (;;) {
      const { status, body } = await this.#site.ask('GET', this.#pods);
      if (status === 200) {
        return (body.items as { metadata: { name: string; deletionTimestamp?: string } }[])
          .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
          .map(({ metadata }) => metadata.name);
      }
      await wait(100);
    }
  }

  /**
   * Evicts every pod at once, while `disturb` goes on, which tells how often it has killed something; whoever is refused, or hears nothing, tries again, until as many have gone as may, and that is over.
   * Throws when that never is. Then everybody is refused once more.
   */
  async race(disturb: () => Promise<number>): Promise<EvictionReport> {
    const startMillis = Date.now();
    this.stranded = 0;
    const answers: Record<number, number> = {};
    const names = await this.list();
    const over = new AbortController();
    const clients = names.map(async (name) => {
      for (let isFirst = true; isFirst || !over.signal.aborted; isFirst = false) {
        const status = await this.#evict(name);
        answers[status] = (answers[status] ?? 0) + 1;
        if (status === 201 || status === 404) return;
        await wait(200 + this.#random() * 1_300);
      }
    });
    const kills = await disturb();
    try {
      await waitUntil(
        `${allowed} pods of ${this.namespace} to be evicted`,
        async () => (await this.list()).length <= podCount - allowed,
        settleMillis,
      );
    } finally {
      over.abort();
      await Promise.all(clients);
    }
    await Promise.all(
      (await this.list()).map(async (name) => {
        const status = await this.#evict(name);
        answers[status] = (answers[status] ?? 0) + 1;
      }),
    );
    const { stranded, namespace } = this;
    return { namespace, kills, stranded, answers, millis: Date.now() - startMillis };
  }

  async #evict(name: string): Promise<number> {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: this.namespace } };
    const { status, body } = await this.#site.ask('POST', `${this.#pods}/${name}/eviction`, eviction);
    if (status !== 0 && status !== 201 && status !== 404) {
      const causes = (body?.details?.causes ?? []) as { reason?: string }[];
      const isOurs = status === 429 && causes.some(({ reason }) => reason === 'DisruptionBudget');
      if (!isOurs) this.oddities.add(`${status} ${String(body?.message).replaceAll(/[0-9]{4,}/g, 'N')}`);
    }
    return status;
  }

  async #makePods(count: number): Promise<void> {
    const names = Array.from({ length: count }, () => `p${this.#made++}`);
    await each(names, 8, async (name) => {
      await this.#expect(201, 'POST', this.#pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, labels: { app: 'web' } },
        spec: { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false },
      });
      await this.#expect(200, 'PATCH', `${this.#pods}/${name}/status`, ready, mergePatch);
    });
  }

  async #expect(expected: number, method: string, path: string, body: object, contentType?: string): Promise<void> {
    const answer = await this.#site.ask(method, path, body, contentType);
    if (answer.status === expected) return;
    throw new Error(`${method} ${path} was answered ${answer.status} ${answer.body?.message}`);
  }
}
