import { compareQuantities, signOfQuantity } from '../../../core/quantity/quantity.ts';
import { addUsage, readUsage, type Usage } from '../resource-quota/usage.ts';
import type { PodResources, ResourceRequirements } from './pod-resources.ts';

const computeResources = ['cpu', 'memory'];

function readCompute(requirements: ResourceRequirements | undefined, side: 'requests' | 'limits'): Usage {
  const amounts = [...readUsage(requirements?.[side])];
  return new Map(amounts.filter(([name, amount]) => computeResources.includes(name) && signOfQuantity(amount) > 0));
}

/** The quality of service that a pod's requests and limits of cpu and memory earn it, as the server writes it on creation. */
export function computeQosClass(pod: PodResources): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const { resources, containers = [], initContainers = [] } = pod.spec ?? {};
  const owners =
    resources === undefined ? [...containers, ...initContainers].map((container) => container.resources) : [resources];
  let requests: Usage = new Map();
  let limits: Usage = new Map();
  let isLimited = true;
  for (const owner of owners) {
    const own = readCompute(owner, 'limits');
    requests = addUsage(requests, readCompute(owner, 'requests'));
    limits = addUsage(limits, own);
    if (own.size < computeResources.length) isLimited = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const isEqual = [...requests].every(([name, amount]) => {
    const limit = limits.get(name);
    return limit !== undefined && compareQuantities(limit, amount) === 0;
  });
  return isLimited && isEqual && requests.size === limits.size ? 'Guaranteed' : 'Burstable';
}
