import { EnforceableIndex } from '../../../admission/enforceable-index.ts';
import { enforcedBudgetKind } from '../../../admission/eviction/enforced-budget-kind.ts';
import { planEvictionNeeds } from '../../../admission/eviction/plan-eviction-needs.ts';
import { planLimitNeeds } from '../../../admission/limits/plan-limit-needs.ts';
import { planObjectNeeds } from '../../../admission/objects/plan-object-needs.ts';
import { UsageEvaluators } from '../../../admission/quota/usage-evaluators.ts';
import { IndexContributor, makeConstantContributor } from '../../../admission/registrations/index-contributor.ts';
import { namePolicyGroup } from '../../../admission/registrations/plan-policy-needs.ts';
import { planQuotaNeeds } from '../../../admission/registrations/plan-quota-needs.ts';
import { type CheckedCollection, PolicyContributor } from '../../../admission/registrations/policy-contributor.ts';
import type { RegistrationContributor, WebhookNeed } from '../../../admission/registrations/webhook-need.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { validatingAdmissionPolicyBindingKind } from '../../../kinds/admissionregistration/validating-admission-policy-binding/definition.ts';
import { validatingAdmissionPolicyKind } from '../../../kinds/admissionregistration/validating-admission-policy/definition.ts';
import type { ValidatingAdmissionPolicy } from '../../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import { validatePolicyStructure } from '../../../kinds/admissionregistration/validating-admission-policy/validate.ts';
import { limitRangeKind } from '../../../kinds/core/limit-range/definition.ts';
import { resourceQuotaKind } from '../../../kinds/core/resource-quota/definition.ts';
import type { PodDisruptionBudget } from '../../../kinds/policy/pod-disruption-budget/schema.ts';
import type { LedgerQuota } from '../../../kinds/core/resource-quota/quota-claim.ts';
import type { KindDefinition } from '../../../kinds/kind-definition.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import { type Controller, createIndex } from '../controller-parts.ts';
import { InvalidObjectsController, type InvalidObjectsOptions } from './invalid-objects-controller.ts';
import { PolicyConditionsController } from './policy-conditions-controller.ts';
import { PresenceIndex } from './presence-index.ts';
import { reportInvalid } from './report-invalid.ts';
import { RegistrationsController, type RegistrationsControllerOptions } from './registrations-controller.ts';

/** What the registrations of a release are built from. */
export interface RegistrationsOptions extends Omit<
  RegistrationsControllerOptions,
  'contributors' | 'domain' | 'onGoverning'
> {
  readonly registry: KindRegistry;
}

/** Whether the newest spec was counted: nothing is let in before. */
function isNewestCounted({ status, metadata }: LedgerQuota): boolean {
  return status?.count?.generation === (metadata.generation ?? 0);
}

/** Whether the newest spec was counted: until then budgets let nobody go. */
function isBudgetCounted({ status, metadata }: PodDisruptionBudget): boolean {
  return status?.observedGeneration === (metadata.generation ?? 0);
}

/** Limits, quotas, budgets and own objects. */
function listContributors(options: RegistrationsOptions): RegistrationContributor[] {
  const { registry } = options;
  function follow<T extends KubeObject>(
    kind: KindDefinition<T>,
    plan: (objects: readonly T[]) => readonly WebhookNeed[],
    isReady: (object: T) => boolean = () => true,
  ): RegistrationContributor {
    return new IndexContributor<T>({ ...check(options, kind, kind.groupTemplate), plan, isReady });
  }
  const evaluators = new UsageEvaluators(registry.kinds);
  return [
    follow(limitRangeKind, planLimitNeeds),
    follow(resourceQuotaKind, (quotas) => planQuotaNeeds(quotas, evaluators, registry), isNewestCounted),
    follow(enforcedBudgetKind, planEvictionNeeds, isBudgetCounted),
    makeConstantContributor(planObjectNeeds(registry)),
  ];
}

/** An index of a kind, and which of its objects can be acted on; those that cannot are told of. */
function check<T extends KubeObject>(
  options: RegistrationsOptions,
  kind: KindDefinition<T>,
  group: string,
): CheckedCollection<T> {
  const { registry, clock } = options;
  const index = createIndex<T>(options, { group, version: kind.version, resource: kind.plural });
  const onInvalid = reportInvalid(options, kind.kind);
  return { index, enforceable: new EnforceableIndex<T>({ kind, index, domain: registry.domain, clock, onInvalid }) };
}

/**
 * The controller of what the host asks the webhooks: limits, quotas, budgets, policies and own objects. It tells of invalid objects of the kinds that it
 * follows too, and says in the status of policies whether they are in force.
 */
export function buildRegistrations(options: RegistrationsOptions): Controller {
  const { registry, enforcement } = options;
  const { domain } = registry;
  const policies = check(options, registeredPolicyKind, namePolicyGroup(domain));
  const bindings = check(options, validatingAdmissionPolicyBindingKind, namePolicyGroup(domain));
  const presence = new PresenceIndex(options);
  const contributor = new PolicyContributor({ policies, bindings, presence, domain });
  const conditions = new PolicyConditionsController({
    ...options,
    ...{ domain, policies, bindings, contributor, enforcement },
  });
  const registrations = new RegistrationsController({
    ...options,
    domain,
    contributors: [...listContributors(options), contributor],
    onGoverning: (objects, mode) => conditions.setGoverning(objects, mode),
  });
  return {
    async start() {
      await registrations.start();
      await conditions.start();
    },
    async close() {
      await conditions.close();
      await registrations.close();
    },
  };
}

/** What an expression that does not compile means is up to those who judge, so it is asked about. */
const registeredPolicyKind: KindDefinition<ValidatingAdmissionPolicy> = {
  ...validatingAdmissionPolicyKind,
  strategy: { ...validatingAdmissionPolicyKind.strategy, validateCreate: validatePolicyStructure },
};

const followedKinds: readonly string[] = [
  limitRangeKind.kind,
  resourceQuotaKind.kind,
  enforcedBudgetKind.kind,
  validatingAdmissionPolicyKind.kind,
  validatingAdmissionPolicyBindingKind.kind,
];

/** Tells of invalid objects of the own kinds that a host holds and nothing else here follows. */
export function buildInvalidObjects(options: Omit<InvalidObjectsOptions, 'kinds'>): InvalidObjectsController {
  const kinds = options.registry.kinds.filter(({ crd, kind }) => crd !== undefined && !followedKinds.includes(kind));
  return new InvalidObjectsController({ ...options, kinds });
}
