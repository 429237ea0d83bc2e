import { agentKinds, hostReviewKinds, type KindRegistry } from '../../../kinds/registry.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import { EmbeddedResources } from '../../apiserver/pipeline/embedded-resources.ts';
import type { SubresourceHandler } from '../../apiserver/subresource-handler.ts';
import { selectKinds } from '../own-kinds.ts';
import { makeEmptyStore } from './make-empty-store.ts';

/** The pipeline of our kinds that are not stored, answered by `handlers`: reviews, and what node agents hold where there are some. */
export function buildReviewResources(options: {
  readonly registry: KindRegistry;
  readonly handlers: readonly SubresourceHandler[];
  readonly clock: Clock;
  readonly hasAgents: boolean;
}): EmbeddedResources {
  const { registry, handlers, clock, hasAgents } = options;
  const resources = new EmbeddedResources({
    store: makeEmptyStore(),
    registry: selectKinds(registry, hasAgents ? [...hostReviewKinds, ...agentKinds] : hostReviewKinds),
    now: () => clock.now(),
  });
  resources.install({ handlers });
  return resources;
}
