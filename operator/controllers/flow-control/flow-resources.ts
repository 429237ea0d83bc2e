import type { ResourceName } from '../../../core/meta/resource-name.ts';
import { flowSchemaKind } from '../../../kinds/flowcontrol/flow-schema/definition.ts';
import { priorityLevelConfigurationKind } from '../../../kinds/flowcontrol/priority-level-configuration/definition.ts';
import type { KindDefinition } from '../../../kinds/kind-definition.ts';

function nameResource({ groupTemplate, version, plural }: KindDefinition<never>, domain: string): ResourceName {
  return { group: groupTemplate.replaceAll('{domain}', domain), version, resource: plural };
}

/** Where the FlowSchemas of an installation are. */
export function nameFlowSchemas(domain: string): ResourceName {
  return nameResource(flowSchemaKind, domain);
}

/** Where its PriorityLevelConfigurations are. */
export function namePriorityLevels(domain: string): ResourceName {
  return nameResource(priorityLevelConfigurationKind, domain);
}
