import { describe, expect, it } from 'vitest';

import { findZone } from './find-zone.ts';
import { judgeZone, planZones, type ZoneHealth, type ZoneState } from './plan-zone-state.ts';

const settings = { evictionRate: 0.1, secondaryEvictionRate: 0.01, largeZoneSize: 50, unhealthyThreshold: 0.55 };

function zone(ready: number, notReady: number): ZoneHealth {
  return { ready, notReady };
}

describe('judgeZone', () => {
  it.for<[number, number, ZoneState]>([
    [1, 0, 'Normal'],
    [0, 1, 'FullDisruption'],
    [0, 60, 'FullDisruption'],
    [1, 2, 'Normal'],
    [1, 3, 'PartialDisruption'],
    [3, 3, 'Normal'],
    [9, 11, 'PartialDisruption'],
    [45, 55, 'PartialDisruption'],
    [46, 54, 'Normal'],
  ])('of %d ready and %d others is %s', ([ready, notReady, state]) => {
    expect(judgeZone(zone(ready, notReady), settings)).toBe(state);
  });
});

describe('planZones', () => {
  type Row = [string, Record<string, ZoneHealth>, Record<string, ZoneState>, Record<string, number>, object?];
  it.for<Row>([
    ['leaves rates while nothing changes', { a: zone(3, 0) }, { a: 'Normal' }, {}],
    ['gives a new zone its rate', { a: zone(3, 0) }, {}, { a: 0.1 }],
    [
      'stands still in a small zone that fails in part',
      { a: zone(1, 3), b: zone(1, 0) },
      { a: 'Normal', b: 'Normal' },
      { a: 0 },
    ],
    ['goes on slowly in a large one', { a: zone(20, 31), b: zone(1, 0) }, { a: 'Normal', b: 'Normal' }, { a: 0.01 }],
    [
      'stands still in one of just the size',
      { a: zone(20, 30), b: zone(1, 0) },
      { a: 'Normal', b: 'Normal' },
      { a: 0 },
    ],
    [
      'empties a zone that fails whole at the full rate',
      { a: zone(0, 5), b: zone(1, 0) },
      { a: 'PartialDisruption', b: 'Normal' },
      { a: 0.1 },
    ],
    [
      'goes back to it when a zone is well',
      { a: zone(5, 0), b: zone(1, 0) },
      { a: 'PartialDisruption', b: 'Normal' },
      { a: 0.1 },
    ],
    [
      'stops everywhere when all zones fail',
      { a: zone(0, 5), b: zone(0, 1) },
      { a: 'FullDisruption', b: 'Normal' },
      { a: 0, b: 0 },
      { untaintsAll: true },
    ],
    ['stops at once in a cluster that is found down', { a: zone(0, 5) }, {}, { a: 0 }, { untaintsAll: true }],
    ['stops once', { a: zone(0, 5) }, { a: 'FullDisruption' }, {}],
    [
      'begins anew, and forgives, when the first node is back',
      { a: zone(1, 4), b: zone(0, 60) },
      { a: 'FullDisruption', b: 'FullDisruption' },
      { a: 0, b: 0.1 },
      { forgivesAll: true },
    ],
    ['forgets a zone without nodes', { a: zone(1, 0) }, { a: 'Normal', b: 'FullDisruption' }, {}],
    ['has nothing to do without nodes', {}, { a: 'FullDisruption' }, {}],
  ])('%s', ([, zones, before, rates, more]) => {
    const plan = planZones(new Map(Object.entries(zones)), new Map(Object.entries(before)), settings);
    expect(Object.fromEntries(plan.rates)).toEqual(rates);
    expect([...plan.states.keys()]).toEqual(Object.keys(zones));
    expect(plan).toMatchObject({ untaintsAll: false, forgivesAll: false, ...more });
  });
});

describe('findZone', () => {
  const region = 'topology.kubernetes.io/region';
  const name = 'topology.kubernetes.io/zone';
  it.for<[string, Record<string, string>, string]>([
    ['without labels', {}, ''],
    ['of a region and a zone', { [region]: 'r', [name]: 'z' }, 'r/z'],
    ['of a zone alone', { [name]: 'z' }, '/z'],
    ['by the older labels first', { [name]: 'z', 'failure-domain.beta.kubernetes.io/zone': 'o' }, '/o'],
  ])('%s', ([, labels, zoneName]) => {
    expect(findZone({ apiVersion: 'v1', kind: 'Node', metadata: { labels } })).toBe(zoneName);
  });
});
