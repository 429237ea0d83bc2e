import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeNode } from './describe-node.ts';
import { expectNothingLeft, isAlive } from './expect-nothing-left.ts';
import type { NodeCluster } from './node-cluster.ts';
import { nodeBaseReference } from './node-base-image.ts';
import { busyboxReference } from './small-images.ts';
import { startNodeCluster } from './start-node-cluster.ts';
import { waitForValue, waitUntil } from './wait-until.ts';

const labels = { app: 'web' };

const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: labels },
          },
        ],
        securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            name: 'web',
            image: busyboxReference,
            command: ['sh', '-c', 'cd /web && hostname > index.html && exec httpd -f -p 8080'],
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
            resources: { requests: { cpu: '50m', memory: '16Mi' }, limits: { memory: '64Mi' } },
            volumeMounts: [{ name: 'web', mountPath: '/web' }],
          },
        ],
        volumes: [{ name: 'web', emptyDir: { medium: 'Memory' } }],
      },
    },
  },
};

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
};

/** What a kubelet would set for the whole kernel. */
const kernelSettings = ['vm/overcommit_memory', 'kernel/panic', 'kernel/panic_on_oops'];

async function readyPods(cluster: NodeCluster): Promise<{ name: string; address: string; restarts: number }[]> {
  const answer = await cluster.request('GET', '/api/v1/namespaces/default/pods?labelSelector=app%3Dweb');
  const pods = answer.body.items as {
    metadata: { name: string };
    status: {
      podIP: string;
      conditions: { type: string; status: string }[];
      containerStatuses: { restartCount: number }[];
    };
  }[];
  return pods
    .filter((pod) => pod.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True'))
    .map((pod) => ({
      name: pod.metadata.name,
      address: pod.status.podIP,
      restarts: pod.status.containerStatuses[0]?.restartCount ?? 0,
    }));
}

describeNode('a cluster of the rig with a real node', () => {
  let cluster: NodeCluster;
  const kernelBefore = new Map<string, string>();

  beforeAll(async () => {
    for (const name of kernelSettings) kernelBefore.set(name, await readFile(`/proc/sys/${name}`, 'utf8'));
    cluster = await startNodeCluster({
      disablePlugins: ['ResourceQuota', 'LimitRanger'],
      controllers: ['*', '-resourcequota-controller', '-disruption-controller'],
    });
  });
  afterAll(async () => {
    await cluster.stop();
    await expectNothingLeft({ folder: cluster.folder, traces: () => cluster.listTraces() });
  });

  it('runs the pods of a Deployment as strictly as they ask', async () => {
    await cluster.kubectl(
      ['apply', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [web, service] }),
    );
    await cluster.kubectl(['rollout', 'status', 'deployment/web', '--timeout=240s']);
    const [pod] = await readyPods(cluster);
    const status = await cluster.kubectl(['exec', pod?.name ?? '', '--', 'sh', '-c', 'id -u; cat /proc/self/status']);
    expect(status).toMatch(/^65532$/m);
    expect(status).toMatch(/^CapBnd:\s+0+$/m);
    expect(status).toMatch(/^Seccomp:\s+2$/m);
    expect(await cluster.kubectl(['exec', pod?.name ?? '', '--', 'sh', '-c', 'touch /x 2>&1 || true'])).toContain(
      'Read-only file system',
    );
  });

  it('reaches a Service from the API server and from a pod, and a pod from here', async () => {
    const pods = await readyPods(cluster);
    const names = pods.map((pod) => `${pod.name}\n`);
    // Endpoints follow pods that are ready.
    const proxied = await waitForValue(
      'the Service to have endpoints',
      () => cluster.request('GET', '/api/v1/namespaces/default/services/web:80/proxy/'),
      ({ status }) => status === 200,
    );
    expect(names).toContain(proxied.body);
    const address = (await cluster.kubectl(['get', 'service', 'web', '--output=jsonpath={.spec.clusterIP}'])).trim();
    for (const pod of pods) {
      const words = ['wget', '-qO-', `http://${address}/`, `http://${pods[0]?.address}:8080/`];
      const seen = await cluster.kubectl(['exec', pod.name, '--', ...words]);
      expect(names).toContain(`${seen.split('\n')[0]}\n`);
      expect(seen.endsWith(names[0] ?? '')).toBe(true);
    }
    const direct = await fetch(`http://${pods[0]?.address}:8080/`);
    expect(await direct.text()).toBe(names[0]);
  });

  it('lets a pod reach the API server as itself', async () => {
    const [pod] = await readyPods(cluster);
    const script = `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc $KUBERNETES_SERVICE_HOST $KUBERNETES_SERVICE_PORT`;
    const seen = await cluster.kubectl(['exec', pod?.name ?? '', '--', 'sh', '-c', script]);
    expect(seen).toContain('Client sent an HTTP request to an HTTPS server');
  });

  it('has its host go without what is switched off', async () => {
    const quota = { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } };
    await cluster.request('POST', '/api/v1/namespaces/default/resourcequotas', { body: quota });
    const pod = {
      metadata: { name: 'allowed' },
      spec: { containers: [{ name: 'c', image: busyboxReference, command: ['sleep', '1000'] }] },
    };
    expect((await cluster.request('POST', '/api/v1/namespaces/default/pods', { body: pod })).status).toBe(201);
    await cluster.kubectl(['delete', 'pod/allowed', 'quota/none', '--grace-period=0', '--force']);
  });

  it('calls a webhook by its Service', async () => {
    const resource = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const webhook = {
      name: 'web.example.org',
      clientConfig: { service: { namespace: 'default', name: 'web', port: 80 } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
    };
    await cluster.request('POST', resource, { body: { metadata: { name: 'web' }, webhooks: [webhook] } });
    await waitUntil('the webhook to be called', async () => {
      const body = { metadata: { generateName: 'seen-' } };
      const answer = await cluster.request('POST', '/api/v1/namespaces/default/configmaps', { body });
      return String(answer.body.message).includes('server gave HTTP response to HTTPS client');
    });
    await cluster.request('DELETE', `${resource}/web`);
  });

  it('leaves the settings of the kernel alone', async () => {
    for (const name of kernelSettings) {
      expect(await readFile(`/proc/sys/${name}`, 'utf8')).toBe(kernelBefore.get(name));
    }
    expect(await cluster.runOnNode('cat', ['/proc/sys/kernel/panic'])).toBe('10');
  });

  it('works with Helm', async () => {
    expect(await cluster.helm(['list', '--all-namespaces', '--output=json'])).toBe('[]\n');
  });

  it('goes on when a program is killed and started again', async () => {
    const before = cluster.pids.get('kube-apiserver');
    await cluster.killProgram('kube-apiserver');
    await expect(cluster.request('GET', '/readyz')).rejects.toThrow('ECONNREFUSED');
    await cluster.startProgram('kube-apiserver');
    await cluster.waitUntilServing();
    expect(cluster.pids.get('kube-apiserver')).not.toBe(before);
    // A node that could not report for long is thought to be gone at first.
    await waitForValue(
      'the pods to be ready',
      () => readyPods(cluster),
      (pods) => pods.length === 2,
    );
  });

  it('loses nothing by a power-off, and brings the pods back by itself', async () => {
    const before = await readyPods(cluster);
    const pids = [...cluster.pids].filter(([name]) => name !== 'supervisor').map(([, pid]) => pid);
    await cluster.powerOff();
    expect(pids.filter(isAlive)).toEqual([]);
    await expect(cluster.request('GET', '/readyz')).rejects.toThrow();
    await cluster.powerOn();
    await waitUntil('the pods to come back', async () => {
      const pods = await readyPods(cluster);
      return pods.length === 2 && pods.every((pod) => pod.restarts >= 1);
    });
    expect((await readyPods(cluster)).map((pod) => pod.name)).toEqual(before.map((pod) => pod.name));
    await waitUntil('the Service to have endpoints', async () => {
      return (await cluster.request('GET', '/api/v1/namespaces/default/services/web:80/proxy/')).status === 200;
    });
  });
});

describeNode(
  'an image of the rig',
  () => {
    it('is built from a Dockerfile and runs as the user that it names', async () => {
      const context = await mkdtemp(join(tmpdir(), 'bailiwick-context-'));
      const cluster = await startNodeCluster();
      try {
        await writeFile(join(context, 'main.mjs'), 'console.log(`${process.version} as ${process.getuid()}`);');
        const lines = [
          `FROM ${nodeBaseReference} AS build`,
          'WORKDIR /app',
          'RUN npm --version > /app/npm',
          'COPY main.mjs ./',
          `FROM ${nodeBaseReference}`,
          'COPY --from=build /app /app',
          'USER 65532:65532',
          'ENTRYPOINT ["node", "/app/main.mjs"]',
        ];
        await writeFile(join(context, 'Dockerfile'), lines.join('\n'));
        const reference = 'localhost/rig-test:1';
        await cluster.buildImage({ context, dockerfile: join(context, 'Dockerfile'), reference });
        const pod = {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'once' },
          spec: {
            restartPolicy: 'Never',
            securityContext: { runAsNonRoot: true },
            containers: [{ name: 'c', image: reference, imagePullPolicy: 'Never' }],
          },
        };
        await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(pod));
        await cluster.kubectl(['wait', 'pod/once', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=240s']);
        expect(await cluster.podLogs('default', 'once')).toBe(`${process.version} as 65532\n`);
      } finally {
        await cluster.stop();
        await rm(context, { recursive: true });
      }
    });
  },
  { images: true },
);
