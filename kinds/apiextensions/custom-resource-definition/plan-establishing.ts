import { isConditionTrue, saysTheSame, findCondition, withCondition, type DefinitionStatus } from './conditions.ts';
import type { CustomResourceDefinition, DefinitionCondition } from './custom-resource-definition.ts';
import { describeCaBundleFault } from './describe-ca-bundle-fault.ts';

const type = 'Established';

/**
 * The status of a definition whose names are accepted with the condition that its kind is served, or cannot be; `undefined` while
 * its names are not accepted, and when its status says so already.
 */
export function planEstablishing(
  definition: CustomResourceDefinition,
  nowMillis: number,
): DefinitionStatus | undefined {
  if (!isConditionTrue(definition, 'NamesAccepted') || isConditionTrue(definition, type)) return undefined;
  const caBundle = definition.spec.conversion?.webhook?.clientConfig?.caBundle ?? '';
  const condition: DefinitionCondition =
    describeCaBundleFault(caBundle) === undefined
      ? { type, status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
      : { type, status: 'False', reason: 'InvalidCABundle', message: 'The conversion webhook CABundle is invalid' };
  if (saysTheSame(condition, findCondition(definition, type))) return undefined;
  return withCondition(definition.status ?? {}, condition, nowMillis);
}
