import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import { checkDns1123Subdomain } from '../../../core/validation/names.ts';
import type { EvictionReview } from './schema.ts';

/** Faults of a review's spec ("EvictionReview"): it names a pod or a node, and not both. */
export function validateEvictionReview({ spec }: EvictionReview): FieldError[] {
  const path = FieldPath.root('spec');
  const { pod = '', node = '' } = spec;
  if (pod === '' && node === '') return [makeRequired(path, 'must name a pod or a node')];
  if (pod !== '' && node !== '') return [makeForbidden(path.child('node'), 'may not be specified when `pod` is')];
  const [name, field] = pod === '' ? [node, 'node'] : [pod, 'pod'];
  return checkDns1123Subdomain(name).map((fault) => makeInvalid(path.child(field), name, fault));
}
