import { FieldPath } from '../../../core/errors/field-path.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, readObject } from '../../workloads/read-field.ts';
import { applyPodTemplateDefaults, validatePodTemplate } from '../pod-spec/pod-template.ts';

/** How pod templates are written. */
export const podTemplateRules: WorkloadRules = {
  applyDefaults(object) {
    applyPodTemplateDefaults(ensureObject(object, 'template'));
  },
  validate: (object) => validatePodTemplate(readObject(object, 'template'), FieldPath.root('template')),
};
