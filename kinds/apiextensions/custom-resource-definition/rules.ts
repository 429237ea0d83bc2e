import { loadExpressions } from '../../../core/cel/load-expressions.ts';
import { Deferred } from '../../../core/load/deferred.ts';
import { loadParts } from '../../../core/load/load-parts.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { StatusRules, WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject } from '../../workloads/read-field.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { applyDefinitionDefaults, noteStorageVersion } from './defaults.ts';
import { isLongDefinition } from './is-long-definition.ts';
import { listDefinitionWarnings } from './list-warnings.ts';

/** What judges schemas, and compiles their rules: without definitions nothing of it is needed. */
const checks = new Deferred(async () => {
  await loadExpressions();
  await loadParts([
    () => import('./validate-structural.ts'),
    () => import('./validate-list-schema.ts'),
    () => import('../../../core/cel/cost/estimate-cost.ts'),
    () => import('./compile-rule.ts'),
    () => import('./validate-open-api.ts'),
    () => import('../custom-resource/rules/run-rules.ts'),
    () => import('../custom-resource/validate/validate-by-schema.ts'),
    () => import('./validate-schema.ts'),
  ]);
  return import('./validate.ts');
});

function asDefinition(object: KubeObject): CustomResourceDefinition {
  return object as unknown as CustomResourceDefinition;
}

/** How definitions are written: what was stored once is noted for as long as there are definitions of it. */
export const customResourceDefinitionRules: WorkloadRules = {
  loadChecks: () => checks.load(),
  takesLong: (definition) => isLongDefinition(asDefinition(definition)),
  allowUnconditionalUpdate: false,
  allowsPlainFinalizers: true,
  applyDefaults: applyDefinitionDefaults,
  prepareForCreate(definition) {
    // Go writes a list that nobody made yet as null.
    ensureObject(definition, 'status')['conditions'] = null;
    noteStorageVersion(definition);
  },
  prepareForUpdate: noteStorageVersion,
  validate: () => [],
  validateNew: (definition) => checks.value.validateNewDefinition(asDefinition(definition)),
  validateUpdate: (definition, old) =>
    checks.value.validateDefinitionUpdate(asDefinition(definition), asDefinition(old)),
  warnOnCreate: (definition) => listDefinitionWarnings(asDefinition(definition)),
  warnOnUpdate: (definition, old) => listDefinitionWarnings(asDefinition(definition), asDefinition(old)),
};

/** How the status of definitions is written. */
export const customResourceDefinitionStatusRules: StatusRules = {
  resetFields: [['metadata']],
  validate: (definition) => checks.value.validateDefinitionStatus(asDefinition(definition)),
};
