import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { checkLabelName, checkQualifiedName } from '../../../core/validation/names.ts';
import type { StatusRules, WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, fillField, readList, readTextList, readText } from '../../workloads/read-field.ts';
import { makeInvalids } from '../pod-spec/validate-choice.ts';

const finalizer = 'kubernetes';
const nameLabel = 'kubernetes.io/metadata.name';

/** Every namespace carries its name as a label, so that selectors can name it. */
function labelWithName(namespace: KubeObject): void {
  const { name } = namespace.metadata;
  if (name) ensureObject(namespace.metadata, 'labels')[nameLabel] = name;
}

function validate(namespace: KubeObject): FieldError[] {
  const path = FieldPath.root('spec', 'finalizers');
  return readTextList(namespace, 'spec', 'finalizers').flatMap((name) => {
    const errors = makeInvalids(path, name, checkQualifiedName(name));
    if (name.includes('/') || name === finalizer) return errors;
    return [...errors, makeInvalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];
  });
}

/** How namespaces are written. */
export const namespaceRules: WorkloadRules = {
  validateName: checkLabelName,
  applyDefaults(namespace) {
    labelWithName(namespace);
    fillField(ensureObject(namespace, 'status'), 'phase', 'Active');
  },
  prepareForCreate(namespace) {
    labelWithName(namespace);
    Object.assign(namespace, { status: { phase: 'Active' } });
    const spec = ensureObject(namespace, 'spec');
    const finalizers = readList(spec, 'finalizers');
    if (!finalizers.includes(finalizer)) spec['finalizers'] = [...finalizers, finalizer];
  },
  prepareForUpdate(namespace, old) {
    const finalizers = readList(old, 'spec', 'finalizers');
    const spec = ensureObject(namespace, 'spec');
    if (finalizers.length > 0) spec['finalizers'] = [...finalizers];
    else delete spec['finalizers'];
  },
  validate,
};

/** How the status of namespaces is written: a namespace is terminating when, and only when, it is deleted. */
export const namespaceStatusRules: StatusRules = {
  validate(namespace) {
    const phase = readText(namespace, 'status', 'phase');
    const path = FieldPath.root('status', 'Phase');
    if (namespace.metadata.deletionTimestamp === undefined) {
      const detail = "may only be 'Active' if `deletionTimestamp` is empty";
      return phase === 'Active' ? [] : [makeInvalid(path, phase, detail)];
    }
    const detail = "may only be 'Terminating' if `deletionTimestamp` is not empty";
    return phase === 'Terminating' ? [] : [makeInvalid(path, phase, detail)];
  },
};
