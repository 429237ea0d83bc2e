import type { KindDefinition } from '../../kind-definition.ts';
import type { CustomResourceDefinition } from '../custom-resource-definition/custom-resource-definition.ts';

/**
 * The kinds that a definition serves, one for each served version, newest first, as `status.acceptedNames` names them; all share
 * `storedVersion`. Throws for a definition that its validation would refuse.
 */
export function defineCustomKinds(definition: CustomResourceDefinition): readonly KindDefinition[] {
  throw new Error(`no kind can be made of ${definition.metadata.name ?? ''} yet`);
}
