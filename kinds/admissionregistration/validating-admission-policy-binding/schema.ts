import type { z } from 'zod';
import { kindSchema, labelSelectorSchema } from '../../object-schemas.ts';
import { choice, filled, omitted, pointer, setList, struct, text } from '../../schema-vocabulary.ts';
import { matchResourcesSchema } from '../match-resources.ts';

const V1 = 'io.k8s.api.admissionregistration.v1';

const paramRefSchema = struct(
  {
    definition: `${V1}.ParamRef`,
    mapType: 'atomic',
    description: 'Which parameter objects a policy is evaluated with.',
  },
  {
    name: omitted(text(), 'Name of the one object; excludes selector.'),
    namespace: omitted(
      text(),
      'Namespace of the objects; absent: that of the evaluated object. Never for cluster-scoped kinds.',
    ),
    selector: pointer(labelSelectorSchema, 'Labels of the objects, all of which are used; excludes name.'),
    parameterNotFoundAction: pointer(text(), 'What it means when there is none: Allow, or Deny. Needed.', {
      goType: 'v1.ParameterNotFoundActionType',
    }),
  },
);

const specSchema = struct(
  {
    definition: `${V1}.ValidatingAdmissionPolicyBindingSpec`,
    description: 'Which policy, with what, and to what effect.',
  },
  {
    policyName: omitted(text(), 'Name of the policy. Needed.'),
    paramRef: pointer(paramRefSchema, 'The parameters, when the policy has a paramKind.'),
    matchResources: pointer(matchResourcesSchema, 'Narrows what the policy matches.'),
    validationActions: omitted(
      setList(choice(['Deny', 'Warn', 'Audit'], 'v1.ValidationAction')),
      'What a failure does: Deny, Warn, Audit; not Deny and Warn. Needed.',
    ),
  },
);

/** Schema of ValidatingAdmissionPolicyBinding. */
export const validatingAdmissionPolicyBindingSchema = kindSchema(
  `${V1}.ValidatingAdmissionPolicyBinding`,
  'Puts a policy into effect, with parameters.',
  { spec: filled(specSchema, 'The binding.') },
);

/** Puts a policy into effect ("ValidatingAdmissionPolicyBinding"). */
export type ValidatingAdmissionPolicyBinding = z.infer<typeof validatingAdmissionPolicyBindingSchema>;
/** The parameters of a binding. */
export type ParamRef = z.infer<typeof paramRefSchema>;
