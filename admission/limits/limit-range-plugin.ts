import { aggregateMessages } from '../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { planClaimBounds, planPodBounds } from '../../kinds/core/limit-range/plan-bounds.ts';
import { limitRangerAnnotation, planPodDefaults } from '../../kinds/core/limit-range/plan-defaults.ts';
import type { LimitRange } from '../../kinds/core/limit-range/schema.ts';
import type { ContainerResources, PodResources, ResourceRequirements } from '../../kinds/core/pod/pod-resources.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import { makeDenial } from '../make-denial.ts';
import type { LimitRangeSource } from './limit-range-source.ts';

const claims = 'persistentvolumeclaims';

/** What the plugin needs. */
export interface LimitRangePluginOptions {
  /** The limit ranges in force. */
  readonly ranges: LimitRangeSource;
}

function fillContainers(
  containers: readonly ContainerResources[] | undefined,
  filled: readonly ResourceRequirements[],
): void {
  for (const [i, container] of (containers ?? []).entries()) {
    const { requests, limits } = filled[i] ?? {};
    const resources: ResourceRequirements = { ...container.resources };
    if (limits !== undefined) resources.limits = limits;
    if (requests !== undefined) resources.requests = requests;
    if (container.resources !== undefined || Object.keys(resources).length > 0) container.resources = resources;
  }
}

function applyDefaults(ranges: readonly LimitRange[], pod: PodResources): void {
  const defaults = planPodDefaults(ranges, pod);
  if (defaults.annotation === undefined) return;
  fillContainers(pod.spec?.containers, defaults.containers);
  fillContainers(pod.spec?.initContainers, defaults.initContainers);
  pod.metadata.annotations = { ...pod.metadata.annotations, [limitRangerAnnotation]: defaults.annotation };
}

/** Fills in and enforces the limit ranges of a namespace on new and resized pods and on claims ("LimitRange"). */
export class LimitRangePlugin implements AdmissionPlugin {
  readonly name = 'LimitRanger';
  readonly #ranges: LimitRangeSource;

  constructor(options: LimitRangePluginOptions) {
    this.#ranges = options.ranges;
  }

  handles({ operation, resource, subresource, namespace, object, oldObject }: AdmissionAttributes): boolean {
    if (resource.group !== '' || namespace === undefined || object === undefined) return false;
    if (oldObject?.metadata.deletionTimestamp !== undefined) return false;
    if (resource.resource === 'pods') {
      return operation === 'CREATE' ? subresource === undefined : operation === 'UPDATE' && subresource === 'resize';
    }
    return resource.resource === claims && subresource === undefined && ['CREATE', 'UPDATE'].includes(operation);
  }

  async mutate(attributes: AdmissionAttributes): Promise<void> {
    const { object, resource } = attributes;
    if (object === undefined || resource.resource !== 'pods') return;
    const ranges = await this.#listRanges(attributes);
    if (ranges.length > 0) applyDefaults(ranges, object);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { object } = attributes;
    if (object === undefined) return;
    for (const range of await this.#listRanges(attributes)) {
      const faults = this.#checkBounds(range, attributes, object);
      if (faults.length > 0) throw makeDenial(attributes, aggregateMessages(faults));
    }
  }

  #checkBounds(range: LimitRange, { resource }: AdmissionAttributes, object: KubeObject): string[] {
    const faults = resource.resource === claims ? planClaimBounds(range, object) : planPodBounds(range, object);
    return faults.map(({ message }) => message);
  }

  async #listRanges({ namespace }: AdmissionAttributes): Promise<readonly LimitRange[]> {
    return namespace === undefined ? [] : this.#ranges.list(namespace);
  }
}
