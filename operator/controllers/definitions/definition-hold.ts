import { findCondition } from '../../../kinds/apiextensions/custom-resource-definition/conditions.ts';
import type { CustomResourceDefinition } from '../../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';
import { holdDefinition } from '../../../kinds/apiextensions/custom-resource-definition/plan-termination.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import type { DeletionHold } from '../../apiserver/subresource-handler.ts';
import { definitionResource } from './definition-resource.ts';

/** The first deletion marks a definition as terminating; it goes once its objects are gone. */
export function makeDefinitionHold(clock: Clock): DeletionHold {
  return {
    group: definitionResource.group,
    resource: definitionResource.resource,
    isHeld: ({ metadata }) => metadata.deletionTimestamp === undefined,
    mark(object) {
      const definition = object as unknown as CustomResourceDefinition;
      if (findCondition(definition, 'Terminating') === undefined) holdDefinition(definition, clock.now());
      else definition.metadata.deletionGracePeriodSeconds = 0;
    },
  };
}
