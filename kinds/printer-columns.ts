import type { PrinterColumn } from './kind-definition.ts';

/** A column that is always shown. */
export function column(name: string, type: PrinterColumn['type'], description: string): PrinterColumn {
  return { name, type, description, priority: 0 };
}

/** The first column of every kind. */
export const nameColumn: PrinterColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object.',
  priority: 0,
};

/** Time since the creation. */
export const ageColumn: PrinterColumn = column('Age', 'string', 'Time since the object was created.');

/** Moment of the creation, for kinds without columns of their own; clients show it as an age. */
export const createdAtColumn: PrinterColumn = column('Created At', 'date', 'When the object was created.');
