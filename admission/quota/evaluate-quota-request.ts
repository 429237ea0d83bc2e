import type { QuotaRequest, UsageEvaluator } from '../../kinds/core/resource-quota/usage-evaluator.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { readQuotaRequest } from './read-quota-request.ts';

/** A write, and the evaluator that measures what it uses. */
export interface QuotaEvaluation {
  readonly evaluator: UsageEvaluator;
  readonly request: QuotaRequest;
}

/** What quotas look at in a write; `undefined` when no quota counts it. */
export function evaluateQuotaRequest(
  evaluators: { find(group: string, resource: string): UsageEvaluator | undefined },
  attributes: AdmissionAttributes,
): QuotaEvaluation | undefined {
  const { group, resource } = attributes.resource;
  const request = readQuotaRequest(attributes);
  const evaluator = request && evaluators.find(group, resource);
  return request !== undefined && evaluator?.handles(request) === true ? { evaluator, request } : undefined;
}
