import { deriveSchema } from '../../derive-schema.ts';
import { formatAge } from '../../format-age.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, column, nameColumn } from '../../printer-columns.ts';
import { validatingAdmissionPolicyCrd } from './crd.ts';
import { validatingAdmissionPolicySchema } from './schema.ts';
import type { ValidatingAdmissionPolicy } from './schema.ts';
import { validatingAdmissionPolicyStrategy } from './strategy.ts';

/** ValidatingAdmissionPolicy: accepts or refuses objects by CEL expressions. */
export const validatingAdmissionPolicyKind: KindDefinition<ValidatingAdmissionPolicy> = {
  kind: 'ValidatingAdmissionPolicy',
  groupTemplate: 'admissionregistration.{domain}',
  version: 'v1',
  plural: 'validatingadmissionpolicies',
  singular: 'validatingadmissionpolicy',
  shortNames: [],
  categories: ['api-extensions'],
  namespaced: false,
  schema: deriveSchema(validatingAdmissionPolicySchema),
  strategy: validatingAdmissionPolicyStrategy,
  crd: validatingAdmissionPolicyCrd,
  columns: [
    nameColumn,
    column('Validations', 'integer', 'How many validations there are.'),
    column('ParamKind', 'string', 'Kind of the parameters.'),
    ageColumn,
  ],
  printRow: ({ metadata, spec }, nowMillis) => [
    metadata.name ?? '',
    spec.validations?.length ?? 0,
    spec.paramKind === undefined ? '<unset>' : `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}`,
    formatAge(metadata.creationTimestamp, nowMillis),
  ],
  description: 'Accepts or refuses objects by CEL expressions.',
};
