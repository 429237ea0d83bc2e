import { hostReviewKinds, type KindRegistry } from '../../../kinds/registry.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import { EmbeddedResources } from '../../apiserver/pipeline/embedded-resources.ts';
import type { SubresourceHandler } from '../../apiserver/subresource-handler.ts';
import { selectKinds } from '../own-kinds.ts';
import { makeEmptyStore } from './make-empty-store.ts';

/** The pipeline of our review kinds alone, answered by `handlers`. */
export function buildReviewResources(options: {
  readonly registry: KindRegistry;
  readonly handlers: readonly SubresourceHandler[];
  readonly clock: Clock;
}): EmbeddedResources {
  const { registry, handlers, clock } = options;
  const resources = new EmbeddedResources({
    store: makeEmptyStore(),
    registry: selectKinds(registry, hostReviewKinds),
    now: () => clock.now(),
  });
  resources.install({ handlers });
  return resources;
}
