import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { type AnnouncementFacts, planAnnouncements } from './plan-announcements.ts';

function makeObject(namespace: string, generation?: number): KubeObject {
  const metadata = { name: 'q', namespace, uid: `u-${namespace}`, ...(generation === undefined ? {} : { generation }) };
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata };
}

const base: AnnouncementFacts = {
  ...{ objects: [makeObject('a', 2)], enforcement: 'Enforce', excluded: ['kube-system'], told: new Map() },
};

describe('planAnnouncements', () => {
  it.for<[string, Partial<AnnouncementFacts>, string[]]>([
    ['what is in force', {}, ['Normal Enforced Generation 2 is in force at the host']],
    ['what has no generations', { objects: [makeObject('a')] }, ['Normal Enforced This is in force at the host']],
    ['an audit', { enforcement: 'Audit' }, ['Normal Audited Generation 2 is audited: nothing is refused']],
    ['what is off', { enforcement: 'Off' }, ['Warning NotEnforced Enforcement is off for the whole release']],
    [
      'what is left out',
      { objects: [makeObject('kube-system', 1)] },
      ['Warning NotEnforced Nothing is enforced in the namespace kube-system'],
    ],
    ['nothing twice', { told: new Map([['u-a', '2 Enforced']]) }, []],
    [
      'a later generation',
      { told: new Map([['u-a', '1 Enforced']]) },
      ['Normal Enforced Generation 2 is in force at the host'],
    ],
    [
      'another mode',
      { told: new Map([['u-a', '2 Audited']]) },
      ['Normal Enforced Generation 2 is in force at the host'],
    ],
  ])('tells of %s', ([, facts, expected]) => {
    const told = planAnnouncements({ ...base, ...facts });
    expect(told.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual(expected);
  });
});
