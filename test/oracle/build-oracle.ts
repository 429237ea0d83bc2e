import { buildGoProgram } from '../cluster/build-control-plane.ts';

/** The executable of the oracle, which answers what Kubernetes' own engine makes of an expression. Throws when Go is missing or the build fails. */
export function buildOracle(): Promise<string> {
  return buildGoProgram('cel-oracle', new URL('oracle.go', import.meta.url));
}

/** The executable of the oracle of flow control, as `buildOracle`. */
export function buildFlowOracle(): Promise<string> {
  return buildGoProgram('flow-oracle', new URL('flow-control.go', import.meta.url));
}
