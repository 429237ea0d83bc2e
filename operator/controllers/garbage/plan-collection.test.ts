import { describe, expect, it } from 'vitest';
import type { ObjectMeta, OwnerReference } from '../../../core/meta/kube-object.ts';
import { planCollection, type JudgedReference, type OwnerState } from './plan-collection.ts';
import type { TrackedObject } from './tracked-object.ts';

const deleted = '2026-01-01T00:00:00Z';

function ownerNamed(uid: string, blockOwnerDeletion?: boolean): OwnerReference {
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid };
  return blockOwnerDeletion === undefined ? reference : { ...reference, blockOwnerDeletion };
}

function judged(uid: string, state: OwnerState, blocks?: boolean): JudgedReference {
  return { reference: ownerNamed(uid, blocks), state };
}

function dependent(uid: string, blocks: boolean, awaits?: TrackedObject['awaits']): TrackedObject {
  const owners = [ownerNamed('me', blocks)];
  return { uid, key: `/core/configmaps/a/${uid}`, owners, ...(awaits === undefined ? {} : { awaits }) };
}

function plan(metadata: ObjectMeta, references: JudgedReference[] = [], dependents: TrackedObject[] = []) {
  return planCollection({ metadata: { uid: 'me', ...metadata }, references, dependents });
}

describe('an object that is not being deleted', () => {
  it.for<[string, ObjectMeta, JudgedReference[], TrackedObject[], object]>([
    ['stays without owners', {}, [], [], { action: 'keep' }],
    ['stays while an owner exists', {}, [judged('a', 'solid')], [], { action: 'keep' }],
    [
      'loses the references to owners that do not exist beside one that does',
      {},
      [judged('a', 'dangling'), judged('b', 'solid'), judged('c', 'waiting')],
      [],
      { action: 'set-owners', owners: [ownerNamed('b')] },
    ],
    [
      'goes with its last owner',
      {},
      [judged('a', 'dangling')],
      [],
      { action: 'delete', propagationPolicy: 'Background' },
    ],
    [
      'goes when its owner waits for it',
      {},
      [judged('a', 'waiting')],
      [],
      { action: 'delete', propagationPolicy: 'Background' },
    ],
    [
      'goes after its own dependents when its owner waits for it',
      {},
      [judged('a', 'waiting')],
      [dependent('b', true)],
      { action: 'delete', propagationPolicy: 'Foreground' },
    ],
    [
      'blocks no owner any more where the owners form a circle',
      {},
      [judged('a', 'waiting', true)],
      [dependent('b', true, 'dependents')],
      { action: 'delete', propagationPolicy: 'Foreground', unblocked: [ownerNamed('a', false)] },
    ],
    [
      'goes as a finalizer of its own says: orphans',
      { finalizers: ['orphan'] },
      [judged('a', 'dangling')],
      [],
      { action: 'delete', propagationPolicy: 'Orphan' },
    ],
    [
      'goes as a finalizer of its own says: foreground',
      { finalizers: ['foregroundDeletion'] },
      [judged('a', 'dangling')],
      [],
      { action: 'delete', propagationPolicy: 'Foreground' },
    ],
    [
      'waits until the kind of an owner is served',
      {},
      [judged('a', 'dangling'), judged('b', 'unknown-kind')],
      [],
      { action: 'await-kinds' },
    ],
    [
      'stays when it has no namespace and its owner would have one',
      {},
      [judged('a', 'dangling'), judged('b', 'misplaced')],
      [],
      { action: 'keep' },
    ],
  ])('%s', ([, metadata, references, dependents, expected]) => {
    expect(plan(metadata, references, dependents)).toEqual(expected);
  });
});

describe('an object that is being deleted', () => {
  it.for<[string, string[], TrackedObject[], object]>([
    ['is left alone when others hold it', ['a/b'], [dependent('b', true)], { action: 'keep' }],
    [
      'lets its dependents go',
      ['orphan', 'a/b'],
      [dependent('b', true)],
      { action: 'orphan', dependents: [dependent('b', true)] },
    ],
    ['goes once they are let go', ['a/b', 'orphan'], [], { action: 'release', finalizers: ['a/b'] }],
    ['waits for dependents that block it', ['foregroundDeletion'], [dependent('b', true)], { action: 'keep' }],
    [
      'does not wait for others',
      ['foregroundDeletion', 'a/b'],
      [dependent('b', false)],
      { action: 'release', finalizers: ['a/b'] },
    ],
  ])('%s', ([, finalizers, dependents, expected]) => {
    expect(plan({ finalizers, deletionTimestamp: deleted }, [judged('x', 'dangling')], dependents)).toEqual(expected);
  });
});
