import { deepEqual } from '../../../core/meta/deep.ts';
import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../../core/validation/names.ts';
import type { ObjectMeta } from '../../../core/meta/kube-object.ts';
import { validateImmutable } from '../../workloads/validate-immutable.ts';
import type { Checkpoint } from './schema.ts';

const specPath = FieldPath.root('spec');
const maxUidLength = 128;

function validateName(path: FieldPath, name: string, check: (name: string) => string[]): FieldError[] {
  if (name === '') return [makeRequired(path, '')];
  return check(name).map((fault) => makeInvalid(path, name, fault));
}

/** Faults of what a checkpoint says it is of ("Checkpoint"). */
export function validateCheckpoint({ spec }: Checkpoint): FieldError[] {
  const { podUID = '' } = spec;
  return [
    ...validateName(specPath.child('podName'), spec.podName, checkDns1123Subdomain),
    ...(podUID.length <= maxUidLength && /^[\w.-]*$/.test(podUID)
      ? []
      : [makeInvalid(specPath.child('podUID'), podUID.slice(0, maxUidLength), 'must be a UID')]),
    ...validateName(specPath.child('containerName'), spec.containerName, checkDns1123Label),
    ...validateName(specPath.child('nodeName'), spec.nodeName, checkDns1123Subdomain),
  ];
}

const unheldMetadata = [
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
] as const satisfies readonly (keyof ObjectMeta)[];
const fixedFields = ['podName', 'podUID', 'containerName', 'nodeName'] as const;

/** Faults of a change: all but `spec.pinned` stays as it is, and metadata of clients has no place on the node. */
export function validateCheckpointUpdate(next: Checkpoint, old: Checkpoint): FieldError[] {
  const metadata = FieldPath.root('metadata');
  return [
    ...unheldMetadata.flatMap((field) => {
      const value = next.metadata[field];
      const isEmpty = value === undefined || Object.keys(value).length === 0;
      return isEmpty || deepEqual(value, old.metadata[field])
        ? []
        : [makeForbidden(metadata.child(field), 'checkpoints carry none: only spec.pinned may be changed')];
    }),
    ...fixedFields.flatMap((field) =>
      validateImmutable(next.spec[field] ?? '', old.spec[field] ?? '', specPath.child(field)),
    ),
  ];
}
