import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { checkQualifiedName } from '../../../core/validation/names.ts';
import type { DeletionHold, UpdateHandler } from '../../apiserver/subresource-handler.ts';
import { namespaceFinalizer } from './namespace-object.ts';
import type { NamespaceObject } from './namespace-object.ts';

/** Finalizers without a domain that Kubernetes knows. */
const standardFinalizers = new Set([namespaceFinalizer, 'orphan', 'foregroundDeletion']);

function validateFinalizer(name: string, path: FieldPath): FieldError[] {
  const faults = checkQualifiedName(name).map((detail) => makeInvalid(path, name, detail));
  if (faults.length === 0 && !name.includes('/') && !standardFinalizers.has(name)) {
    return [makeInvalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];
  }
  return faults;
}

/** `namespaces/finalize`: changes `spec.finalizers`; the namespace goes once it is deleted and has none left. */
export const namespaceFinalizeHandler: UpdateHandler = {
  type: 'update',
  target: { group: '', version: 'v1', resource: 'namespaces', subresource: 'finalize' },
  verbs: ['update'],
  strategyFor: () => ({
    prepareForUpdate(object: KubeObject, old: KubeObject): void {
      const { status } = old as NamespaceObject;
      if (status === undefined) delete (object as NamespaceObject).status;
      else (object as NamespaceObject).status = structuredClone(status);
    },
    validateUpdate(object: KubeObject): FieldError[] {
      const finalizers = (object as NamespaceObject).spec?.finalizers ?? [];
      const path = FieldPath.root('spec').child('finalizers');
      return finalizers.flatMap((name, index) => validateFinalizer(name, path.index(index)));
    },
  }),
};

/** A deletion marks a namespace as terminating and waits until `spec.finalizers` is empty. */
export const namespaceDeletionHold: DeletionHold = {
  group: '',
  resource: 'namespaces',
  isHeld: (object) => ((object as unknown as NamespaceObject).spec?.finalizers?.length ?? 0) > 0,
  mark(object) {
    const namespace = object as unknown as NamespaceObject;
    namespace.status = { ...namespace.status, phase: 'Terminating' };
  },
};
