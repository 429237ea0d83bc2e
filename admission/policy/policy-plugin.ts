import { makeForbiddenError } from '../../core/errors/make-status-error.ts';
import { StatusError } from '../../core/errors/status.ts';
import type { PolicyRefusal } from '../../kinds/admissionregistration/policy/conclude-policies.ts';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionReport } from '../admission-plugin.ts';
import type { PolicyDecider } from './decide-policies.ts';
import { makePolicyRequest } from './make-policy-request.ts';
import type { PolicyIndex } from './policy-index.ts';
import type { PolicyMetrics } from './policy-metrics.ts';
import type { PolicyServices } from './policy-services.ts';

/** What the plugin needs. */
export interface PolicyPluginOptions {
  readonly services: PolicyServices;
  readonly decider: PolicyDecider;
  readonly index: PolicyIndex;
  readonly metrics?: PolicyMetrics;
}

/** Questions that are answered and not stored: whoever could refuse them would take away everybody's rights. */
const exemptGroups: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io']);

/** Whether no policy is ever asked: what decides about requests cannot be kept from being mended, and questions are no writes. */
export function isExemptFromPolicies(domain: string, { resource, subresource }: AdmissionAttributes): boolean {
  const { group } = resource;
  if (group === `admissionregistration.${domain}` || group === 'admissionregistration.k8s.io') return true;
  return group === `review.${domain}` || (exemptGroups.has(group) && subresource === undefined);
}

function makeRefusal(attributes: AdmissionAttributes, refusal: PolicyRefusal): StatusError {
  const { resource, name, object } = attributes;
  const { metadata } = object ?? {};
  const shown = name || metadata?.name || metadata?.generateName || 'Unknown';
  const { status } = makeForbiddenError(resource.group, resource.resource, shown, refusal.message);
  const { reason, code } = refusal;
  const causes = refusal.causes.map((message) => ({ message }));
  return new StatusError({ ...status, reason, details: { ...status.details, causes }, code });
}

/** Enforces admission policies ("ValidatingAdmissionPolicy"). */
export class PolicyPlugin implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionPolicy';
  readonly #options: PolicyPluginOptions;

  constructor(options: PolicyPluginOptions) {
    this.#options = options;
  }

  handles(attributes: AdmissionAttributes): boolean {
    const { index, services } = this.#options;
    return index.listAll().length > 0 && !isExemptFromPolicies(services.domain, attributes);
  }

  async validate(attributes: AdmissionAttributes, report: AdmissionReport): Promise<void> {
    const { index, services, decider, metrics } = this.#options;
    const plain = makePolicyRequest(attributes, []);
    const equivalents = services.listEquivalents(plain.resource, plain.kind);
    const request = equivalents.length === 0 ? plain : { ...plain, equivalents };
    if (index.listNamed(request).length === 0) return;
    const namespace = request.namespace === '' ? undefined : await services.findNamespace(request.namespace);
    const bound = index.listMatching(request, namespace);
    if (bound.length === 0) return;
    const { deadlineMillis } = attributes;
    const { verdict } = await decider.decide(request, bound, namespace, {
      ...(deadlineMillis === undefined ? {} : { deadlineMillis }),
    });
    metrics?.observe(verdict);
    for (const text of verdict.warnings) report.warn(text);
    for (const [key, value] of verdict.annotations) report.annotate(key, value);
    if (verdict.refusal !== undefined) throw makeRefusal(attributes, verdict.refusal);
  }
}
