import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { KindStrategy } from '../../../kinds/kind-definition.ts';
import type { DeleteOptions } from '../../../platform/resources/resource-client.ts';
import { planDeletion, settleOptions } from './plan-deletion.ts';
import type { AnyObject } from './stored-encoding.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

function makeObject(metadata: KubeObject['metadata']): AnyObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', ...metadata } } as unknown as AnyObject;
}

function makeStrategy(graceSeconds?: number): KindStrategy<KubeObject> {
  return (graceSeconds === undefined
    ? {}
    : { defaultGracePeriodSeconds: () => graceSeconds }) as unknown as KindStrategy<KubeObject>;
}

describe('planDeletion without a grace period', () => {
  it('only marks what is held besides its finalizers, whatever becomes of dependents', () => {
    const plan = planDeletion(
      makeObject({ generation: 3 }),
      { propagationPolicy: 'Foreground' },
      {
        strategy: makeStrategy(),
        hold: {
          group: '',
          resource: 'things',
          isHeld: ({ metadata }) => metadata.deletionTimestamp === undefined,
          mark: ({ metadata }) => void (metadata.finalizers = ['example.com/cleanup']),
        },
        collectsGarbage: true,
        nowMillis: now,
      },
    );
    expect(plan).toMatchObject({
      action: 'mark',
      object: {
        metadata: { finalizers: ['example.com/cleanup'], generation: 3, deletionTimestamp: '2026-01-01T00:00:00Z' },
      },
    });
  });

  it.for<[string, KubeObject['metadata'], DeleteOptions, string, string[] | undefined]>([
    ['removes what nothing holds', {}, {}, 'remove', undefined],
    ['removes in the background', {}, { propagationPolicy: 'Background' }, 'remove', undefined],
    ['marks what a finalizer holds', { finalizers: ['a/b'] }, {}, 'mark', ['a/b']],
    ['orphans by policy', {}, { propagationPolicy: 'Orphan' }, 'mark', ['orphan']],
    ['orphans by the old option', {}, { orphanDependents: true }, 'mark', ['orphan']],
    ['waits for dependents', {}, { propagationPolicy: 'Foreground' }, 'mark', ['foregroundDeletion']],
    ['keeps an earlier choice', { finalizers: ['orphan'] }, {}, 'mark', ['orphan']],
    [
      'takes an earlier choice back',
      { finalizers: ['orphan'] },
      { propagationPolicy: 'Background' },
      'remove',
      undefined,
    ],
    [
      'the old option false takes it back',
      { finalizers: ['orphan'] },
      { orphanDependents: false },
      'remove',
      undefined,
    ],
  ])('%s', ([, metadata, options, action, finalizers]) => {
    const plan = planDeletion(makeObject(metadata), options, {
      strategy: makeStrategy(),
      hold: undefined,
      collectsGarbage: true,
      nowMillis: now,
    });
    expect(plan.action).toBe(action);
    if (plan.action !== 'mark') return;
    expect(plan.object.metadata).toMatchObject({
      finalizers,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
    });
  });

  it.for<[string, 'orphan' | 'ignore', KubeObject['metadata'], DeleteOptions, string, string[] | undefined]>([
    ['orphans by default', 'orphan', {}, {}, 'mark', ['orphan']],
    ['the client may say otherwise', 'orphan', {}, { propagationPolicy: 'Background' }, 'remove', undefined],
    ['so may the old option', 'orphan', {}, { orphanDependents: false }, 'remove', undefined],
    ['so may an earlier choice', 'orphan', { finalizers: ['foregroundDeletion'] }, {}, 'mark', ['foregroundDeletion']],
    ['adds nothing where dependents do not matter', 'ignore', {}, { propagationPolicy: 'Orphan' }, 'remove', undefined],
    ['takes off what nobody minds', 'ignore', { finalizers: ['orphan', 'a/b'] }, {}, 'mark', ['a/b']],
  ])('of a kind with a choice of its own: %s', ([, dependentsByDefault, metadata, options, action, finalizers]) => {
    const strategy = { ...makeStrategy(), dependentsByDefault };
    const facts = { strategy, hold: undefined, collectsGarbage: true, nowMillis: now };
    const plan = planDeletion(makeObject(metadata), options, facts);
    expect(plan.action).toBe(action);
    if (plan.action === 'mark') expect(plan.object.metadata.finalizers).toEqual(finalizers);
  });

  it('adds no finalizer that nobody would take off', () => {
    const facts = { strategy: makeStrategy(), hold: undefined, collectsGarbage: false, nowMillis: now };
    expect(planDeletion(makeObject({}), { propagationPolicy: 'Orphan' }, facts)).toEqual({ action: 'remove' });
    expect(planDeletion(makeObject({}), { propagationPolicy: 'Foreground' }, facts)).toEqual({ action: 'remove' });
    expect(planDeletion(makeObject({ finalizers: ['a/b'] }), {}, facts).action).toBe('mark');
  });

  it('raises a generation that is kept, once', () => {
    const first = planDeletion(
      makeObject({ finalizers: ['a/b'], generation: 3 }),
      {},
      { strategy: makeStrategy(), hold: undefined, collectsGarbage: true, nowMillis: now },
    );
    expect(first).toMatchObject({ object: { metadata: { generation: 4 } } });
    if (first.action !== 'mark') return;
    const second = planDeletion(
      first.object,
      {},
      { strategy: makeStrategy(), hold: undefined, collectsGarbage: true, nowMillis: now + 1000 },
    );
    expect(second).toMatchObject({
      object: { metadata: { generation: 4, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    });
  });

  it('leaves the mark to a hold', () => {
    const hold = {
      group: '',
      resource: 'things',
      isHeld: () => true,
      mark: (object: AnyObject) => void (object['status'] = { phase: 'Terminating' }),
    };
    const plan = planDeletion(
      makeObject({}),
      {},
      { strategy: makeStrategy(), hold: hold, collectsGarbage: true, nowMillis: now },
    );
    expect(plan).toMatchObject({
      action: 'mark',
      object: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, status: { phase: 'Terminating' } },
    });
    expect(plan).not.toHaveProperty('object.metadata.deletionGracePeriodSeconds');
  });
});

describe('planDeletion with a grace period', () => {
  const running = { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 };

  it.for<[string, KubeObject['metadata'], DeleteOptions, number, string, string | undefined, number | undefined]>([
    ['begins the usual one', {}, {}, 30, 'mark', '2026-01-01T00:00:30Z', 30],
    ['begins the one asked for', {}, { gracePeriodSeconds: 5 }, 30, 'mark', '2026-01-01T00:00:05Z', 5],
    ['takes a negative one as a second', {}, { gracePeriodSeconds: -1 }, 30, 'mark', '2026-01-01T00:00:01Z', 1],
    ['none asked for removes', {}, { gracePeriodSeconds: 0 }, 30, 'mark-and-remove', '2026-01-01T00:00:00Z', 0],
    ['nothing to wait for removes', {}, { gracePeriodSeconds: 5 }, 0, 'mark-and-remove', '2026-01-01T00:00:00Z', 0],
    ['a running one goes on', running, {}, 30, 'keep', undefined, undefined],
    ['a running one is not prolonged', running, { gracePeriodSeconds: 60 }, 30, 'keep', undefined, undefined],
    ['a running one is shortened', running, { gracePeriodSeconds: 10 }, 30, 'mark', '2026-01-01T00:00:10Z', 10],
    ['a running one is ended', running, { gracePeriodSeconds: 0 }, 30, 'mark-and-remove', '2026-01-01T00:00:00Z', 0],
    [
      'one that is over removes',
      { deletionTimestamp: '2025-12-31T23:59:59Z', deletionGracePeriodSeconds: 0 },
      {},
      30,
      'remove',
      undefined,
      undefined,
    ],
  ])('%s', ([, metadata, options, usual, action, timestamp, seconds]) => {
    const plan = planDeletion(makeObject(metadata), options, {
      strategy: makeStrategy(usual),
      hold: undefined,
      collectsGarbage: true,
      nowMillis: now,
    });
    expect(plan.action).toBe(action);
    if (timestamp === undefined) return;
    expect(plan).toMatchObject({
      object: { metadata: { deletionTimestamp: timestamp, deletionGracePeriodSeconds: seconds } },
    });
  });
});

describe('options of a deletion as they count', () => {
  const running = { deletionTimestamp: '2026-01-01T00:00:10Z', deletionGracePeriodSeconds: 10 };

  it.for<[string, KubeObject['metadata'], number | undefined, DeleteOptions, DeleteOptions | undefined]>([
    ['none without a grace period', {}, undefined, {}, {}],
    ['a period that means nothing', {}, undefined, { gracePeriodSeconds: 5 }, { gracePeriodSeconds: 5 }],
    ['a negative period is a second', {}, undefined, { gracePeriodSeconds: -9 }, { gracePeriodSeconds: 1 }],
    ['the usual period', {}, 30, { dryRun: ['All'] }, { dryRun: ['All'], gracePeriodSeconds: 30 }],
    ['the period that is asked for', {}, 30, { gracePeriodSeconds: 60 }, { gracePeriodSeconds: 60 }],
    ['none where nothing runs', {}, 0, { gracePeriodSeconds: 60 }, { gracePeriodSeconds: 0 }],
    ['a deletion under way that goes on', running, 30, {}, undefined],
    ['a deletion under way that is not made longer', running, 30, { gracePeriodSeconds: 10 }, undefined],
    ['a deletion under way that is made shorter', running, 30, { gracePeriodSeconds: 9 }, { gracePeriodSeconds: 9 }],
    ['a deletion that waits for finalizers only', { ...running, deletionGracePeriodSeconds: 0 }, 30, {}, {}],
  ])('%s', ([, metadata, usual, options, settled]) => {
    expect(settleOptions(makeObject(metadata), options, makeStrategy(usual))).toEqual(settled);
  });
});
