import { labelSelectorFields, pathSegmentField, subdomainField } from '../../crd-fields.ts';
import type { CrdNotes } from '../../crd-notes.ts';
import { matchResourcesFields } from '../crd-match-resources.ts';

const EXCLUSIVE = 'name and selector are mutually exclusive';

/** What the CustomResourceDefinition of ValidatingAdmissionPolicyBinding says beyond the schema. */
export const validatingAdmissionPolicyBindingCrd: CrdNotes = {
  columns: [
    {
      name: 'PolicyName',
      type: 'string',
      description: 'Name of the policy.',
      priority: 0,
      jsonPath: '.spec.policyName',
    },
    {
      name: 'ParamRef',
      type: 'string',
      description: 'Name of the parameters.',
      priority: 0,
      jsonPath: '.spec.paramRef.name',
    },
    {
      name: 'Actions',
      type: 'string',
      description: 'What a failure does.',
      priority: 1,
      jsonPath: '.spec.validationActions',
    },
    { name: 'Age', type: 'date', description: 'Age.', priority: 0, jsonPath: '.metadata.creationTimestamp' },
  ],
  fields: {
    '': { required: ['spec'] },
    spec: { required: ['policyName', 'validationActions'] },
    'spec.policyName': subdomainField,
    'spec.paramRef': {
      required: ['parameterNotFoundAction'],
      rules: [
        {
          rule: "!has(self.name) || self.name == '' || !has(self.selector)",
          message: EXCLUSIVE,
          reason: 'FieldValueForbidden',
        },
        {
          rule: "(has(self.name) && self.name != '') || has(self.selector)",
          message: 'one of name or selector must be specified',
          reason: 'FieldValueRequired',
        },
      ],
    },
    'spec.paramRef.name': pathSegmentField,
    'spec.paramRef.parameterNotFoundAction': { enum: ['Allow', 'Deny'] },
    ...labelSelectorFields('spec.paramRef.selector', true),
    ...matchResourcesFields('spec.matchResources'),
    'spec.validationActions': {
      minItems: 1,
      maxItems: 3,
      rules: [
        {
          rule: "!('Deny' in self && 'Warn' in self)",
          message:
            'must not contain both Deny and Warn (repeating the same validation failure information in the API ' +
            'response and headers serves no purpose)',
        },
      ],
    },
  },
  exceptions: [],
};
