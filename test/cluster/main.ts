// A real control plane for a person, with a real node when asked `--node`: `npm run cluster`, ended with Ctrl-C.
import { parseArgs } from 'node:util';

import { nodeSkipReason } from './node-skip-reason.ts';
import { startCluster } from './start-cluster.ts';
import { startNodeCluster } from './start-node-cluster.ts';

const { values } = parseArgs({ options: { node: { type: 'boolean', default: false } } });
const reason = values.node ? nodeSkipReason() : undefined;
if (reason !== undefined) {
  console.error(reason);
  process.exit(1);
}

console.error('starting a cluster; the first time, building it takes minutes');
const cluster = values.node
  ? await startNodeCluster()
  : await startCluster({ controllerManager: true, scheduler: true });
console.log(`ready: export KUBECONFIG=${cluster.kubeconfig}`);

const lifeline = setInterval(() => undefined, 60_000);
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    console.error('stopping');
    void cluster.stop().then(() => clearInterval(lifeline));
  });
}
