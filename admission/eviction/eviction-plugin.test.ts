import { describe, expect, it } from 'vitest';

import { hasReason, type StatusError } from '../../core/errors/status.ts';
import { systemClock } from '../../platform/process/clock.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { EvictionPlugin } from './eviction-plugin.ts';
import { EvictionScene } from './testdata/eviction-scene.ts';

function makeAttributes(name: string, deleteOptions?: object, more: Partial<AdmissionAttributes> = {}) {
  const object = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'n' }, deleteOptions };
  return {
    ...{ operation: 'CREATE', kind: 'Eviction', subresource: 'eviction', namespace: 'n', name, object, dryRun: false },
    resource: { group: '', version: 'v1', resource: 'pods' },
    user: { username: 'u', groups: [] },
    ...more,
  } as const satisfies AdmissionAttributes;
}

interface Rig {
  readonly scene: EvictionScene;
  readonly plugin: EvictionPlugin;
  readonly failures: unknown[];
}

/** Three healthy pods and a budget that lets one go. */
async function makeRig(pause?: (verb: string) => Promise<unknown>, deadlineMillis?: number): Promise<Rig> {
  let isReady = false;
  const scene = new EvictionScene({ pause: async (verb) => (isReady ? pause?.(verb) : undefined) });
  await scene.createBudget({ name: 'b', label: 'all', desiredHealthy: 2 });
  for (const name of ['x', 'y', 'z']) await scene.createPod({ name, labels: ['all'], isReady: true });
  await scene.recount('b');
  isReady = true;
  const failures: unknown[] = [];
  const plugin = new EvictionPlugin({
    evictions: scene.startReplica(systemClock),
    clock: systemClock,
    ...(deadlineMillis === undefined ? {} : { deadlineMillis }),
    onFailure: (error) => void failures.push(error),
  });
  return { scene, plugin, failures };
}

async function catchRefusal(plugin: EvictionPlugin, attributes: AdmissionAttributes): Promise<StatusError['status']> {
  const error: unknown = await plugin.validate(attributes).catch((thrown: unknown) => thrown);
  return (error as StatusError).status;
}

describe('EvictionPlugin', () => {
  it.for([
    ['evictions', {}, true],
    ['other subresources', { subresource: 'binding' }, false],
    ['pods', { subresource: undefined }, false],
    ['other kinds', { resource: { group: 'x', version: 'v1', resource: 'pods' } }, false],
  ] as const)('judges %s: %s', async ([, more, isHandled]) => {
    const { plugin } = await makeRig();
    expect(plugin.handles(makeAttributes('x', undefined, more as Partial<AdmissionAttributes>))).toBe(isHandled);
  });

  it('charges the budget, and refuses what it does not allow', async () => {
    const { scene, plugin } = await makeRig();
    await plugin.validate(makeAttributes('x'));
    const [budget] = scene.readBudgets();
    expect(budget?.status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { x: expect.stringMatching(/Z$/) } });
    expect(await catchRefusal(plugin, makeAttributes('y'))).toMatchObject({ code: 429, reason: 'TooManyRequests' });
    // What was lost on the way to the host is asked again.
    await plugin.validate(makeAttributes('x'));
  });

  it.for([
    ['by its parameter', makeAttributes('x', undefined, { dryRun: true })],
    ['by its options', makeAttributes('x', { dryRun: ['All'] })],
  ] as const)('charges nothing for a rehearsal %s', async ([, attributes]) => {
    const { scene, plugin } = await makeRig();
    const before = scene.readBudgets();
    await plugin.validate(attributes);
    expect(scene.readBudgets()).toEqual(before);
  });

  it('lets pass what is not there, which the host says itself', async () => {
    const { plugin } = await makeRig();
    await plugin.validate(makeAttributes('none'));
  });

  it('refuses a pod that is not the one meant, and charges nothing', async () => {
    const { scene, plugin } = await makeRig();
    const before = scene.readBudgets();
    const refusal = await catchRefusal(plugin, makeAttributes('x', { preconditions: { uid: 'other' } }));
    expect(refusal).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(scene.readBudgets()).toEqual(before);
  });

  it('asks to try again when its time is over', async () => {
    const { plugin } = await makeRig(() => new Promise(() => undefined), 20);
    expect(await catchRefusal(plugin, makeAttributes('x'))).toMatchObject({
      code: 429,
      details: { retryAfterSeconds: 1 },
    });
  });

  it('lets nobody go when budgets cannot be read, and asks to try again', async () => {
    const cause = new Error('the host is away');
    const { plugin, failures } = await makeRig(() => Promise.reject(cause));
    const error: unknown = await plugin.validate(makeAttributes('x')).catch((thrown: unknown) => thrown);
    expect(hasReason(error, 'ServerTimeout')).toBe(true);
    expect((error as Error).cause).toBe(cause);
    expect(failures).toEqual([cause]);
  });
});
