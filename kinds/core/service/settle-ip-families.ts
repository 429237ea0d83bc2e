import { deepEqual } from '../../../core/meta/deep.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { ensureObject, fillField, readField, readObject, readText, readTextList } from '../../workloads/read-field.ts';

const families = ['IPv4', 'IPv6'];

function isExternalName(service: KubeObject | undefined): boolean {
  return readText(service, 'spec', 'type') === 'ExternalName';
}

/** Services that stand for another name have no addresses; what an earlier type left goes, unless the client changed it. */
function dropAddresses(service: KubeObject, old: KubeObject): void {
  const spec = ensureObject(service, 'spec');
  const isSame = (key: string): boolean => deepEqual(spec[key] ?? null, readField(old, 'spec', key) ?? null);
  const drops = isSame('clusterIP') && isSame('clusterIPs') ? ['clusterIP', 'clusterIPs'] : [];
  for (const key of [...drops, ...['ipFamilies', 'ipFamilyPolicy'].filter(isSame)]) delete spec[key];
}

/**
 * Says of a service which families of addresses it has, and how many, where the client does not: those of its addresses, else IPv4; and
 * both for one without an address and a selector, whose endpoints may be anything. Changes `service`, never `old`.
 */
export function settleIpFamilies(service: KubeObject, old?: KubeObject): void {
  const spec = ensureObject(service, 'spec');
  if (isExternalName(service)) {
    if (old !== undefined && !isExternalName(old)) dropAddresses(service, old);
    return;
  }
  const addresses = readTextList(spec, 'clusterIPs').filter((address) => address !== 'None');
  const isHeadless = readText(spec, 'clusterIP') === 'None';
  const hasSelector = Object.keys(readObject(spec, 'selector') ?? {}).length > 0;
  const isAnything = isHeadless && !hasSelector;
  fillField(
    spec,
    'ipFamilyPolicy',
    readField(old, 'spec', 'ipFamilyPolicy') ?? (isAnything ? 'RequireDualStack' : 'SingleStack'),
  );
  const named = readTextList(spec, 'ipFamilies');
  const inferred = addresses.slice(named.length).map((address) => (address.includes(':') ? 'IPv6' : 'IPv4'));
  const settled = [...named, ...inferred];
  if (settled.length === 0) settled.push('IPv4');
  const wantsBoth =
    spec['ipFamilyPolicy'] === 'RequireDualStack' || (isAnything && spec['ipFamilyPolicy'] === 'PreferDualStack');
  const other = families.find((family) => !settled.includes(family));
  if (wantsBoth && settled.length === 1 && other !== undefined) settled.push(other);
  spec['ipFamilies'] = settled;
}
