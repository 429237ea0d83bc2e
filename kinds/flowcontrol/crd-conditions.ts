import type { CrdFields } from '../crd-notes.ts';

/** Fields of the conditions of the flow-control kinds at `path`. */
export function flowConditionFields(path: string): CrdFields {
  return { [`${path}[]`]: { required: ['type'] }, [`${path}[].type`]: { minLength: 1 } };
}
