import { applyMatchResourcesDefaults } from '../match-resources.ts';
import type { ValidatingAdmissionPolicy } from './schema.ts';

/** failurePolicy is Fail; for matchConstraints see applyMatchResourcesDefaults. In place. */
export function applyPolicyDefaults({ spec }: ValidatingAdmissionPolicy): void {
  spec.failurePolicy ??= 'Fail';
  if (spec.matchConstraints !== undefined) applyMatchResourcesDefaults(spec.matchConstraints);
}
