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
import type { LedgerQuota } from '../../../kinds/core/resource-quota/quota-claim.ts';
import type { KindDefinition } from '../../../kinds/kind-definition.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import { createIndex } from '../controller-parts.ts';
import { InvalidObjectsController, type InvalidObjectsOptions } from './invalid-objects-controller.ts';
import { reportInvalid } from './report-invalid.ts';
import { RegistrationsController, type RegistrationsControllerOptions } from './registrations-controller.ts';

/** What the registrations of a release are built from. */
export interface RegistrationsOptions extends Omit<RegistrationsControllerOptions, 'contributors' | 'domain'> {
  readonly registry: KindRegistry;
  /** Further needs, of parts with kinds of their own. */
  readonly contributors?: readonly RegistrationContributor[];
}

/** Whether the newest spec was counted: nothing is let in before. */
function isNewestCounted({ status, metadata }: LedgerQuota): boolean {
  return status?.count?.generation === (metadata.generation ?? 0);
}

/** The controller of what the host asks the webhooks: limits, quotas, own objects, and what else is given. It tells of invalid limit ranges and quotas too. */
export function buildRegistrations(options: RegistrationsOptions): RegistrationsController {
  const { registry, clock } = options;
  function follow<T extends KubeObject>(
    kind: KindDefinition<T>,
    plan: (objects: readonly T[]) => readonly WebhookNeed[],
    isReady: (object: T) => boolean = () => true,
  ): RegistrationContributor {
    const index = createIndex<T>(options, { group: '', version: kind.version, resource: kind.plural });
    const onInvalid = reportInvalid(options, kind.kind);
    const enforceable = new EnforceableIndex<T>({ kind, index, domain: registry.domain, clock, onInvalid });
    return new IndexContributor<T>({ index, enforceable, plan, isReady });
  }
  const evaluators = new UsageEvaluators(registry.kinds);
  return new RegistrationsController({
    ...options,
    domain: registry.domain,
    contributors: [
      follow(limitRangeKind, planLimitNeeds),
      follow(resourceQuotaKind, (quotas) => planQuotaNeeds(quotas, evaluators, registry), isNewestCounted),
      makeConstantContributor(planObjectNeeds(registry)),
      ...(options.contributors ?? []),
    ],
  });
}

/** Tells of invalid objects of the own kinds that a host holds and nothing else here follows. */
export function buildInvalidObjects(options: Omit<InvalidObjectsOptions, 'kinds'>): InvalidObjectsController {
  const followed: readonly string[] = [limitRangeKind.kind, resourceQuotaKind.kind];
  const kinds = options.registry.kinds.filter(({ crd, kind }) => crd !== undefined && !followed.includes(kind));
  return new InvalidObjectsController({ ...options, kinds });
}
