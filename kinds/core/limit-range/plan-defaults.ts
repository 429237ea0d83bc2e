import { setOwn } from '../../../core/meta/json.ts';
import type { ContainerResources, PodResources, ResourceRequirements, ResourceSide } from '../pod/pod-resources.ts';
import type { ResourceList } from '../resource-lists.ts';
import type { LimitRange } from './schema.ts';

/** One amount that a limit range filled in. */
export interface FilledAmount {
  /** Name of the limit range. */
  readonly range: string;
  readonly list: 'containers' | 'initContainers';
  /** Position of the container in its list. */
  readonly index: number;
  readonly side: ResourceSide;
  readonly resource: string;
  readonly amount: string;
}

/** What a pod gets from the limit ranges of its namespace; lists are by the position of the container. */
export interface PodDefaults {
  readonly containers: readonly ResourceRequirements[];
  readonly initContainers: readonly ResourceRequirements[];
  /** Where each amount came from, in the order in which they were filled in. */
  readonly filled: readonly FilledAmount[];
  /** Value of the annotation `kubernetes.io/limit-ranger`; `undefined` when nothing was filled in. */
  readonly annotation: string | undefined;
}

/** Annotation that tells what was filled in. */
export const limitRangerAnnotation = 'kubernetes.io/limit-ranger';

interface Draft {
  readonly name: string;
  readonly kind: 'container' | 'init container';
  readonly index: number;
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

function applyRange(range: LimitRange, drafts: readonly Draft[], filled: FilledAmount[]): string | undefined {
  const requests = collectDefaults(range, 'defaultRequest');
  const limits = collectDefaults(range, 'default');
  const notes: string[] = [];
  const note = ({ kind, index, resources }: Draft, side: ResourceSide, names: readonly string[]): void => {
    const list = kind === 'container' ? 'containers' : 'initContainers';
    for (const resource of names) {
      const amount = resources[side][resource] ?? '0';
      filled.push({ range: range.metadata.name ?? '', list, index, side, resource, amount });
    }
  };
  for (const draft of drafts) {
    const { name, kind, resources } = draft;
    const filledLimits = fillAbsent(resources.limits, limits);
    const filledRequests = fillAbsent(resources.requests, requests);
    note(draft, 'limits', filledLimits);
    note(draft, 'requests', filledRequests);
    if (filledRequests.length > 0) notes.push(`${filledRequests.join(', ')} request for ${kind} ${name}`);
    if (filledLimits.length > 0) notes.push(`${filledLimits.join(', ')} limit for ${kind} ${name}`);
  }
  return notes.length === 0 ? undefined : `LimitRanger plugin set: ${notes.join('; ')}`;
}

function startDrafts(containers: readonly ContainerResources[], kind: Draft['kind']): Draft[] {
  return containers.map(({ name, resources }, index) => ({
    name,
    kind,
    index,
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
  const filled: FilledAmount[] = [];
  let annotation: string | undefined;
  for (const range of ranges) annotation = applyRange(range, [...containers, ...initContainers], filled) ?? annotation;
  return {
    containers: containers.map(finishDraft),
    initContainers: initContainers.map(finishDraft),
    filled,
    annotation,
  };
}
