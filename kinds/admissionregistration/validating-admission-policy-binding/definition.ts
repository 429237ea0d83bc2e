import { formatLabelSelector } from '../../../core/selectors/label-selector.ts';
import { deriveSchema } from '../../derive-schema.ts';
import { formatAge } from '../../format-age.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, column, nameColumn } from '../../printer-columns.ts';
import { validatingAdmissionPolicyBindingCrd } from './crd.ts';
import { validatingAdmissionPolicyBindingSchema } from './schema.ts';
import type { ParamRef, ValidatingAdmissionPolicyBinding } from './schema.ts';
import { validatingAdmissionPolicyBindingStrategy } from './strategy.ts';

function formatParamRef(ref: ParamRef | undefined): string {
  if (ref === undefined) return '<unset>';
  const { name = '', namespace = '' } = ref;
  if (name !== '') return `${namespace === '' ? '*' : namespace}/${name}`;
  return ref.selector === undefined ? '<unset>' : formatLabelSelector(ref.selector);
}

/** ValidatingAdmissionPolicyBinding: puts a policy into effect, with parameters. */
export const validatingAdmissionPolicyBindingKind: KindDefinition<ValidatingAdmissionPolicyBinding> = {
  kind: 'ValidatingAdmissionPolicyBinding',
  groupTemplate: 'admissionregistration.{domain}',
  version: 'v1',
  plural: 'validatingadmissionpolicybindings',
  singular: 'validatingadmissionpolicybinding',
  shortNames: [],
  categories: ['api-extensions'],
  namespaced: false,
  schema: deriveSchema(validatingAdmissionPolicyBindingSchema),
  strategy: validatingAdmissionPolicyBindingStrategy,
  crd: validatingAdmissionPolicyBindingCrd,
  columns: [
    nameColumn,
    column('PolicyName', 'string', 'Name of the policy.'),
    column('ParamRef', 'string', 'The parameters.'),
    ageColumn,
  ],
  printRow: ({ metadata, spec }, nowMillis) => [
    metadata.name ?? '',
    spec.policyName ?? '',
    formatParamRef(spec.paramRef),
    formatAge(metadata.creationTimestamp, nowMillis),
  ],
  description: 'Puts a policy into effect, with parameters.',
};
