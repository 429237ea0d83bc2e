import { type Quantity, quantityFromInteger } from '../../../core/quantity/quantity.ts';
import { parseTime } from '../../../core/time/time.ts';
import { isExtendedResourceName, isNativeResourceName } from '../resource-names.ts';
import { matchesNames } from '../resource-quota/match-quota.ts';
import { formatCountName } from '../resource-quota/plan-object-count.ts';
import { readUsage, type Usage } from '../resource-quota/usage.ts';
import type { UsageEvaluator } from '../resource-quota/usage-evaluator.ts';
import {
  type ContainerResources,
  hasPodLevelResources,
  isBestEffort,
  type PodResources,
  sumPod,
  usesCrossNamespaceAffinity,
} from './pod-resources.ts';

const ONE = quantityFromInteger(1);
const COUNT_NAME = formatCountName('', 'pods');
const HUGE_PAGES = 'hugepages-';
const REQUESTS = 'requests.';
const computeResources = ['cpu', 'memory', 'ephemeral-storage'];
const podResources: ReadonlySet<string> = new Set([
  COUNT_NAME,
  'pods',
  ...computeResources.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
/** A quota on these demands that every container names them. */
const demandedResources: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);

function isPodResource(name: string): boolean {
  if (podResources.has(name) || name.startsWith(HUGE_PAGES) || name.startsWith(REQUESTS + HUGE_PAGES)) return true;
  return !isNativeResourceName(name) && name.startsWith(REQUESTS);
}

function nameUsage(requests: Usage, limits: Usage): Map<string, Quantity> {
  const named = new Map<string, Quantity>([['pods', ONE]]);
  for (const [name, amount] of requests) {
    if (computeResources.includes(name) || name.startsWith(HUGE_PAGES)) {
      named.set(name, amount);
      named.set(REQUESTS + name, amount);
    } else if (isExtendedResourceName(name)) {
      named.set(REQUESTS + name, amount);
    }
  }
  for (const name of computeResources) {
    const limit = limits.get(name);
    if (limit !== undefined) named.set(`limits.${name}`, limit);
  }
  return named;
}

function isTerminating(pod: PodResources): boolean {
  return (pod.spec?.activeDeadlineSeconds ?? -1) >= 0;
}

/** When the grace of a pod that is being deleted is over, in milliseconds; a pod stuck beyond it is no longer charged. */
function findGraceEnd(pod: PodResources): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return undefined;
  const deletionMillis = parseTime(deletionTimestamp);
  return deletionMillis === undefined ? undefined : deletionMillis + deletionGracePeriodSeconds * 1000;
}

function isOver(pod: PodResources, nowMillis: number): boolean {
  const phase = pod.status?.phase;
  if (phase === 'Failed' || phase === 'Succeeded') return true;
  const graceEnd = findGraceEnd(pod);
  return graceEnd !== undefined && nowMillis > graceEnd;
}

function checkConstraints(resources: readonly string[], pod: PodResources): string | undefined {
  if (hasPodLevelResources(pod, 'requests', 'limits')) return undefined;
  const demanded = resources.filter((name) => demandedResources.has(name)).toSorted();
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const lacks = (container: ContainerResources, name: string): boolean =>
    !nameUsage(readUsage(container.resources?.requests), readUsage(container.resources?.limits)).has(name);
  const faults = demanded.flatMap((name) => {
    const lacking = containers.filter((container) => lacks(container, name)).map((container) => container.name);
    return lacking.length === 0 ? [] : [`${name} for: ${[...new Set(lacking)].toSorted().join(',')}`];
  });
  return faults.length === 0 ? undefined : `must specify ${faults.join('; ')}`;
}

/** How pods use quota: compute resources while they live, `count/pods` as long as they are stored. */
export const podUsageEvaluator: UsageEvaluator<PodResources> = {
  group: '',
  resource: 'pods',
  movableScopes: ['Terminating', 'NotTerminating'],
  handles({ operation, subresource, object, oldObject }) {
    if (operation === 'CREATE') return subresource === undefined;
    if (subresource === 'resize') return true;
    // Other updates cannot change what a pod uses, but they can move it to another scope.
    return subresource === undefined && oldObject !== undefined && isTerminating(object) !== isTerminating(oldObject);
  },
  selectResources: (names) => [...new Set(names)].filter(isPodResource).toSorted(),
  matchesScope(requirement, pod) {
    switch (requirement.scopeName) {
      case 'Terminating':
        return isTerminating(pod);
      case 'NotTerminating':
        return !isTerminating(pod);
      case 'BestEffort':
        return isBestEffort(pod);
      case 'NotBestEffort':
        return !isBestEffort(pod);
      case 'PriorityClass': {
        const name = pod.spec?.priorityClassName ?? '';
        return matchesNames(requirement, name === '' ? [] : [name]);
      }
      case 'CrossNamespacePodAffinity':
        return usesCrossNamespaceAffinity(pod);
      default:
        return false;
    }
  },
  checkConstraints,
  measure(pod, nowMillis) {
    const count: [string, Quantity] = [COUNT_NAME, ONE];
    if (isOver(pod, nowMillis)) return new Map([count]);
    return new Map([count, ...nameUsage(sumPod(pod, 'requests'), sumPod(pod, 'limits'))]);
  },
  findExpiry: findGraceEnd,
  describeScopes: (pod) => `${isTerminating(pod)} ${isBestEffort(pod)} ${pod.spec?.priorityClassName ?? ''}`,
};
