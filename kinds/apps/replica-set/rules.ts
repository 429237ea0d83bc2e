import { FieldPath } from '../../../core/errors/field-path.ts';
import type { LabelSelector } from '../../../core/selectors/label-selector.ts';
import { applyPodTemplateDefaults, validateReplicaTemplate } from '../../core/pod-spec/pod-template.ts';
import { validateNonnegative } from '../../core/pod-spec/validate-choice.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, fillField, readObject } from '../../workloads/read-field.ts';
import { validateImmutableFields } from '../../workloads/validate-immutable.ts';
import { validateControllerSelector, validateSelectedTemplate } from '../validate-rollout.ts';

const path = FieldPath.root('spec');

/** How replica sets are written. */
export const replicaSetRules: WorkloadRules = {
  applyDefaults(object) {
    const spec = ensureObject(object, 'spec');
    fillField(spec, 'replicas', 1);
    applyPodTemplateDefaults(ensureObject(spec, 'template'));
  },
  validate(object) {
    const spec = readObject(object, 'spec');
    const selector = readObject(spec, 'selector') as LabelSelector | undefined;
    return [
      ...validateNonnegative(spec, 'replicas', path),
      ...validateNonnegative(spec, 'minReadySeconds', path),
      // Kubernetes names the deployment here too.
      ...validateControllerSelector(spec, 'deployment', path),
      ...validateSelectedTemplate(selector, path, 'invalid label selector', () =>
        validateReplicaTemplate(readObject(spec, 'template'), selector, 'ReplicaSet', path.child('template')),
      ),
    ];
  },
  validateChange: (object, old) =>
    validateImmutableFields(readObject(object, 'spec'), readObject(old, 'spec'), ['selector'], path),
};
