import { mandatoryFlowSchemas } from '../../../kinds/flowcontrol/flow-schema/mandatory.ts';
import { suggestedFlowSchemas } from '../../../kinds/flowcontrol/flow-schema/suggested.ts';
import { mandatoryPriorityLevels } from '../../../kinds/flowcontrol/priority-level-configuration/mandatory.ts';
import { suggestedPriorityLevels } from '../../../kinds/flowcontrol/priority-level-configuration/suggested.ts';
import { create, patch, read, remove, update, type DifferentialCase } from '../differential-case.ts';
import { awaitSettled } from './await-settled.ts';

const group = 'flowcontrol.apiserver.k8s.io/v1';
const schemas = `/apis/${group}/flowschemas`;
const levels = `/apis/${group}/prioritylevelconfigurations`;

const level = {
  ...{ apiVersion: group, kind: 'PriorityLevelConfiguration', metadata: { name: '{{case}}' } },
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
};
const schema = {
  ...{ apiVersion: group, kind: 'FlowSchema', metadata: { name: '{{case}}' } },
  spec: { priorityLevelConfiguration: { name: '{{case}}' } },
};

/** Reads a schema until its condition has this status. */
function awaitDangling(status: string) {
  // oxlint-disable-next-line typescript/no-explicit-any -- objects of any kind
  const until = (body: any): boolean =>
    // oxlint-disable-next-line typescript/no-explicit-any -- conditions of any kind
    (body?.status?.conditions ?? []).some((condition: any) => condition.status === status);
  return read(`${schemas}/{{case}}`, { until });
}

/** The objects of flow control: what every server has, and what is said of schemas. */
export const flowObjectCases: readonly DifferentialCase[] = [
  {
    name: 'kept-flow-schemas',
    steps: [...mandatoryFlowSchemas.keys(), ...suggestedFlowSchemas.keys()].map((name) =>
      awaitSettled('FlowSchema', `${schemas}/${name}`),
    ),
  },
  {
    name: 'kept-priority-levels',
    steps: [...mandatoryPriorityLevels.keys(), ...suggestedPriorityLevels.keys()].map((name) =>
      read(`${levels}/${name}`),
    ),
  },
  {
    name: 'fixed-flow-objects',
    steps: [
      patch('merge', `${schemas}/exempt?dryRun=All`, { spec: { matchingPrecedence: 3 } }),
      patch('merge', `${schemas}/catch-all?dryRun=All`, { spec: { rules: [] } }),
      patch('merge', `${levels}/catch-all?dryRun=All`, { spec: { limited: { nominalConcurrencyShares: 6 } } }),
      patch('merge', `${levels}/exempt?dryRun=All`, { spec: { exempt: { nominalConcurrencyShares: 6 } } }),
      patch('merge', `${levels}/system?dryRun=All`, { spec: { limited: { nominalConcurrencyShares: 6 } } }),
      remove(`${schemas}/catch-all?dryRun=All`),
      remove(`${levels}/exempt?dryRun=All`),
    ],
  },
  {
    name: 'dangling-flow-schema',
    steps: [
      create(schemas, schema),
      awaitDangling('True'),
      create(levels, level),
      awaitDangling('False'),
      remove(`${levels}/{{case}}`),
      awaitDangling('True'),
      update(`${schemas}/{{case}}`, { ...schema, spec: { priorityLevelConfiguration: { name: 'system' } } }),
      awaitDangling('False'),
      // Whoever takes the condition away gets it back.
      update(`${schemas}/{{case}}/status`, { ...schema, status: {} }),
      awaitDangling('False'),
      patch('apply', `${schemas}/{{case}}/status?fieldManager=other&dryRun=All`, {
        ...{ apiVersion: group, kind: 'FlowSchema', metadata: { name: '{{case}}' } },
        status: { conditions: [{ type: 'Dangling', status: 'Unknown' }] },
      }),
      remove(`${schemas}/{{case}}`),
    ],
  },
];
