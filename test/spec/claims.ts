import type { Claim } from './claims/claim.ts';
import { admissionPolicyClaims } from './claims/admission-policy-claims.ts';
import { behaviourClaims } from './claims/behaviour-claims.ts';
import { coreClaims } from './claims/core-claims.ts';
import { disruptionBudgetClaims } from './claims/disruption-budget-claims.ts';
import { endpointClaims } from './claims/endpoint-claims.ts';
import { flowControlClaims } from './claims/flow-control-claims.ts';
import { limitClaims } from './claims/limit-claims.ts';
import { networkingClaims } from './claims/networking-claims.ts';
import { nodeAgentClaims } from './claims/node-agent-claims.ts';

/** The first claim whose `rows` match a row's id holds for it. */
export const claims: readonly Claim[] = [
  ...nodeAgentClaims,
  ...coreClaims,
  ...networkingClaims,
  ...disruptionBudgetClaims,
  ...flowControlClaims,
  ...admissionPolicyClaims,
  ...behaviourClaims,
  ...endpointClaims,
  ...limitClaims,
];
