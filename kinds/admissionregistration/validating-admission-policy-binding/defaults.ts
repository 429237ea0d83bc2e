import { applyMatchResourcesDefaults } from '../match-resources.ts';
import type { ValidatingAdmissionPolicyBinding } from './schema.ts';

/** For matchResources, where present, see applyMatchResourcesDefaults. In place. */
export function applyBindingDefaults({ spec }: ValidatingAdmissionPolicyBinding): void {
  if (spec.matchResources !== undefined) applyMatchResourcesDefaults(spec.matchResources);
}
