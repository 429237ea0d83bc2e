import type { KindRegistry } from '../../../kinds/registry.ts';
import type { EventRecorder } from '../../../platform/kube/event-recorder.ts';
import type { HostConnection } from '../../../platform/kube/host-connection.ts';
import { HostDiscovery } from '../../../platform/kube/host-discovery.ts';
import { type FindScaledResource, findHostScale, findRegisteredScale } from '../../../platform/scale/scale-sources.ts';
import { listExcludedNamespaces, nameEntry } from '../../../admission/registrations/plan-registrations.ts';
import type { RegisteredEntries } from '../registrations/registered-entries.ts';
import type { Controller, ControllerOptions } from '../controller-parts.ts';
import { DisruptionController } from './disruption-controller.ts';
import type { BudgetGate } from './held-budgets.ts';

/** What counting disruption budgets needs. */
export interface DisruptionOptions extends ControllerOptions {
  readonly registry: KindRegistry;
  readonly events: EventRecorder;
}

/** What it needs at a host. */
export interface HostDisruptionOptions extends DisruptionOptions {
  readonly connection: HostConnection;
  /** The operator's own. */
  readonly namespace: string;
  /** About what the host asks; absent: it asks nothing. */
  readonly registered?: RegisteredEntries;
}

/** How often a host is asked for a kind that it does not serve, in milliseconds. */
const askAgainMillis = 2_000;

/** The disruption controller of the embedded service. */
export function buildEmbeddedDisruption(options: DisruptionOptions): Controller {
  const { registry } = options;
  const findResource = findRegisteredScale(registry);
  const controller = new DisruptionController({ ...options, findResource, clearsConditions: true });
  const ended = registry.subscribe(() => controller.renewKinds());
  return {
    start: () => controller.start(),
    async close() {
      ended();
      await controller.close();
    },
  };
}

/**
 * The disruption controller of a host, with the discovery that it follows: one for each term of leading. The conditions of the host's pods
 * are left to the host's own controller, which looks after every pod.
 */
export function buildHostDisruption(options: HostDisruptionOptions): Controller {
  const { connection, registered, registry, clock, logger } = options;
  const discovery = new HostDiscovery({ connection, clock, logger });
  const findKnown = findHostScale(() => discovery.resources);
  let askedMillis = Number.NEGATIVE_INFINITY;
  const findResource: FindScaledResource = async (group, version, kind) => {
    const found = findKnown(group, version, kind);
    if (found !== undefined || clock.now() - askedMillis < askAgainMillis) return found;
    // Pods may come a moment after their kind.
    askedMillis = clock.now();
    await discovery.refresh();
    return findKnown(group, version, kind);
  };
  const excluded = listExcludedNamespaces(options.namespace);
  const gate: BudgetGate | undefined = registered && {
    isInForce: (namespace) =>
      excluded.includes(namespace) || registered.covers(nameEntry('evictions', registry.domain), namespace),
    subscribe: (listener) => registered.subscribe(listener),
  };
  const controller = new DisruptionController({
    ...{ ...options, findResource, clearsConditions: false },
    ...(gate === undefined ? {} : { gate }),
  });
  const ended = discovery.subscribe(() => controller.renewKinds());
  return {
    async start() {
      await discovery.start();
      await controller.start();
    },
    async close() {
      ended();
      await controller.close();
      await discovery.close();
    },
  };
}
