import type { z } from 'zod';
import { kindSchema } from '../../object-schemas.ts';
import {
  atomicList,
  filled,
  flag,
  int32,
  mapList,
  omitted,
  pointer,
  required,
  setList,
  struct,
  text,
} from '../../schema-vocabulary.ts';
import { flowConditionSchema } from '../flow-conditions.ts';

const V1 = 'io.k8s.api.flowcontrol.v1';

const subjectSchema = struct(
  { definition: `${V1}.Subject`, description: 'Who makes a request: the field that kind names says which ones.' },
  {
    kind: required(text(), 'User, Group or ServiceAccount.', { goType: 'v1.SubjectKind' }),
    user: pointer(
      struct(
        { definition: `${V1}.UserSubject`, description: 'A user.' },
        { name: required(text(), 'Name of the user; * for all.') },
      ),
      'The user, for kind User.',
    ),
    group: pointer(
      struct(
        { definition: `${V1}.GroupSubject`, description: 'A group of users.' },
        { name: required(text(), 'Name of the group; * for all.') },
      ),
      'The group, for kind Group.',
    ),
    serviceAccount: pointer(
      struct(
        { definition: `${V1}.ServiceAccountSubject`, description: 'A service account.' },
        {
          namespace: required(text(), 'Namespace of the service account.'),
          name: required(text(), 'Name of the service account; * for all.'),
        },
      ),
      'The service account, for kind ServiceAccount.',
    ),
  },
);

const resourceRuleSchema = struct(
  {
    definition: `${V1}.ResourcePolicyRule`,
    description: 'Requests for resources; verb, group, resource and namespace match.',
  },
  {
    verbs: required(setList(text()).nullable(), 'Verbs; * alone for all.'),
    apiGroups: required(setList(text()).nullable(), 'API groups; * alone for all.'),
    resources: required(setList(text()).nullable(), 'Plural names, subresources as nodes/status; * alone for all.'),
    clusterScope: omitted(flag(), 'Whether requests without a namespace match.'),
    namespaces: filled(setList(text()).nullable(), 'Namespaces; * alone for any. Empty only with clusterScope.'),
  },
);

const nonResourceRuleSchema = struct(
  { definition: `${V1}.NonResourcePolicyRule`, description: 'Requests for other URLs; verb and URL match.' },
  {
    verbs: required(setList(text()).nullable(), 'Verbs; * alone for all.'),
    nonResourceURLs: required(setList(text()).nullable(), 'Paths, or prefixes that end in /*; * alone for all.'),
  },
);

const policyRulesSchema = struct(
  {
    definition: `${V1}.PolicyRulesWithSubjects`,
    description: 'Matches when a subject and a rule of either list match.',
  },
  {
    subjects: required(atomicList(subjectSchema).nullable(), 'Who makes the request; at least one.'),
    resourceRules: omitted(atomicList(resourceRuleSchema), 'Requests for resources; one of the two lists has rules.'),
    nonResourceRules: omitted(
      atomicList(nonResourceRuleSchema),
      'Requests for other URLs; one of the two lists has rules.',
    ),
  },
);

/** Schema of a flow schema's spec. */
export const flowSchemaSpecSchema = struct(
  { definition: `${V1}.FlowSchemaSpec`, description: 'Which requests form the flows, and their priority level.' },
  {
    priorityLevelConfiguration: required(
      struct(
        { definition: `${V1}.PriorityLevelConfigurationReference`, description: 'Refers to a priority level.' },
        { name: required(text(), 'Name of the PriorityLevelConfiguration.') },
      ),
      'Priority level of the requests.',
    ),
    matchingPrecedence: filled(
      int32(),
      'The least number among the matching schemas wins; 1 to 10000, 1000 when absent.',
    ),
    distinguisherMethod: pointer(
      struct(
        { definition: `${V1}.FlowDistinguisherMethod`, description: 'What tells flows of one schema apart.' },
        { type: required(text(), 'ByUser or ByNamespace.', { goType: 'v1.FlowDistinguisherMethodType' }) },
      ),
      'What tells flows apart; absent puts all requests into one flow.',
    ),
    rules: omitted(atomicList(policyRulesSchema), 'Which requests match: any of these; none matches nothing.'),
  },
);

/** Schema of FlowSchema. */
export const flowSchemaSchema = kindSchema(`${V1}.FlowSchema`, 'Groups requests into flows of one priority level.', {
  spec: filled(flowSchemaSpecSchema, 'The flows.'),
  status: filled(
    struct(
      { definition: `${V1}.FlowSchemaStatus`, description: 'Whether the schema takes part.' },
      { conditions: omitted(mapList(flowConditionSchema('FlowSchema'), ['type']), 'Conditions by type.') },
    ),
    'Whether the schema takes part.',
  ),
});

/** A group of flows ("FlowSchema"). */
export type FlowSchema = z.infer<typeof flowSchemaSchema>;
/** Which requests form the flows. */
export type FlowSchemaSpec = z.infer<typeof flowSchemaSpecSchema>;
/** Subjects with their rules. */
export type PolicyRules = z.infer<typeof policyRulesSchema>;
/** Who makes a request. */
export type FlowSubject = z.infer<typeof subjectSchema>;
/** Requests for resources. */
export type ResourcePolicyRule = z.infer<typeof resourceRuleSchema>;
/** Requests for other URLs. */
export type NonResourcePolicyRule = z.infer<typeof nonResourceRuleSchema>;
