import { describe, expect, it } from 'vitest';

import type { KubeObject } from '../../core/meta/kube-object.ts';
import { findPreconditionFault, readEvictionOptions } from './eviction-request.ts';

function makeEviction(deleteOptions?: object): KubeObject {
  const eviction: KubeObject & { deleteOptions?: object } = {
    ...{ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } },
    ...(deleteOptions === undefined ? {} : { deleteOptions }),
  };
  return eviction;
}

const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', uid: 'u', resourceVersion: '7' } };

describe('readEvictionOptions', () => {
  it.for([
    [undefined, {}],
    [{}, {}],
    [{ preconditions: {} }, {}],
    [{ preconditions: { uid: 'u', resourceVersion: '7' } }, { preconditions: { uid: 'u', resourceVersion: '7' } }],
    [{ preconditions: { uid: '', resourceVersion: '' } }, { preconditions: { uid: '', resourceVersion: '' } }],
    [
      { gracePeriodSeconds: 0, propagationPolicy: 'Orphan', orphanDependents: false },
      { gracePeriodSeconds: 0, propagationPolicy: 'Orphan', orphanDependents: false },
    ],
    [{ propagationPolicy: '', dryRun: ['All'] }, {}],
  ])('reads %j as %j', ([written, read]) => {
    expect(readEvictionOptions(makeEviction(written))).toEqual(read);
  });
});

describe('findPreconditionFault', () => {
  it.for([
    [{}, undefined],
    [{ uid: 'u', resourceVersion: '7' }, undefined],
    // A version of nothing is the newest one; a uid of nothing is nobody's.
    [{ resourceVersion: '' }, undefined],
    [{ uid: '' }, 'the UID in the precondition () does not match the UID in record (u)'],
    [{ uid: 'other' }, 'the UID in the precondition (other) does not match the UID in record (u)'],
    [
      { uid: 'u', resourceVersion: '6' },
      'the ResourceVersion in the precondition (6) does not match the ResourceVersion in record (7)',
    ],
  ] as const)('says of %j: %s', ([preconditions, fault]) => {
    const found = findPreconditionFault(pod, { preconditions })?.status;
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ code: 409, reason: 'Conflict', message: expect.stringContaining(fault) });
  });
});
