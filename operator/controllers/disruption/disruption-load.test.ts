import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, describe, expect, it } from 'vitest';

import { makeNotFoundError } from '../../../core/errors/make-status-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { systemClock } from '../../../platform/process/clock.ts';
import { createSilentLogger } from '../../../platform/process/logger.ts';
import type { ResourceClient, WatchEvent } from '../../../platform/resources/resource-client.ts';
import { DisruptionController } from './disruption-controller.ts';

const namespace = 'team';

function makePod(i: number, change: { readonly isReady?: boolean; readonly version?: string } = {}): KubeObject {
  const { isReady = true, version = '1' } = change;
  const owner = { apiVersion: 'acme.example/v1', kind: 'Rollout', name: `r${i}`, uid: `r${i}`, controller: true };
  const pod: KubeObject & { status: object } = {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      ...{ namespace, name: `p${i}`, uid: `p${i}`, resourceVersion: version },
      ...{ labels: { app: 'web' }, ownerReferences: [owner] },
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  };
  return pod;
}

function makeBudget(i: number, spec: object): KubeObject {
  const budget: KubeObject & { spec: object } = {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', spec },
    metadata: { namespace, name: `b${i}`, uid: `b${i}`, generation: 1, resourceVersion: '1' },
  };
  return budget;
}

interface Load {
  readonly controller: DisruptionController;
  readonly statuses: Map<string, { readonly currentHealthy?: number; readonly disruptionsAllowed?: number }>;
  readonly reads: () => number;
  /** Tells the controller of a changed pod. */
  readonly change: (pod: KubeObject) => void;
}

const controllers: DisruptionController[] = [];

afterEach(async () => {
  for (const controller of controllers.splice(0)) await controller.close();
});

/** A controller of these objects, which answers at once whatever it asks: nothing but its own work takes time. */
function buildLoad(pods: readonly KubeObject[], budgets: readonly KubeObject[]): Load {
  const statuses: Load['statuses'] = new Map();
  let reads = 0;
  let push: ((event: WatchEvent) => void) | undefined;
  const client = {
    async list({ resource }: { resource: { resource: string } }) {
      const items = { pods, poddisruptionbudgets: budgets }[resource.resource] ?? [];
      return { items, metadata: { resourceVersion: '1' } };
    },
    async *watch({ resource }: { resource: { resource: string } }, { signal }: { signal: AbortSignal }) {
      const ended = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
      for (;;) {
        const told = new Promise<WatchEvent>((resolve) => {
          if (resource.resource === 'pods') push = resolve;
        });
        const event = await Promise.race([told, ended]);
        if (event === undefined) return;
        yield event;
      }
    },
    async get({ name }: { name: string }) {
      reads += 1;
      throw makeNotFoundError('acme.example', 'rollouts', name);
    },
    async update({ name }: { name: string }, budget: KubeObject & { status: object }) {
      statuses.set(name, budget.status);
      return budget;
    },
  };
  const controller = new DisruptionController({
    ...{ client: client as unknown as ResourceClient, clock: systemClock, logger: createSilentLogger() },
    ...{ events: { record: () => undefined }, clearsConditions: true },
    findResource: () => ({
      ...{ resource: { group: 'acme.example', version: 'v1', resource: 'rollouts' } },
      ...{ namespaced: true, hasScale: true },
    }),
  });
  controllers.push(controller);
  return { controller, statuses, reads: () => reads, change: (object) => push?.({ type: 'MODIFIED', object }) };
}

/** How long the event loop was held at most while `run` ran, in milliseconds. */
async function measureHold(run: () => Promise<void>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  await run();
  delays.disable();
  return delays.max / 1e6;
}

describe('DisruptionController under load', () => {
  it(
    'leaves the event loop to others while it counts thousands of budgets of the same pods',
    { timeout: 60_000 },
    async () => {
      const pods = Array.from({ length: 1_000 }, (_, i) => makePod(i));
      const budgets = Array.from({ length: 2_000 }, (_, i) =>
        makeBudget(i, {
          minAvailable: 1,
          selector: i % 2 === 0 ? {} : { matchExpressions: [{ key: `x${i}`, operator: 'DoesNotExist' }] },
        }),
      );
      const { controller, statuses, change } = buildLoad(pods, budgets);
      const isCounted = (healthy: number): boolean =>
        statuses.size === budgets.length && [...statuses.values()].every((status) => status.currentHealthy === healthy);
      const start = await measureHold(async () => {
        await controller.start();
        await expect.poll(() => isCounted(1_000), { interval: 100, timeout: 30_000 }).toBe(true);
      });
      const further = await measureHold(async () => {
        change(makePod(0, { isReady: false, version: '2' }));
        await expect.poll(() => isCounted(999), { interval: 100, timeout: 30_000 }).toBe(true);
      });
      // Without slices it is seconds; a busy machine holds it for dozens of milliseconds by itself.
      expect(Math.max(start, further)).toBeLessThan(300);
    },
  );

  it('asks once for a controller that is not there, whatever number of pods and budgets would need it', async () => {
    const pods = Array.from({ length: 300 }, (_, i) => makePod(i));
    const budgets = Array.from({ length: 50 }, (_, i) => makeBudget(i, { maxUnavailable: 1, selector: {} }));
    const { controller, statuses, reads } = buildLoad(pods, budgets);
    await controller.start();
    await expect.poll(() => statuses.size, { timeout: 10_000 }).toBe(50);
    expect([...statuses.values()].every(({ disruptionsAllowed }) => disruptionsAllowed === 0)).toBe(true);
    expect(reads()).toBe(1);
  });
});
