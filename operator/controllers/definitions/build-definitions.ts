import { buildKindRegistry, type DefinableKindRegistry } from '../../../kinds/registry.ts';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import type { ObjectStore } from '../../../platform/store/object-store.ts';
import { EmbeddedResources } from '../../apiserver/pipeline/embedded-resources.ts';
import type { ControllerOptions } from '../controller-parts.ts';
import { DefinitionsController } from './definitions-controller.ts';

/** What makes definitions into kinds over a store. */
export interface EmbeddedDefinitionsOptions extends ControllerOptions {
  readonly store: ObjectStore;
  readonly registry: DefinableKindRegistry;
  /** In whose name objects of deleted definitions are deleted. */
  readonly user: UserInfo;
}

/** The controller that makes definitions into kinds; the objects of those that are deleted go without admission, as in Kubernetes. */
export function buildDefinitions(options: EmbeddedDefinitionsOptions): DefinitionsController {
  const { clock, store, registry, user } = options;
  // None of the program's, which no name of a definition can be taken by then.
  const stored = buildKindRegistry(registry.domain, []);
  const resources = new EmbeddedResources({ store, registry: stored, now: () => clock.now(), collectsGarbage: true });
  return new DefinitionsController({
    ...options,
    stored,
    objects: resources.clientFor(user),
    holdsObjects: async ({ group, resource }) =>
      (await store.list(`/${group}/${resource}/`, { limit: 1 })).items.length > 0,
  });
}
