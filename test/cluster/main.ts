// A real control plane for a person: `npm run cluster`, ended with Ctrl-C.
import { startCluster } from './start-cluster.ts';

console.error('starting a control plane; the first time, building it takes minutes');
const cluster = await startCluster({ controllerManager: true, scheduler: true });
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
