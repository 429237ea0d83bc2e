import type { PrinterColumn } from './kind-definition.ts';

/** A column that is always shown. */
export function column(name: string, type: PrinterColumn['type'], description: string): PrinterColumn {
  return { name, type, description, priority: 0 };
}

/** What a Table says of an object's name, which clients compare with what they know. */
const nameText =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';

/** What a Table says of the moment of an object's creation. */
export const creationText =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

/** The first column of every kind. */
export const nameColumn: PrinterColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: nameText,
  priority: 0,
};

/** Time since the creation. */
export const ageColumn: PrinterColumn = column('Age', 'string', creationText);

/** Moment of the creation, for kinds without columns of their own; clients show it as an age. */
export const createdAtColumn: PrinterColumn = column('Created At', 'date', creationText);
