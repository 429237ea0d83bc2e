import { spawn } from 'node:child_process';
import { dirname } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import type { KubeObject } from '../core/meta/kube-object.ts';
import { projectRoot } from '../tools/run-command.ts';
import { buildKubernetesProgram } from './cluster/build-control-plane.ts';
import { buildHelm } from './cluster/build-node-program.ts';
import { describeNode } from './cluster/describe-node.ts';
import type { NodeCluster } from './cluster/node-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { listReadyPods, makePod, runPod, startReleaseCluster, waitUntilReady } from './host/release-cluster.ts';
import { readShellBlocks } from './host/run-shell-blocks.ts';

const namespace = 'bailiwick';
const registrations = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'];

// What a person reads in docs/operations.md is what runs here, in the order of the page.
describeNode(
  'a release, from its install to its end',
  () => {
    const pages = readShellBlocks('docs/operations.md');
    let cluster: NodeCluster;
    let path: string;

    beforeAll(async () => {
      path = [await buildHelm(), await buildKubernetesProgram('kubectl')].map((file) => dirname(file)).join(':');
      cluster = await startReleaseCluster();
    });
    afterAll(() => cluster?.stop());

    /** Runs commands as a person in a clone does, in bash; throws with all output when one fails. */
    function runCommands(commands: string): Promise<string> {
      return new Promise((resolve, reject) => {
        const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
          cwd: projectRoot,
          env: {
            ...process.env,
            ...{ PATH: `${path}:${dirname(process.execPath)}:${process.env['PATH']}`, HOME: cluster.folder },
            KUBECONFIG: cluster.kubeconfig,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        let output = '';
        for (const stream of [child.stdout, child.stderr]) {
          stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
        }
        child.on('error', reject);
        child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${commands}\n${output}`))));
      });
    }

    /** Runs one block of the page. */
    function followPage(heading: string, index = 0): Promise<string> {
      const block = pages.get(heading)?.[index];
      if (block === undefined) throw new Error(`docs/operations.md has no block ${index} under ${heading}`);
      return runCommands(block);
    }

    async function post(where: string, body: KubeObject, query = ''): Promise<{ status: number; body: KubeObject }> {
      return cluster.request('POST', `${where}${query}`, { body });
    }

    const podsOfTeam = '/api/v1/namespaces/team-a/pods';

    /** Resolves when a pod above the limit range of the examples is refused. */
    async function waitUntilEnforced(): Promise<void> {
      await waitUntil('the limit range to be in force', async () => {
        return (await post(podsOfTeam, makePod('big', '3'), '?dryRun=All')).status === 403;
      });
    }

    async function listRegistrations(): Promise<string[]> {
      const lists = registrations.map((name) =>
        cluster.request('GET', `/apis/admissionregistration.k8s.io/v1/${name}`),
      );
      return (await Promise.all(lists)).flatMap(({ body }) =>
        (body.items as KubeObject[]).map(({ metadata }) => metadata.name!),
      );
    }

    it('helm install reaches ready pods', async () => {
      await followPage('Install', 0);
      expect(await listReadyPods(cluster, namespace, 'operator')).toHaveLength(2);
      expect(await listReadyPods(cluster, namespace, 'webhooks')).toHaveLength(2);
      await runPod(cluster, 'default', 'after-install');
    });

    it('registers nothing while nothing needs it', async () => {
      expect(await listRegistrations()).toEqual([]);
    });

    it('kubectl apply -f examples/ works through the host, and is enforced', async () => {
      expect(await followPage('Install', 2)).toContain('team-a');
      await waitUntilEnforced();
      const refused = await post(podsOfTeam, makePod('big', '3'));
      expect(refused).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining('maximum cpu usage per Container is 2, but limit is 3') as string },
      });
      const plain = await post(podsOfTeam, makePod('plain'), '?dryRun=All');
      expect(plain.body).toMatchObject({
        spec: { containers: [{ resources: { limits: { cpu: '500m', memory: '256Mi' } } }] },
      });
      await runPod(cluster, 'team-a', 'after-examples');
    });

    it('is counted in the status of the quota', async () => {
      await waitUntil('the count', async () => {
        const quota = '/apis/core.bailiwick.dev/v1/namespaces/team-a/resourcequotas/compute';
        const { body } = await cluster.request('GET', quota);
        return body.status?.used?.['count/deployments.apps'] === '1';
      });
    });

    it('helm test passes', async () => {
      expect(await followPage('Install', 1)).toMatch(/Phase:\s+Succeeded/);
      await runPod(cluster, 'team-a', 'after-test');
    });

    it('helm upgrade replaces the replicas, and goes on enforcing', async () => {
      const before = await listReadyPods(cluster, namespace, 'webhooks');
      await runCommands((pages.get('Upgrade')?.[0] ?? '').replace('--wait', '--set logLevel=debug --wait'));
      await waitUntilReady(cluster, namespace);
      expect(await listReadyPods(cluster, namespace, 'webhooks')).not.toEqual(expect.arrayContaining(before));
      expect((await post(podsOfTeam, makePod('big', '3'), '?dryRun=All')).status).toBe(403);
      await runPod(cluster, 'team-a', 'after-upgrade');
    });

    it('helm rollback goes back, and goes on enforcing', async () => {
      await followPage('Upgrade', 1);
      await waitUntilReady(cluster, namespace);
      expect((await post(podsOfTeam, makePod('big', '3'), '?dryRun=All')).status).toBe(403);
      await runPod(cluster, 'team-a', 'after-rollback');
    });

    it('refuses another domain, and a second release of one domain', async () => {
      const change = 'helm upgrade bailiwick charts/bailiwick --namespace bailiwick --set domain=other.example';
      await expect(runCommands(change)).rejects.toThrow('was installed with the domain bailiwick.dev');
      const second = 'helm install second charts/bailiwick --namespace second --create-namespace';
      await expect(runCommands(second)).rejects.toThrow('served by the release bailiwick in the namespace bailiwick');
    });

    it('the glass can be broken by one command, and mended', async () => {
      const patch = (to: string): Promise<string> =>
        runCommands(
          `kubectl patch configmap bailiwick-settings -n bailiwick --type merge -p '{"data":{"enforcement":"${to}"}}'`,
        );
      await patch('Off');
      await waitUntil('the registrations to go', async () => (await listRegistrations()).length === 0);
      expect((await post(podsOfTeam, makePod('big', '3'), '?dryRun=All')).status).toBe(201);
      await patch('Enforce');
      await waitUntilEnforced();
    });

    it('helm uninstall leaves a host that admits pods, and the objects', async () => {
      await followPage('Uninstall', 0);
      expect(await listRegistrations()).toEqual([]);
      const services = await cluster.request(
        'GET',
        '/apis/apiregistration.k8s.io/v1/apiservices/v1.review.bailiwick.dev',
      );
      expect(services.status).toBe(404);
      await runPod(cluster, 'team-a', 'after-uninstall');
      const quota = '/apis/core.bailiwick.dev/v1/namespaces/team-a/resourcequotas/compute';
      expect((await cluster.request('GET', quota)).status).toBe(200);
      for (const kind of ['secrets', 'leases.coordination.k8s.io', 'pods', 'serviceaccounts']) {
        const left = await runCommands(`kubectl get ${kind} -n bailiwick -o name`);
        expect(left.split('\n').filter((line) => line.includes('bailiwick-'))).toEqual([]);
      }
    });

    it('is installed again under another name, over what the last one left', async () => {
      const [install = '', uninstall = ''] = (pages.get('Uninstall')?.[1] ?? '').split('\n');
      await runCommands(install);
      await waitUntilEnforced();
      await runPod(cluster, 'team-a', 'after-reinstall');
      await runCommands('helm upgrade again charts/bailiwick --namespace bailiwick --wait');
      const manifest = await runCommands('helm get manifest again --namespace bailiwick');
      expect(manifest).toContain('name: resourcequotas.core.bailiwick.dev');
      await runCommands(uninstall);
      await runPod(cluster, 'team-a', 'after-second-uninstall');
    });

    it('leaves nothing behind when the definitions are removed', async () => {
      await followPage('Uninstall', 2);
      const left = await runCommands('kubectl get crds -o name');
      expect(left).not.toContain('bailiwick.dev');
      const roles = await runCommands('kubectl get clusterroles,clusterrolebindings -o name');
      expect(roles).not.toContain('bailiwick');
      await runPod(cluster, 'team-a', 'at-the-end');
    });
  },
  { images: true },
);
