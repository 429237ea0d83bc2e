import { mandatoryFlowSchemas } from './flow-schema/mandatory.ts';
import { compareFlowSchemas } from './flow-schema/order-flow-schemas.ts';
import type { FlowSchema } from './flow-schema/schema.ts';
import { findLevelFault } from './priority-level-configuration/find-level-fault.ts';
import { mandatoryPriorityLevels } from './priority-level-configuration/mandatory.ts';
import type { PriorityLevelConfiguration } from './priority-level-configuration/schema.ts';

/** By what requests are classified and dispatched. */
export interface FlowConfiguration {
  /** In the order in which they are asked; each has its level. `exempt` and `catch-all` are always there. */
  readonly schemas: readonly FlowSchema[];
  /** By name; `exempt` and `catch-all` are always there. */
  readonly levels: ReadonlyMap<string, PriorityLevelConfiguration>;
  /** Names of the schemas that are left out, as their level is not there. */
  readonly dangling: ReadonlySet<string>;
  /** Why a level is left out, by its name. */
  readonly brokenLevels: ReadonlyMap<string, string>;
}

/** Stands for one of the objects that every server has while it is not stored: without a uid. */
function imagine<T>(apiVersion: string, kind: string, name: string, spec: T) {
  return { apiVersion, kind, metadata: { name }, spec, status: {} };
}

/** What is in force when these objects are stored. Levels that cannot be are left out, and schemas without their level. */
export function planFlowConfiguration(
  schemas: readonly FlowSchema[],
  levels: readonly PriorityLevelConfiguration[],
  domain: string,
): FlowConfiguration {
  const apiVersion = `flowcontrol.apiserver.${domain}/v1`;
  const found = new Map<string, PriorityLevelConfiguration>();
  const brokenLevels = new Map<string, string>();
  for (const level of levels) {
    const name = level.metadata.name ?? '';
    const fault = findLevelFault(level);
    if (fault === undefined) found.set(name, level);
    else brokenLevels.set(name, fault);
  }
  const stored = new Set(found.keys());
  const isDangling = ({ spec }: FlowSchema): boolean => !stored.has(spec.priorityLevelConfiguration.name);
  for (const [name, spec] of mandatoryPriorityLevels) {
    if (!found.has(name)) found.set(name, imagine(apiVersion, 'PriorityLevelConfiguration', name, spec));
  }
  const inForce = schemas.filter((schema) => !isDangling(schema));
  const supply = (name: string): FlowSchema[] => {
    const spec = mandatoryFlowSchemas.get(name);
    const isThere = inForce.some(({ metadata }) => metadata.name === name);
    return spec === undefined || isThere ? [] : [imagine(apiVersion, 'FlowSchema', name, spec)];
  };
  return {
    schemas: [...supply('exempt'), ...inForce.toSorted(compareFlowSchemas), ...supply('catch-all')],
    levels: found,
    dangling: new Set(schemas.filter(isDangling).map(({ metadata }) => metadata.name ?? '')),
    brokenLevels,
  };
}
