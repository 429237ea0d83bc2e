import { deepEqual } from '../../core/meta/deep.ts';
import type { ValidatingAdmissionPolicy } from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionReport } from '../admission-plugin.ts';
import { namePolicyGroup } from './plan-policy-needs.ts';
import { planPolicyCaution } from './plan-policy-caution.ts';

/** Warns whoever applies a policy that matches what a host needs to come up. */
export class PolicyCautionPlugin implements AdmissionPlugin {
  readonly name = 'PolicyCaution';
  readonly #group: string;
  readonly #excluded: readonly string[];

  constructor({ domain, excluded }: { readonly domain: string; readonly excluded: readonly string[] }) {
    this.#group = namePolicyGroup(domain);
    this.#excluded = excluded;
  }

  handles({ resource, subresource, object }: AdmissionAttributes): boolean {
    const isPolicy = resource.group === this.#group && resource.resource === 'validatingadmissionpolicies';
    return isPolicy && subresource === undefined && object !== undefined;
  }

  async validate({ object, oldObject }: AdmissionAttributes, report: AdmissionReport): Promise<void> {
    const [policy, old] = [object, oldObject] as (ValidatingAdmissionPolicy | undefined)[];
    if (policy?.spec === undefined) return;
    if (old !== undefined && deepEqual(policy.spec.matchConstraints, old.spec.matchConstraints)) return;
    const caution = planPolicyCaution(policy, this.#excluded);
    if (caution !== undefined) report.warn(caution);
  }
}
