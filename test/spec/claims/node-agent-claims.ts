import type { Claim } from './claim.ts';

/** Of rows about the node agent: its fields and endpoints. */
export const nodeAgentClaims: readonly Claim[] = [
  { rows: /^Resources and their fields\/Node /, part: 'the node agent' },
  { rows: /^Endpoints\/Node agent/, part: 'the node agent' },
];
