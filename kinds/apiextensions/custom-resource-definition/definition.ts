import type { KindDefinition } from '../../kind-definition.ts';
import { createdAtColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { createdAtOf, nameOf } from '../../workloads/row-cells.ts';
import { customResourceDefinitionRules, customResourceDefinitionStatusRules } from './rules.ts';

/** CustomResourceDefinition: a kind that its user defines. */
export const customResourceDefinitionKind: KindDefinition = defineWorkloadKind({
  kind: 'CustomResourceDefinition',
  group: 'apiextensions.k8s.io',
  plural: 'customresourcedefinitions',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  clusterScoped: true,
  definition: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
  columns: [nameColumn, createdAtColumn],
  printRow: (object) => [nameOf(object), createdAtOf(object)],
  status: customResourceDefinitionStatusRules,
  generationFields: ['spec'],
  rules: customResourceDefinitionRules,
  description: 'A kind that its user defines; it is served as soon as its names are accepted.',
});
