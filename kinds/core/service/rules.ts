import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { checkDns1035Name } from '../../../core/validation/names.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import {
  ensureObject,
  fillField,
  readField,
  readItems,
  readList,
  readTextList,
  readNumber,
  readObject,
  readText,
} from '../../workloads/read-field.ts';
import { settleIpFamilies } from './settle-ip-families.ts';
import { isExternallyAccessible, validateService, validateServiceChange } from './validate-service.ts';

const affinitySeconds = 10_800;

function applyDefaults(service: KubeObject): void {
  const spec = ensureObject(service, 'spec');
  fillField(spec, 'sessionAffinity', 'None');
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  const timeout = readNumber(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
  if (spec['sessionAffinity'] === 'ClientIP' && timeout === undefined) {
    spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: affinitySeconds } };
  }
  fillField(spec, 'type', 'ClusterIP');
  for (const port of readItems(spec, 'ports')) {
    fillField(port, 'protocol', 'TCP');
    if (!port['targetPort']) port['targetPort'] = readNumber(port, 'port') ?? 0;
  }
  if (isExternallyAccessible(service)) fillField(spec, 'externalTrafficPolicy', 'Cluster');
  if (spec['type'] !== 'ExternalName') fillField(spec, 'internalTrafficPolicy', 'Cluster');
  if (spec['type'] !== 'LoadBalancer') return;
  fillField(spec, 'allocateLoadBalancerNodePorts', true);
  for (const point of readItems(service, 'status', 'loadBalancer', 'ingress')) {
    if (readText(point, 'ip') !== '') fillField(point, 'ipMode', 'VIP');
  }
}

/** The older field holds the first address of the newer list, and the other way round. */
function syncClusterIps(service: KubeObject, old?: KubeObject): void {
  const spec = ensureObject(service, 'spec');
  const first = readText(spec, 'clusterIP');
  const list = readTextList(spec, 'clusterIPs');
  const oldFirst = readText(old, 'spec', 'clusterIP');
  const oldList = readTextList(old, 'spec', 'clusterIPs');
  if (old === undefined) {
    if (first !== '' && list.length === 0) spec['clusterIPs'] = [first];
    else if (first === '' && list.length > 0) spec['clusterIP'] = list[0];
    return;
  }
  const isSameList = list.join(',') === oldList.join(',');
  if (first !== oldFirst && isSameList) {
    if (first === '') delete spec['clusterIPs'];
    else spec['clusterIPs'] = [first];
  } else if (first === oldFirst && !isSameList) {
    if (list.length === 0) delete spec['clusterIP'];
    else spec['clusterIP'] = list[0];
  }
}

/** An update that leaves out the addresses, as clients do, keeps them. */
function keepClusterIps(service: KubeObject, old: KubeObject): void {
  const spec = ensureObject(service, 'spec');
  if (spec['type'] === 'ExternalName' || readText(old, 'spec', 'type') === 'ExternalName') return;
  for (const key of ['clusterIP', 'clusterIPs']) {
    const before = readField(old, 'spec', key);
    const isLeftOut = readText(spec, 'clusterIP') === '' && readList(spec, 'clusterIPs').length === 0;
    if (before !== undefined && (isLeftOut || spec[key] === undefined)) spec[key] = before;
  }
}

/** How services are written. They get no addresses and no node ports: nothing would answer there. */
export const serviceRules: WorkloadRules = {
  validateName: checkDns1035Name,
  allowCreateOnUpdate: true,
  applyDefaults,
  prepareForCreate(service) {
    Object.assign(service, { status: { loadBalancer: {} } });
    syncClusterIps(service);
    settleIpFamilies(service);
  },
  prepareForUpdate(service, old) {
    keepClusterIps(service, old);
    syncClusterIps(service, old);
    settleIpFamilies(service, old);
    const spec = ensureObject(service, 'spec');
    const wasBalanced = readText(old, 'spec', 'type') === 'LoadBalancer';
    if (wasBalanced && spec['type'] !== 'LoadBalancer') delete spec['allocateLoadBalancerNodePorts'];
    const policy = readText(readObject(old, 'spec'), 'externalTrafficPolicy');
    if (!isExternallyAccessible(service) && spec['externalTrafficPolicy'] === policy) {
      delete spec['externalTrafficPolicy'];
    }
  },
  validate: validateService,
  validateChange: validateServiceChange,
};
