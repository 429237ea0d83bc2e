import { makeNotFoundError } from '../../../../core/errors/make-status-error.ts';
import type { KubeObject } from '../../../../core/meta/kube-object.ts';
import type { PodDisruptionBudget } from '../../../../kinds/policy/pod-disruption-budget/schema.ts';
import { systemClock } from '../../../../platform/process/clock.ts';
import { createSilentLogger } from '../../../../platform/process/logger.ts';
import type { ResourceClient, WatchEvent } from '../../../../platform/resources/resource-client.ts';
import { DisruptionController } from '../disruption-controller.ts';

const namespace = 'team';

/** A Ready pod of a controller of its own, which is nowhere. */
export function makePod(i: number, change: { readonly isReady?: boolean; readonly version?: string } = {}): KubeObject {
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

/** A budget that was never counted. */
export function makeBudget(i: number, spec: object): KubeObject {
  const budget: KubeObject & { spec: object } = {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', spec },
    metadata: { namespace, name: `b${i}`, uid: `b${i}`, generation: 1, resourceVersion: '1' },
  };
  return budget;
}

type BudgetCounts = PodDisruptionBudget['status'];

/** A controller, and what it does. */
export interface Load {
  readonly controller: DisruptionController;
  readonly statuses: Map<string, BudgetCounts>;
  readonly reads: () => number;
  /** Tells the controller of a changed pod. */
  readonly change: (pod: KubeObject) => void;
}

/**
 * A controller of these objects, which answers at once whatever it asks: nothing but its own work takes time. `refuse` says why
 * a status is not taken.
 */
export function buildLoad(pods: readonly KubeObject[], budgets: readonly KubeObject[],
  refuse: (status: BudgetCounts) => Error | undefined = () => undefined,
): Load {
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
    async update({ name }: { name: string }, budget: KubeObject & { status: BudgetCounts }) {
      const refusal = refuse(budget.status);
      if (refusal !== undefined) throw refusal;
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
  return { controller, statuses, reads: () => reads, change: (object) => push?.({ type: 'MODIFIED', object }) };
}

