import type { RuleCase } from './rule-case.ts';
import { limitRangeRules } from './core/limit-range/testdata/rules.ts';
import { resourceQuotaRules } from './core/resource-quota/testdata/rules.ts';
import { ingressRules } from './networking/ingress/testdata/rules.ts';
import { networkPolicyRules } from './networking/network-policy/testdata/rules.ts';
import { podDisruptionBudgetRules } from './policy/pod-disruption-budget/testdata/rules.ts';
import { flowSchemaRules } from './flowcontrol/flow-schema/testdata/rules.ts';
import { priorityLevelConfigurationRules } from './flowcontrol/priority-level-configuration/testdata/rules.ts';
import { validatingAdmissionPolicyRules } from './admissionregistration/validating-admission-policy/testdata/rules.ts';
import { validatingAdmissionPolicyBindingRules } from './admissionregistration/validating-admission-policy-binding/testdata/rules.ts';
import { admissionReviewRules } from './review/admission-review/testdata/rules.ts';
import { evictionReviewRules } from './review/eviction-review/testdata/rules.ts';
import { flowReviewRules } from './review/flow-review/testdata/rules.ts';
import { limitReviewRules } from './review/limit-review/testdata/rules.ts';
import { checkpointRules } from './node/checkpoint/testdata/rules.ts';
import { quotaReviewRules } from './review/quota-review/testdata/rules.ts';

/** The rules of every policy kind, by kind. */
export const ruleTables: Readonly<Record<string, readonly RuleCase[]>> = {
  ResourceQuota: resourceQuotaRules,
  LimitRange: limitRangeRules,
  NetworkPolicy: networkPolicyRules,
  Ingress: ingressRules,
  PodDisruptionBudget: podDisruptionBudgetRules,
  FlowSchema: flowSchemaRules,
  PriorityLevelConfiguration: priorityLevelConfigurationRules,
  ValidatingAdmissionPolicy: validatingAdmissionPolicyRules,
  ValidatingAdmissionPolicyBinding: validatingAdmissionPolicyBindingRules,
};

/** The rules of our kinds that are not stored, by kind. */
export const reviewRuleTables: Readonly<Record<string, readonly RuleCase[]>> = {
  QuotaReview: quotaReviewRules,
  LimitReview: limitReviewRules,
  EvictionReview: evictionReviewRules,
  FlowReview: flowReviewRules,
  AdmissionReview: admissionReviewRules,
  Checkpoint: checkpointRules,
};
