import type { ResourceName } from '../../../core/meta/resource-name.ts';

/** CustomResourceDefinition; its group is the same in every domain. */
export const definitionResource: ResourceName = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};
