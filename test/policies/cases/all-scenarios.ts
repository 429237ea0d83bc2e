import type { PolicyScenario } from '../scenario.ts';
import {
  annotationScenarios,
  conditionActionScenarios,
  conditionScenarios,
  severalScenarios,
  variableScenarios,
} from './conditions.ts';
import { bindingScenarios, constraintScenarios, selectorScenarios } from './matching.ts';
import { namespaceScenarios, optionScenarios, subresourceScenarios, warningScenarios } from './options.ts';
import { paramScenarios } from './params.ts';
import { refusalScenarios } from './refusals.ts';
import { authorizerScenarios, operationScenarios, requestScenarios } from './requests.ts';
import { actionScenarios, budgetScenarios, errorScenarios, messageScenarios } from './validations.ts';

/** Scenarios that we answer otherwise than Kubernetes on purpose, with the point's name in docs/deviations.md. */
const deviations: Readonly<Record<string, string>> = {
  'annotation-error-warn': 'vap-error-actions',
  'annotation-error-audit': 'vap-error-actions',
  'param-missing-warn': 'vap-error-actions',
  'refuse-message-missing': 'vap-message',
  'refuse-reason': 'vap-reason',
  'refuse-many-faults': 'vap-reason',
  'refuse-variable-twice': 'vap-variable-names',
};

function markDeviation(scenario: PolicyScenario): PolicyScenario {
  const deviation = deviations[scenario.name];
  return deviation === undefined ? scenario : { ...scenario, deviation };
}

const scenarios: readonly PolicyScenario[] = [
  ...messageScenarios,
  ...errorScenarios,
  ...actionScenarios,
  ...budgetScenarios,
  ...conditionScenarios,
  ...conditionActionScenarios,
  ...variableScenarios,
  ...annotationScenarios,
  ...severalScenarios,
  ...paramScenarios,
  ...requestScenarios,
  ...operationScenarios,
  ...authorizerScenarios,
  ...constraintScenarios,
  ...bindingScenarios,
  ...selectorScenarios,
  ...namespaceScenarios,
  ...optionScenarios,
  ...subresourceScenarios,
  ...warningScenarios,
  ...refusalScenarios,
];

/** Every scenario; names are unique. */
export const allScenarios: readonly PolicyScenario[] = scenarios.map(markDeviation);
