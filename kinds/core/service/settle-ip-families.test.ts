import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { settleIpFamilies } from './settle-ip-families.ts';

function make(spec: JsonObject): KubeObject & { spec: JsonObject } {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { type: 'ClusterIP', ...spec } };
}

const selector = { app: 'web' };
const single = { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] };

describe('settleIpFamilies', () => {
  it.for<[string, JsonObject, JsonObject | undefined, JsonObject]>([
    ['has one family by default', { selector }, undefined, single],
    ['has the family of its address', { clusterIPs: ['fd00::1'] }, undefined, { ...single, ipFamilies: ['IPv6'] }],
    ['keeps what the client said', { ipFamilies: ['IPv6'] }, undefined, { ...single, ipFamilies: ['IPv6'] }],
    [
      'has both when the client requires it',
      { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] },
      undefined,
      { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4'] },
    ],
    [
      'has one when the client prefers both',
      { ipFamilyPolicy: 'PreferDualStack' },
      undefined,
      { ipFamilies: ['IPv4'] },
    ],
    ['is headless with a selector: one', { clusterIP: 'None', clusterIPs: ['None'], selector }, undefined, single],
    [
      'is headless without a selector: both',
      { clusterIP: 'None', clusterIPs: ['None'] },
      undefined,
      { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] },
    ],
    [
      'keeps the policy on an update without one',
      { selector },
      { ...single, ipFamilyPolicy: 'PreferDualStack' },
      {
        ipFamilyPolicy: 'PreferDualStack',
        ipFamilies: ['IPv4'],
      },
    ],
  ])('%s', ([, spec, old, expected]) => {
    const service = make(spec);
    settleIpFamilies(service, old === undefined ? undefined : make(old));
    expect(service.spec).toMatchObject(expected);
  });

  it('has none for another name, and drops those of an earlier type', () => {
    const before = make({ ...single, clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] });
    const created = make({ type: 'ExternalName' });
    settleIpFamilies(created);
    expect(created.spec).toEqual({ type: 'ExternalName' });
    const changed = { ...before, spec: { ...before.spec, type: 'ExternalName' } };
    settleIpFamilies(changed, before);
    expect(changed.spec).toEqual({ type: 'ExternalName' });
    const own = { ...before, spec: { ...before.spec, type: 'ExternalName', ipFamilies: ['IPv6'] } };
    settleIpFamilies(own, before);
    expect(own.spec).toEqual({ type: 'ExternalName', ipFamilies: ['IPv6'] });
  });
});
