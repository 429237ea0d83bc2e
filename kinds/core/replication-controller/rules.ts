import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeRequired } from '../../../core/errors/make-field-error.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, fillField, readNumber, readObject, readTexts } from '../../workloads/read-field.ts';
import { applyPodTemplateDefaults, validateReplicaTemplate } from '../pod-spec/pod-template.ts';
import { validateNonnegative } from '../pod-spec/validate-choice.ts';

const path = FieldPath.root('spec');

/** How replication controllers are written. */
export const replicationControllerRules: WorkloadRules = {
  dependentsByDefault: 'orphan',
  applyDefaults(object) {
    const spec = ensureObject(object, 'spec');
    const template = readObject(spec, 'template');
    const labels = readTexts(template, 'metadata', 'labels');
    if (Object.keys(labels).length > 0) {
      if (Object.keys(readTexts(spec, 'selector')).length === 0) spec['selector'] = { ...labels };
      if (Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata.labels = { ...labels };
    }
    fillField(spec, 'replicas', 1);
    applyPodTemplateDefaults(template);
  },
  validate(object) {
    const spec = readObject(object, 'spec');
    const matchLabels = readTexts(spec, 'selector');
    return [
      ...validateNonnegative(spec, 'minReadySeconds', path),
      ...(Object.keys(matchLabels).length === 0 ? [makeRequired(path.child('selector'), '')] : []),
      ...(readNumber(spec, 'replicas') === undefined ? [makeRequired(path.child('replicas'), '')] : []),
      ...validateNonnegative(spec, 'replicas', path),
      ...validateReplicaTemplate(
        readObject(spec, 'template'),
        { matchLabels },
        'ReplicationController',
        path.child('template'),
      ),
    ];
  },
};
