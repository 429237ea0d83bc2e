import { z } from 'zod';
import type { ObjectMeta } from '../core/meta/kube-object.ts';
import {
  atomicList,
  filled,
  flag,
  int64,
  mapList,
  mapOf,
  note,
  omitted,
  pointer,
  required,
  setList,
  struct,
  text,
  time,
} from './schema-vocabulary.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

const ownerReferenceSchema = struct(
  { definition: `${META}.OwnerReference`, mapType: 'atomic', description: 'Points at an object that owns this one.' },
  {
    apiVersion: required(text(), 'API version of the owner.'),
    kind: required(text(), 'Kind of the owner.'),
    name: required(text(), 'Name of the owner.'),
    uid: required(text(), 'UID of the owner.', { goType: 'types.UID' }),
    controller: pointer(flag(), 'Whether the owner is the managing controller.'),
    blockOwnerDeletion: pointer(flag(), 'Whether a foreground deletion of the owner waits for this object.'),
  },
);

const managedFieldsEntrySchema = struct(
  { definition: `${META}.ManagedFieldsEntry`, description: 'The fields that one manager set, and how.' },
  {
    manager: omitted(text(), 'Who set the fields.'),
    operation: omitted(text(), 'Apply or Update.', { goType: 'v1.ManagedFieldsOperationType' }),
    apiVersion: omitted(text(), 'Version in which the fields are named.'),
    time: pointer(time(), 'When the set of fields last changed.'),
    fieldsType: omitted(text(), 'Format of the set: FieldsV1.'),
    fieldsV1: pointer(
      note(z.record(z.string(), z.unknown()), {
        definition: `${META}.FieldsV1`,
        goType: 'v1.FieldsV1',
        preserveUnknown: true,
        description: 'A set of fields as a tree.',
      }),
      'The set of fields.',
    ),
    subresource: omitted(text(), 'Subresource through which the fields were set.'),
  },
);

/** ObjectMeta, the same for every kind. */
export const objectMetaSchema = struct(
  { definition: `${META}.ObjectMeta`, description: 'Metadata that every stored object has.' },
  {
    name: omitted(text(), 'Unique within a namespace, or in the cluster for cluster-scoped kinds.'),
    generateName: omitted(text(), 'Prefix from which the server makes a unique name when none is given.'),
    namespace: omitted(text(), 'Namespace of the object; empty for cluster-scoped kinds.'),
    selfLink: omitted(text(), 'Unused.'),
    uid: omitted(text(), 'Unique over time and space; set by the server.', { goType: 'types.UID' }),
    resourceVersion: omitted(text(), 'Opaque version of the object for optimistic concurrency and watches.'),
    generation: omitted(int64(), 'Counts the changes of the desired state.'),
    creationTimestamp: omitted(
      time().nullable(),
      'CreationTimestamp is a timestamp of when the object was created; set by the server.',
    ),
    deletionTimestamp: pointer(time(), 'When the object will be or was asked to be deleted; set by the server.'),
    deletionGracePeriodSeconds: pointer(int64(), 'Seconds that the object has to end gracefully.'),
    labels: omitted(mapOf(text()), 'Keys and values by which objects are selected.'),
    annotations: omitted(mapOf(text()), 'Keys and values that tools attach to the object.'),
    ownerReferences: omitted(mapList(ownerReferenceSchema, ['uid']), 'Objects that this one depends on.'),
    finalizers: omitted(setList(text()), 'Names that must be removed before the object goes away.', {
      patchStrategy: ['merge'],
    }),
    managedFields: omitted(atomicList(managedFieldsEntrySchema), 'Who set which fields.'),
  },
);

/** An API object: apiVersion, kind and metadata, and the fields of its own. */
export function kindSchema<S extends z.ZodRawShape>(definition: string, description: string, shape: S) {
  return struct(
    { definition, description },
    {
      apiVersion: note(text(), { zero: 'omit', description: 'Group and version of the representation.' }),
      kind: note(text(), { zero: 'omit', description: 'Kind of the object.' }),
      metadata: filled(objectMetaSchema as unknown as z.ZodType<ObjectMeta>, 'Metadata of the object.'),
      ...shape,
    },
  );
}

/** A label selector. */
export const labelSelectorSchema = struct(
  {
    definition: `${META}.LabelSelector`,
    mapType: 'atomic',
    description:
      'Selects objects by their labels; all requirements must hold, and an empty selector matches everything.',
  },
  {
    matchLabels: omitted(mapOf(text()), 'Labels that an object must have.'),
    matchExpressions: omitted(
      atomicList(
        struct(
          { definition: `${META}.LabelSelectorRequirement`, description: 'One requirement on a label.' },
          {
            key: required(text(), 'Label key.'),
            operator: required(text(), 'In, NotIn, Exists or DoesNotExist.', { goType: 'v1.LabelSelectorOperator' }),
            values: omitted(atomicList(text()), 'Values of In and NotIn; empty for the other operators.'),
          },
        ),
      ),
      'Requirements on labels.',
    ),
  },
);

/** A condition in a status. */
export const conditionSchema = struct(
  { definition: `${META}.Condition`, description: 'One aspect of the current state.' },
  {
    type: required(text(), 'CamelCase, or foo.example.com/CamelCase.'),
    status: required(text(), 'True, False or Unknown.', { goType: 'v1.ConditionStatus' }),
    observedGeneration: omitted(int64(), 'Generation that the condition was set from.'),
    lastTransitionTime: required(time().nullable(), 'When the status last changed.'),
    reason: required(text(), 'CamelCase identifier of the cause of the last change.'),
    message: required(text(), 'Explanation for people; may be empty.'),
  },
);

/** Reference to another resource in the same namespace. */
export const typedLocalObjectReferenceSchema = struct(
  {
    definition: 'io.k8s.api.core.v1.TypedLocalObjectReference',
    mapType: 'atomic',
    description: 'Refers to another object in the same namespace.',
  },
  {
    apiGroup: pointer(text().nullable(), 'API group of the object; null for the core group.'),
    kind: required(text(), 'Kind of the object.'),
    name: required(text(), 'Name of the object.'),
  },
);
