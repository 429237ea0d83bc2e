import type { DefinitionStatus } from '../../../kinds/apiextensions/custom-resource-definition/conditions.ts';
import type { CustomResourceDefinition } from '../../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import { definitionResource } from './definition-resource.ts';

/** Under this name Kubernetes records what its own server writes. */
const fieldManager = 'kube-apiserver';

/** Writes the status of a definition as it was read, and its finalizers. Throws 404 and 409 when it has changed or gone since. */
export function writeDefinitionStatus(
  client: ResourceClient,
  definition: CustomResourceDefinition,
  status: DefinitionStatus,
  finalizers: readonly string[] = definition.metadata.finalizers ?? [],
): Promise<CustomResourceDefinition> {
  const metadata = { ...definition.metadata, finalizers: [...finalizers] };
  return client.update<CustomResourceDefinition>(
    { resource: definitionResource, name: definition.metadata.name ?? '' },
    { ...definition, metadata, status },
    { fieldManager },
    'status',
  );
}
