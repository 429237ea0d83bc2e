import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { quantityToMilli, readQuantity } from '../../core/quantity/quantity.ts';
import { measureObjects } from '../../kinds/core/resource-quota/plan-status.ts';
import { resourceQuotas } from './quota-status.ts';
import { recountQuota } from './recount-quota.ts';
import { makePod, makeService, NAMESPACE, QuotaScene } from './testdata/quota-scene.ts';

const limits: Record<string, Record<string, string>> = {
  few: { pods: '4', 'requests.cpu': '900m' },
  ports: { services: '3', 'services.nodeports': '5', pods: '6' },
};

type Step =
  | { readonly do: 'pod'; readonly milliCpu: number; readonly fails: boolean }
  | { readonly do: 'service'; readonly ports: number; readonly fails: boolean }
  | { readonly do: 'resize'; readonly service: number; readonly ports: number; readonly fails: boolean }
  | { readonly do: 'delete'; readonly index: number }
  | { readonly do: 'recount'; readonly quota: string }
  | { readonly do: 'touch'; readonly quota: string };

const quotaNames = fc.constantFrom(...Object.keys(limits));
const fails = fc.nat(4).map((n) => n === 0);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pod' as const), milliCpu: fc.constantFrom(100, 300, 500), fails }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('service' as const), ports: fc.integer({ min: 1, max: 3 }), fails }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('resize' as const),
      service: fc.nat(5),
      ports: fc.integer({ min: 0, max: 4 }),
      fails,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), index: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('recount' as const), quota: quotaNames }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('touch' as const), quota: quotaNames }) },
);

/** What is stored uses, in thousandths, of every resource of a quota. */
function sumStored(scene: QuotaScene, quota: string): Record<string, bigint> {
  const spec = { hard: limits[quota] ?? {} };
  const sums: Record<string, bigint> = {};
  for (const { evaluator } of scene.evaluators.listCountable()) {
    const objects = scene.client.read<KubeObject>(evaluator.resource);
    const usage = measureObjects(spec, evaluator, objects, scene.clock.now());
    for (const [name, amount] of usage) sums[name] = quantityToMilli(amount);
  }
  return sums;
}

function toMilli(list: Record<string, string>): Record<string, bigint> {
  return Object.fromEntries(Object.entries(list).map(([name, text]) => [name, quantityToMilli(readQuantity(text))]));
}

async function deleteAny(scene: QuotaScene, index: number): Promise<void> {
  const objects = ['pods', 'services'].flatMap((resource) =>
    scene.client.read<KubeObject>(resource).map(({ metadata }) => ({ resource, name: metadata.name ?? '' })),
  );
  const victim = objects[index % Math.max(1, objects.length)];
  // Another step may delete it first.
  if (victim !== undefined) await scene.delete(victim.resource, victim.name).catch(() => {});
}

async function resize(scene: QuotaScene, step: Extract<Step, { do: 'resize' }>): Promise<void> {
  const services = scene.client.read<KubeObject>('services');
  const name = services[step.service % Math.max(1, services.length)]?.metadata.name;
  if (name === undefined) return;
  const change = (old: KubeObject) => ({ ...makeService(name, 'NodePort', step.ports), metadata: old.metadata });
  await scene.update('services', name, change, step.fails).catch(() => {});
}

/** Somebody else writes to the quota, so that a compare-and-swap on what was read before must fail. */
async function touch(scene: QuotaScene, name: string): Promise<void> {
  const reference = { resource: resourceQuotas, namespace: NAMESPACE, name };
  const quota = await scene.client.get(reference);
  await scene.client.update(reference, quota, {}, 'status').catch(() => {});
}

/** One of several that work at the same time, step after step. */
async function act(scene: QuotaScene, list: readonly Step[], actor: number): Promise<void> {
  for (const [i, step] of list.entries()) await run(scene, step, `${actor}-${i}`);
}

async function run(scene: QuotaScene, step: Step, i: string): Promise<unknown> {
  switch (step.do) {
    case 'pod':
      return scene.create('pods', makePod(`p${i}`, { cpu: `${step.milliCpu}m` }), step.fails);
    case 'service':
      return scene.create('services', makeService(`s${i}`, 'NodePort', step.ports), step.fails);
    case 'resize':
      return resize(scene, step);
    case 'delete':
      return deleteAny(scene, step.index);
    case 'recount':
      return recountQuota(scene, NAMESPACE, step.quota);
    default:
      return touch(scene, step.quota);
  }
}

describe('quota under interleaved writes', () => {
  it(
    'never stores more than a quota allows, never counts less than is stored, and counts exactly in the end',
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.array(fc.array(steps, { minLength: 1, maxLength: 12 }), { minLength: 3, maxLength: 8 }),
          fc.infiniteStream(fc.nat(9)),
          async (scheduler, actors, dice) => {
            const scene = new QuotaScene({
              pause: (verb) => scheduler.schedule(Promise.resolve(), verb),
              isConflicting: (_reference, subresource) => subresource === 'status' && dice.next().value === 0,
            });
            const faults: string[] = [];
            const check = (): void => {
              for (const [quota, hard] of Object.entries(limits)) {
                const stored = sumStored(scene, quota);
                const limit = toMilli(hard);
                for (const [name, sum] of Object.entries(stored)) {
                  if (sum > (limit[name] ?? 0n)) faults.push(`${quota}: ${name} ${sum} of ${limit[name]}`);
                }
              }
            };
            const quotas = Object.entries(limits).map(([name, hard]) => scene.createQuota(name, hard));
            await scheduler.waitFor(Promise.all(quotas));
            scene.client.onChange = check;
            await scheduler.waitFor(Promise.all(actors.map((list, actor) => act(scene, list, actor))));
            expect(faults).toEqual([]);
            expect(scene.failures).toEqual([]);
            expect(scene.ledger.countOpen()).toBe(0);
            for (const quota of Object.keys(limits)) {
              const stored = sumStored(scene, quota);
              for (const [name, used] of Object.entries(toMilli(scene.readUsed(quota)))) {
                expect(used, `${quota} ${name}`).toBeGreaterThanOrEqual(stored[name] ?? 0n);
              }
              await scheduler.waitFor(recountQuota(scene, NAMESPACE, quota));
              expect(toMilli(scene.readUsed(quota))).toEqual(stored);
            }
          },
        ),
        { numRuns: process.env['BAILIWICK_SOAK'] === '1' ? 10_000 : 200 },
      );
    },
  );
});
