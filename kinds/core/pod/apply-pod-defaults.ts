import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { setOwn } from '../../../core/meta/json.ts';
import { ensureObject, fillField, readFlag, readItems, readNumber, readObject } from '../../workloads/read-field.ts';
import { applyPodSpecDefaults } from '../pod-spec/apply-pod-spec-defaults.ts';
import { defaultHostNetworkPorts } from '../pod-spec/container-ports.ts';
import { writeUsage } from '../resource-quota/usage.ts';
import { isPodLevelResource, readSpecified, sumContainers } from './pod-resources.ts';

/** Copies entries that `target[key]` lacks; makes the list when there is something to copy. */
function fillList(target: JsonObject, key: string, entries: Readonly<JsonObject>): void {
  for (const [name, amount] of Object.entries(entries)) {
    const list = ensureObject(target, key);
    if (!Object.hasOwn(list, name)) setOwn(list, name, amount);
  }
}

function filterList(list: Readonly<JsonObject>, keep: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(list).filter(([name]) => keep(name)));
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** What the pod as a whole asks for follows from its limits and from what its containers ask for. */
function defaultPodResources(pod: KubeObject): void {
  const resources = readObject(pod, 'spec', 'resources');
  if (resources === undefined) return;
  const hasLimits = (): boolean => Object.keys(readObject(resources, 'limits') ?? {}).length > 0;
  const requested = readObject(resources, 'requests') ?? {};
  if (hasLimits() || Object.keys(requested).length > 0) {
    const limits = writeUsage(sumContainers(pod, readSpecified('limits')));
    const wanted = (name: string): boolean => isHugePages(name) && !Object.hasOwn(requested, name);
    fillList(resources, 'limits', filterList(limits, wanted));
  }
  if (!hasLimits()) return;
  const requests = writeUsage(sumContainers(pod, readSpecified('requests')));
  fillList(
    resources,
    'requests',
    filterList(requests, (name) => isPodLevelResource(name) && !isHugePages(name)),
  );
  fillList(resources, 'requests', filterList(readObject(resources, 'limits') ?? {}, isPodLevelResource));
}

/** Fills a pod's defaults in place: those of its specification, and requests from limits. */
export function applyPodDefaults(pod: KubeObject): void {
  const spec = ensureObject(pod, 'spec');
  applyPodSpecDefaults(spec);
  // Of pods only: what a template says stays as it was written.
  if ((readNumber(spec, 'terminationGracePeriodSeconds') ?? 0) < 0) spec['terminationGracePeriodSeconds'] = 1;
  const containers = [...readItems(spec, 'containers'), ...readItems(spec, 'initContainers')];
  for (const container of containers) {
    const limits = readObject(container, 'resources', 'limits');
    const resources = readObject(container, 'resources');
    if (limits !== undefined && resources !== undefined) fillList(resources, 'requests', limits);
  }
  defaultPodResources(pod);
  fillField(spec, 'enableServiceLinks', true);
  if (readFlag(spec, 'hostNetwork')) defaultHostNetworkPorts(containers);
}
