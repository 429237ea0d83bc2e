import type { Claim } from './claim.ts';

/** Of rows about the node agent: its fields and endpoints. */
export const nodeAgentClaims: readonly Claim[] = [
  { rows: /^Resources and their fields\/Node status reported by the node agent#\d+$/ },
  { rows: /^Resources and their fields\/Node agent local files and sockets#(1|2|8|16|17|18|19|20|21)$/ },
  {
    rows: /^Resources and their fields\/Node agent local files and sockets#3$/,
    tests: /test\/agent-certificates\.test\.ts/,
  },
  {
    rows: /^Resources and their fields\/Node agent local files and sockets#\d+$/,
    part: 'the node agent, as it runs pods',
  },
  { rows: /^Endpoints\/Node agent checkpoint operation#1$/, part: 'a placeholder' },
  { rows: /^Endpoints\/Node agent checkpoint operation#7$/, part: 'a heading' },
  { rows: /^Endpoints\/Node agent checkpoint operation#\d+$/ },
];
