import { setOwn } from '../../../core/meta/json.ts';
import type { ContainerResources, PodResources, ResourceRequirements } from '../pod/pod-resources.ts';
import type { ResourceList } from '../resource-lists.ts';
import type { LimitRange } from './schema.ts';

/** What a pod gets from the limit ranges of its namespace; lists are by the position of the container. */
export interface PodDefaults {
  readonly containers: readonly ResourceRequirements[];
  readonly initContainers: readonly ResourceRequirements[];
  /** Value of the annotation `kubernetes.io/limit-ranger`; `undefined` when nothing was filled in. */
  readonly annotation: string | undefined;
}

/** Annotation that tells what was filled in. */
export const limitRangerAnnotation = 'kubernetes.io/limit-ranger';

interface Draft {
  readonly name: string;
  readonly kind: 'container' | 'init container';
  readonly resources: { requests: ResourceList; limits: ResourceList };
}

function collectDefaults(range: LimitRange, field: 'default' | 'defaultRequest'): ResourceList {
  const defaults: ResourceList = {};
  for (const item of range.spec.limits ?? []) {
    if (item.type !== 'Container') continue;
    for (const [name, amount] of Object.entries(item[field] ?? {})) setOwn(defaults, name, amount);
  }
  return defaults;
}

function fillAbsent(target: ResourceList, defaults: ResourceList): string[] {
  const filled = Object.keys(defaults).filter((name) => !Object.hasOwn(target, name));
  for (const name of filled) setOwn(target, name, defaults[name]);
  return filled.toSorted();
}

function applyRange(range: LimitRange, drafts: readonly Draft[]): string | undefined {
  const requests = collectDefaults(range, 'defaultRequest');
  const limits = collectDefaults(range, 'default');
  const notes: string[] = [];
  for (const { name, kind, resources } of drafts) {
    const filledLimits = fillAbsent(resources.limits, limits);
    const filledRequests = fillAbsent(resources.requests, requests);
    if (filledRequests.length > 0) notes.push(`${filledRequests.join(', ')} request for ${kind} ${name}`);
    if (filledLimits.length > 0) notes.push(`${filledLimits.join(', ')} limit for ${kind} ${name}`);
  }
  return notes.length === 0 ? undefined : `LimitRanger plugin set: ${notes.join('; ')}`;
}

function startDrafts(containers: readonly ContainerResources[], kind: Draft['kind']): Draft[] {
  return containers.map(({ name, resources }) => ({
    name,
    kind,
    resources: { requests: { ...resources?.requests }, limits: { ...resources?.limits } },
  }));
}

function finishDraft({ resources }: Draft): ResourceRequirements {
  const { requests, limits } = resources;
  return {
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(Object.keys(requests).length === 0 ? {} : { requests }),
  };
}

/** Decides what requests and limits the containers of a new pod get ("LimitRange"); of several ranges the first that names one wins. */
export function planPodDefaults(ranges: readonly LimitRange[], pod: PodResources): PodDefaults {
  const containers = startDrafts(pod.spec?.containers ?? [], 'container');
  const initContainers = startDrafts(pod.spec?.initContainers ?? [], 'init container');
  let annotation: string | undefined;
  for (const range of ranges) annotation = applyRange(range, [...containers, ...initContainers]) ?? annotation;
  return {
    containers: containers.map(finishDraft),
    initContainers: initContainers.map(finishDraft),
    annotation,
  };
}
