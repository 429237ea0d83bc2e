import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { type Cluster, startCluster } from './cluster/start-cluster.ts';
import { type ApiClient, connectApi } from './host/connect-api.ts';
import { actAsOperator } from './node-lifecycle/act-as-operator.ts';
import type { NodeTarget } from './node-lifecycle/node-target.ts';
import { playNodes, type Transcript } from './node-lifecycle/node-scenarios.ts';
import { type Service, startService } from './service/start-service.ts';

const settings = [
  ...['--node-monitor-period=500ms', '--node-monitor-grace-period=8s', '--node-startup-grace-period=8s'],
  '--node-eviction-rate=5',
];
/** A control plane each is much for a small machine; these take other ways through what the others show. */
const isSoak = process.env['BAILIWICK_SOAK'] === '1';
/** Nobody makes accounts for pods here. */
const apiServerFlags = ['--disable-admission-plugins=ServiceAccount'];

function reachService(service: Service, prefix: string): NodeTarget {
  return {
    prefix,
    async send(method, path, body, contentType) {
      const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
      const answer = await service.request(method, path, { headers, ...(body === undefined ? {} : { body }) });
      return { status: answer.status, body: answer.json };
    },
  };
}

function reachApi(client: ApiClient, prefix: string): NodeTarget {
  return {
    prefix,
    async send(method, path, body, contentType) {
      const answer = await client.request(method, path, {
        ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
        ...(body === undefined ? {} : { body: body as object }),
      });
      return { status: answer.status, body: answer.json };
    },
  };
}

describeCluster('nodes that are watched', () => {
  const ends: (() => Promise<unknown>)[] = [];
  let kubernetes: Promise<Transcript>;

  function reachCluster({ url, ca, token }: Cluster, prefix: string): NodeTarget {
    const client = connectApi({ url, ca, token });
    ends.push(async () => client.close());
    return reachApi(client, prefix);
  }

  beforeAll(async () => {
    const cluster = await startCluster({
      ...{ apiServerFlags, controllerManager: true },
      controllerManagerFlags: ['--controllers=node-lifecycle-controller,taint-eviction-controller', ...settings],
    });
    ends.push(() => cluster.stop());
    kubernetes = playNodes(reachCluster(cluster, 'node.kubernetes.io'));
    kubernetes.catch(() => undefined);
  });
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  it.concurrent.for([
    ['k8s.io', 'node.kubernetes.io'],
    ...(isSoak ? [['acme.example', 'node.acme.example'] as const] : []),
  ] as const)(
    "fare as with Kubernetes' own controllers, under the domain %s",
    { timeout: 600_000 },
    async ([domain, prefix]) => {
      const service = await startService({ domain, flags: settings });
      ends.push(() => service.stop());
      const ours = await playNodes(reachService(service, prefix));
      expect(ours).toEqual(await kubernetes);
    },
  );

  it.concurrent.for([
    ['acme.example', [], 'node.acme.example'],
    ...(isSoak ? [['other.example', ['--node-taint-prefix=node.kubernetes.io'], 'node.kubernetes.io'] as const] : []),
  ] as const)(
    'fare so on a host that leaves them to the operator of the domain %s',
    { timeout: 600_000 },
    async ([domain, flags, prefix]) => {
      const cluster = await startCluster({ apiServerFlags });
      ends.push(() => cluster.stop());
      const kubeconfig = await actAsOperator(cluster, domain);
      const release = ['--namespace=bailiwick-system', '--release=test', '--node-lifecycle=on'];
      const onHost = ['--store=crds', `--kubeconfig=${kubeconfig}`, ...release];
      const service = await startService({ domain, flags: [...onHost, ...flags, ...settings] });
      ends.push(() => service.stop());
      const ours = await playNodes(reachCluster(cluster, prefix));
      expect(ours).toEqual(await kubernetes);
    },
  );
});
