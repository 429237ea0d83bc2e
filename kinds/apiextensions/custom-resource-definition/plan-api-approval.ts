import { findCondition, saysTheSame, withCondition, type DefinitionStatus } from './conditions.ts';
import type { CustomResourceDefinition, DefinitionCondition } from './custom-resource-definition.ts';
import { readApproval } from './read-approval.ts';

/**
 * The status of a definition in a group of the Kubernetes community with the condition whether its API was approved;
 * `undefined` for other groups, and when its status says so already.
 */
export function planApiApproval(definition: CustomResourceDefinition, nowMillis: number): DefinitionStatus | undefined {
  const approval = readApproval(definition.spec.group, definition.metadata.annotations);
  if (approval === undefined) return undefined;
  const condition: DefinitionCondition = {
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: approval.state === 'Approved' ? 'True' : 'False',
    reason: `${approval.state}Annotation`,
    message: approval.message,
  };
  if (saysTheSame(condition, findCondition(definition, condition.type))) return undefined;
  return withCondition(definition.status ?? {}, condition, nowMillis);
}
