import { EnforceableIndex } from '../../../admission/enforceable-index.ts';
import { planLimitNeeds } from '../../../admission/limits/plan-limit-needs.ts';
import { planObjectNeeds } from '../../../admission/objects/plan-object-needs.ts';
import { UsageEvaluators } from '../../../admission/quota/usage-evaluators.ts';
import { IndexContributor, makeConstantContributor } from '../../../admission/registrations/index-contributor.ts';
import { planQuotaNeeds } from '../../../admission/registrations/plan-quota-needs.ts';
import type { RegistrationContributor, WebhookNeed } from '../../../admission/registrations/webhook-need.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { limitRangeKind } from '../../../kinds/core/limit-range/definition.ts';
import { resourceQuotaKind } from '../../../kinds/core/resource-quota/definition.ts';
import type { KindDefinition } from '../../../kinds/kind-definition.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import { createIndex } from '../controller-parts.ts';
import { findRegistrationMetrics } from './registration-metrics.ts';
import { RegistrationsController, type RegistrationsControllerOptions } from './registrations-controller.ts';

/** What the registrations of a release are built from. */
export interface RegistrationsOptions extends Omit<RegistrationsControllerOptions, 'contributors' | 'domain'> {
  readonly registry: KindRegistry;
  /** Further needs, of parts with kinds of their own. */
  readonly contributors?: readonly RegistrationContributor[];
}

/** Longer than this, an Event's note is cut. */
const maxFaultsLength = 900;

/** The controller of what the host asks the webhooks: limits, quotas, own objects, and what else is given. It tells of invalid objects too. */
export function buildRegistrations(options: RegistrationsOptions): RegistrationsController {
  const { registry, clock, events, metrics } = options;
  const { invalid } = findRegistrationMetrics(metrics);
  function follow<T extends KubeObject>(
    kind: KindDefinition<T>,
    plan: (objects: readonly T[]) => readonly WebhookNeed[],
  ): RegistrationContributor {
    const index = createIndex<T>(options, { group: '', version: kind.version, resource: kind.plural });
    const onInvalid = (object: T, faults: readonly string[]): void => {
      invalid.inc({ kind: kind.kind });
      const shown = faults.join('; ');
      const cut = shown.length > maxFaultsLength ? `${shown.slice(0, maxFaultsLength)}…` : shown;
      events.record(object, 'Warning', 'Invalid', `Nothing acts on it: ${cut}`);
    };
    const enforceable = new EnforceableIndex<T>({ kind, index, domain: registry.domain, clock, onInvalid });
    return new IndexContributor<T>({ index, enforceable, plan });
  }
  const evaluators = new UsageEvaluators(registry.kinds);
  return new RegistrationsController({
    ...options,
    domain: registry.domain,
    contributors: [
      follow(limitRangeKind, planLimitNeeds),
      follow(resourceQuotaKind, (quotas) => planQuotaNeeds(quotas, evaluators, registry)),
      makeConstantContributor(planObjectNeeds(registry)),
      ...(options.contributors ?? []),
    ],
  });
}
