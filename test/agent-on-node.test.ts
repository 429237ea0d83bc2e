import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { readBlocks } from '../tools/docs/read-console-steps.ts';
import { readTables } from '../tools/docs/read-tables.ts';
import { projectRoot } from '../tools/run-command.ts';
import { askAgent, type AgentAccess, type AgentAnswer } from './agent/ask-agent.ts';
import { buildKubernetesProgram } from './cluster/build-control-plane.ts';
import { buildHelm } from './cluster/build-node-program.ts';
import type { ClusterAnswer } from './cluster/cluster-request.ts';
import { describeNode } from './cluster/describe-node.ts';
import type { NodeCluster } from './cluster/node-cluster.ts';
import { workloadReference } from './cluster/small-images.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { listRefusals, listUnusedRights, readAuditLog, type RoleObject } from './host/audit-rights.ts';
import { startReleaseCluster } from './host/release-cluster.ts';
import { runCommands } from './host/run-commands.ts';
import { readShellBlocks } from './host/run-shell-blocks.ts';

const namespace = 'bailiwick';
const group = '/apis/node.bailiwick.dev/v1';
const archives = '/var/lib/bailiwick-agent/checkpoints';
const secretText = 'what-only-memory-knows';

interface PodObject {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

interface Checkpoint {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly podName: string; readonly containerName: string; readonly nodeName: string };
  readonly status: { readonly archive: string; readonly sizeBytes: number };
}

// What a person reads in docs/operations.md under "Checkpoints" is what runs here.
describeNode(
  'agents of a release, on the node of a kubelet',
  () => {
    const blocks = readShellBlocks('docs/operations.md').get('Checkpoints') ?? [];
    let cluster: NodeCluster;
    let folder: string;
    let path: string;
    /** Tokens of accounts in `team-a`, by what they may do there. */
    const tokens = { administrator: '', viewer: '', nobody: '', node: '' };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'bailiwick-agent-'));
      path = [await buildHelm(), await buildKubernetesProgram('kubectl')].map((file) => dirname(file)).join(':');
      await symlink(join(projectRoot, 'charts'), join(folder, 'charts'));
      cluster = await startReleaseCluster({ auditFolder: folder });
      // How full the disk of the tests is must not matter.
      const settings = '--set agent.config.checkpoints.minimumFreeBytes=1Gi';
      await run(`helm install bailiwick charts/bailiwick --namespace bailiwick --create-namespace --wait ${settings}`);
      await run('kubectl create namespace team-a; kubectl create namespace team-b');
      for (const name of Object.keys(tokens) as (keyof typeof tokens)[]) {
        await run(`kubectl create serviceaccount ${name} -n team-a`);
        tokens[name] = (await run(`kubectl create token ${name} -n team-a --duration 3h`)).trim();
      }
      await run(`
        kubectl create rolebinding administrator -n team-a --clusterrole=admin --serviceaccount=team-a:administrator
        kubectl create rolebinding viewer -n team-a --clusterrole=view --serviceaccount=team-a:viewer
        kubectl create clusterrole checkpoint-nodes --verb=create --resource=nodes/checkpoint
        kubectl create clusterrolebinding checkpoint-nodes --clusterrole=checkpoint-nodes --serviceaccount=team-a:node
      `);
      await startWorkload('counter', 16);
      await startWorkload('large', 600);
    });
    afterAll(async () => {
      await cluster?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const run = (commands: string): Promise<string> => runCommands(commands, { folder, path, cluster });

    /** Runs one block of the page. */
    function followPage(index: number): Promise<string> {
      const block = blocks[index];
      if (block === undefined) throw new Error(`docs/operations.md has no block ${index} under Checkpoints`);
      return run(block);
    }

    /** A pod of the kubelet's whose only container counts; resolves when it does. */
    async function startWorkload(name: string, mebibytes: number): Promise<void> {
      const container = { name: 'main', image: workloadReference, args: [String(mebibytes), secretText] };
      await cluster.request('POST', '/api/v1/namespaces/team-a/pods', {
        body: { metadata: { name }, spec: { terminationGracePeriodSeconds: 0, containers: [container] } },
      });
      await waitUntil(`${name} to count`, async () => (await readCount(name).catch(() => 0)) > 0);
    }

    /** How far a pod has counted. */
    async function readCount(name: string): Promise<number> {
      const lines = await cluster.kubectl(['logs', '-n', 'team-a', name, '--tail', '1']);
      return Number(/^count (\d+)$/m.exec(lines)?.[1] ?? 0);
    }

    async function expectToGoOn(name: string, since: number): Promise<void> {
      await waitUntil(`${name} to go on counting`, async () => (await readCount(name)) > since);
      const { body } = await cluster.request('GET', `/api/v1/namespaces/team-a/pods/${name}`);
      expect(body.status.containerStatuses[0].restartCount).toBe(0);
    }

    async function findAgentPod(): Promise<PodObject | undefined> {
      const selector = encodeURIComponent('app.kubernetes.io/component=agent');
      const { body } = await cluster.request('GET', `/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`);
      return (body.items as PodObject[]).find(
        ({ metadata, status }) =>
          metadata.deletionTimestamp === undefined &&
          status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true,
      );
    }

    /** Name of the agent's pod when it is ready, and another one than `before`. */
    async function waitForAgent(before?: string): Promise<string> {
      let name = '';
      await waitUntil('a ready agent', async () => {
        name = (await findAgentPod())?.metadata.name ?? '';
        return name !== '' && name !== before;
      });
      return name;
    }

    async function readAccess(token: string): Promise<AgentAccess> {
      const secret = await cluster.request('GET', `/api/v1/namespaces/${namespace}/secrets/bailiwick-agents-authority`);
      const data = Object.entries((secret.body.data ?? {}) as Record<string, string>);
      const certificates = data.filter(([key]) => /^authority-\d+\.crt$/.test(key));
      const authority = certificates.map(([, text]) => Buffer.from(text, 'base64').toString()).join('\n');
      const address = (await findAgentPod())?.status?.podIP ?? '';
      return { address, nodeName: cluster.nodeName, authority, token };
    }

    /** Asks the agent's own port; its certificate must be one of the release's authority. */
    async function ask(
      method: string,
      where: string,
      token = tokens.node,
      onText?: (text: string) => void,
    ): Promise<AgentAnswer> {
      return askAgent(await readAccess(token), method, where, onText);
    }

    function callAs(token: string, method: string, where: string, body?: unknown): Promise<ClusterAnswer> {
      const headers = { authorization: `Bearer ${token}`, accept: '*/*' };
      return cluster.request(method, where, body === undefined ? { headers } : { headers, body });
    }

    const checkpointsOf = (where: string): string => `${group}/namespaces/${where}/checkpoints`;

    it('are there where values ask for them, and tell by their Leases where they listen', async () => {
      expect(await findAgentPod()).toBeUndefined();
      expect(await followPage(0)).toContain('successfully rolled out');
      await waitForAgent();
      const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/bailiwick-agent-${cluster.nodeName}`;
      await waitUntil('the Lease', async () => (await cluster.request('GET', lease)).status === 200);
      const { body } = await cluster.request('GET', lease);
      const { address } = await readAccess('');
      expect(body.metadata.annotations['node.bailiwick.dev/agent-endpoint']).toBe(`https://${address}:10350`);
      const renewed = body.spec.renewTime as string;
      await waitUntil('the Lease to be renewed', async () => {
        return (await cluster.request('GET', lease)).body.spec.renewTime > renewed;
      });
    });

    it('are root without anything of its powers, on what they cannot change, with their code compiled', async () => {
      const program = `
        const { readFileSync, readdirSync, writeFileSync } = require("node:fs");
        const status = readFileSync("/proc/1/status", "utf8");
        const read = (name) => new RegExp("^" + name + ":\\\\s*(\\\\S+)", "m").exec(status)[1];
        let refused;
        try { writeFileSync("/app/probe", ""); } catch ({ code }) { refused = code; }
        const folder = process.env.NODE_COMPILE_CACHE;
        const own = readdirSync(folder).filter((name) => name.endsWith("-0"));
        const compiled = readdirSync(folder + "/" + own[0]).length;
        console.log(JSON.stringify({ uid: process.getuid(), refused, compiled: compiled > 50,
          ...Object.fromEntries(["CapEff", "CapPrm", "CapBnd", "NoNewPrivs", "Seccomp"].map((name) => [name, read(name)])) }));
      `;
      const words = ['exec', '-n', namespace, 'daemonset/bailiwick-agent', '--', 'node', '--eval', program];
      expect(JSON.parse(await cluster.kubectl(words))).toEqual({
        ...{ uid: 0, refused: 'EROFS', compiled: true, NoNewPrivs: '1', Seccomp: '2' },
        ...{ CapEff: '0000000000000000', CapPrm: '0000000000000000', CapBnd: '0000000000000000' },
      });
    });

    it('serve a certificate that the operator issued, for their node', async () => {
      await waitUntil('the certificate', () =>
        ask('GET', '/healthz').then(
          () => true,
          () => false,
        ),
      );
      const { body } = await cluster.request('GET', '/apis/certificates.k8s.io/v1/certificatesigningrequests');
      expect(body.items).toContainEqual(
        expect.objectContaining({
          spec: expect.objectContaining({
            signerName: 'node.bailiwick.dev/agent-serving',
            username: `system:serviceaccount:${namespace}:bailiwick-agent`,
          }) as unknown,
        }),
      );
    });

    it('take a checkpoint of a container at their own URL, and the container goes on', async () => {
      const count = await readCount('counter');
      const answer = await ask('POST', '/checkpoint/team-a/counter/main');
      expect(answer).toMatchObject({ status: 200, body: expect.stringContaining('"items":["') as unknown });
      const [file = ''] = (JSON.parse(answer.body) as { items: string[] }).items;
      expect(file).toMatch(new RegExp(`^${archives}/checkpoint-counter_team-a-main-\\d{4}-.*Z\\.tar$`));
      expect(await cluster.runOnNode('stat', ['-c', '%a %U %G', file])).toBe('600 root root\n');
      expect(await cluster.runOnNode('tar', ['-tf', file])).toMatch(/checkpoint\/pages-\d+\.img/);
      // What the container has in its memory and nowhere else.
      await cluster.runOnNode('sh', ['-c', `tar -xOf '${file}' | grep -aqF "$(echo ${secretText} | rev)"`]);
      await expectToGoOn('counter', count);
    });

    it.for([
      ['an unknown pod', '/checkpoint/team-a/nobody/main'],
      ['an unknown container', '/checkpoint/team-a/counter/side'],
      ['an unknown namespace', '/checkpoint/nowhere/counter/main'],
      ['a timeout that is no number', '/checkpoint/team-a/counter/main?timeout=soon'],
    ] as const)('answer %s as the kubelet does', async ([, where]) => {
      const kubelet = `/api/v1/nodes/${cluster.nodeName}/proxy${where}`;
      const { status, body } = await cluster.request('POST', kubelet, { headers: { accept: '*/*' } });
      expect(await ask('POST', where)).toEqual({ status, body });
    });

    it('refuse whoever may not, as the kubelet does', async () => {
      const [refused, unknown] = [
        await ask('POST', '/checkpoint/team-a/counter/main', tokens.administrator),
        await ask('POST', '/checkpoint/team-a/counter/main', 'nobody-knows-this'),
      ];
      expect(refused).toEqual({
        status: 403,
        body: `Forbidden (user=system:serviceaccount:team-a:administrator, verb=create, resource=nodes, subresource(s)=[checkpoint])\n`,
      });
      expect(unknown).toMatchObject({ status: 401, body: expect.stringMatching(/^Unauthorized\s*$/) as unknown });
    });

    it('are reached through the API by whoever administers a namespace', async () => {
      const count = await readCount('counter');
      const where = `${group}/namespaces/team-a/pods/counter/checkpoint`;
      const created = await callAs(tokens.administrator, 'POST', where, {});
      expect(created).toMatchObject({
        status: 201,
        body: {
          ...{ apiVersion: 'node.bailiwick.dev/v1', kind: 'Checkpoint', metadata: { namespace: 'team-a' } },
          spec: { podName: 'counter', containerName: 'main', nodeName: cluster.nodeName },
        },
      });
      await expectToGoOn('counter', count);
      const { name } = (created.body as Checkpoint).metadata;
      const archive = await callAs(tokens.administrator, 'GET', `${checkpointsOf('team-a')}/${name}/archive`);
      expect(archive.status).toBe(200);
      expect(archive.headers['content-length']).toBe(String((created.body as Checkpoint).status.sizeBytes));

      const asViewer = (method: string, path_: string) => callAs(tokens.viewer, method, path_);
      expect((await asViewer('GET', `${checkpointsOf('team-a')}/${name}`)).status).toBe(200);
      expect((await asViewer('GET', `${checkpointsOf('team-a')}/${name}/archive`)).status).toBe(403);
      expect((await asViewer('POST', where)).status).toBe(403);
      expect((await callAs(tokens.nobody, 'GET', checkpointsOf('team-a'))).status).toBe(403);
      expect((await callAs(tokens.administrator, 'GET', checkpointsOf('team-b'))).status).toBe(403);
    });

    it('do what the page says', async () => {
      const output = await followPage(1);
      expect(output).toMatch(/checkpoint\/pages-\d+\.img/);
      expect(output).toMatch(/^counter-main-\S+ +/m);
    });

    it('show what the README shows', async () => {
      const page = readFileSync(join(projectRoot, 'README.md'), 'utf8');
      const shown = readBlocks(page).find(
        ({ language, text }) => language === 'text' && text.includes('counter-main-'),
      );
      const commands = readShellBlocks('README.md').get('On a cluster')?.at(-1) ?? '';
      const normalize = (text: string): string =>
        text
          .replaceAll(/\d{4}-\d\d-\d\d[t ][\d:z-]+/g, 'TIME')
          .replaceAll(/\d+[smhd](?=\s)/g, 'AGE')
          .replaceAll(/\d{4,}|\d+(\.\d+)?[KMG]i/g, 'SIZE')
          .replaceAll(/[ -]+/g, ' ')
          .trim();
      expect(normalize(await run(commands))).toBe(normalize(shown?.text ?? ''));
    });

    it('pass the tests of the release', async () => {
      await run('helm test bailiwick --namespace bailiwick');
      expect(await cluster.podLogs(namespace, 'bailiwick-test')).toContain(
        'ok       every agent says what checkpoints it has',
      );
    });

    it('serve the metrics that the page explains', async () => {
      const pod = await waitForAgent();
      const metrics = `/api/v1/namespaces/${namespace}/pods/${pod}:8080/proxy/metrics`;
      const text = (await cluster.request('GET', metrics, { headers: { accept: '*/*' } })).body as string;
      const served = [...text.matchAll(/^# TYPE (bailiwick_\S+)/gm)].map(([, name]) => name!);
      const page = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8');
      const explained = readTables(page, ['metric of agents', 'labels', 'meaning']).map(([name]) => name!);
      expect(served.sort()).toEqual(explained);
      const resident = Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]);
      expect(resident).toBeLessThan(128 * 1024 * 1024);
    });

    it('find a runtime again that was started anew', async () => {
      await cluster.killProgram('containerd');
      await cluster.startProgram('containerd');
      await waitUntil(
        'a checkpoint',
        async () => (await ask('POST', '/checkpoint/team-a/counter/main')).status === 200,
      );
    });

    /** Names of the checkpoints there are, once the agent tells of them and they are those that are expected. */
    async function waitForNames(isExpected: (names: readonly string[]) => boolean): Promise<string[]> {
      let names: string[] = [];
      let seen = '';
      try {
        await waitUntil('the checkpoints', async () => {
          const { status, body } = await callAs(tokens.viewer, 'GET', checkpointsOf('team-a'));
          seen = `${status} ${JSON.stringify(body)}`;
          if (status !== 200) return false;
          names = (body.items as Checkpoint[]).map(({ metadata }) => metadata.name);
          seen = names.join(', ');
          return isExpected(names);
        });
      } catch (error) {
        throw new Error(`these are not the checkpoints that were expected: ${seen}`, { cause: error });
      }
      return names;
    }

    it('keep what they have over a rolling update', async () => {
      const [before, names] = [await waitForAgent(), await waitForNames(({ length }) => length > 2)];
      expect(await followPage(2)).toContain('successfully rolled out');
      await waitForAgent(before);
      await waitForNames((now) => now.join() === names.join());
      const { body } = await ask('GET', '/configz', cluster.token);
      expect(JSON.parse(body)).toMatchObject({ agentconfig: { checkpoints: { parallel: 4 } } });
    });

    /** Process id of the agent as its node numbers it. */
    async function findAgentProcess(): Promise<string> {
      const script = `for folder in /proc/[0-9]*; do
        if tr '\\0' ' ' < $folder/cmdline | grep -q '/app/[a]gent/main.ts'; then echo \${folder#/proc/}; fi
      done 2> /dev/null`;
      const found = (await cluster.runOnNode('sh', ['-c', script])).trim();
      expect(found).toMatch(/^\d+$/);
      return found;
    }

    it('leave nothing by half where they are killed', async () => {
      const [pod, names, count] = [await waitForAgent(), await waitForNames(() => true), await readCount('large')];
      const processId = await findAgentProcess();
      let killed: Promise<unknown> | undefined;
      const broken = ask('POST', '/checkpoint/team-a/large/main?progress=true', tokens.node, (text) => {
        if (text.includes('Dumping')) killed ??= cluster.runOnNode('kill', ['-KILL', processId]);
      });
      await expect(broken).rejects.toThrow();
      expect(killed).toBeDefined();
      await killed;
      await waitUntil('the agent to be started again', async () => {
        const { body } = await cluster.request('GET', `/api/v1/namespaces/${namespace}/pods/${pod}`);
        const [container] = body.status.containerStatuses as { restartCount: number; ready: boolean }[];
        return container?.restartCount === 1 && container.ready;
      });
      // On a machine that is slow to kill, the archive may have been complete by then, though nobody was told.
      const now = await waitForNames((found) => names.every((name) => found.includes(name)));
      const others = now.filter((name) => !names.includes(name));
      expect(others.length).toBeLessThanOrEqual(1);
      for (const name of others) {
        const { body } = await callAs(tokens.viewer, 'GET', `${checkpointsOf('team-a')}/${name}`);
        const { spec, status } = body as Checkpoint;
        expect(spec.podName).toBe('large');
        expect(await cluster.runOnNode('tar', ['-tf', status.archive])).toMatch(/checkpoint\/pages-\d+\.img/);
      }
      expect(await cluster.runOnNode('find', [`${archives}/.partial`, '-type', 'f'])).toBe('');
      await expectToGoOn('large', count);
      const again = await ask('POST', '/checkpoint/team-a/large/main');
      expect(again.status).toBe(200);
    });

    it('have the rights that they need, and no others', async () => {
      const manifest = await run('helm get manifest bailiwick --namespace bailiwick');
      const roles = parseAllDocuments(manifest)
        .map((document) => document.toJS() as RoleObject)
        .filter(({ kind, metadata }) => kind.endsWith('Role') && metadata.name?.endsWith('bailiwick-agent'));
      expect(roles).toHaveLength(2);
      const requests = await readAuditLog(join(folder, 'audit.log'), namespace);
      expect(listRefusals(requests)).toEqual([]);
      expect(roles.flatMap((role) => listUnusedRights(role, 'bailiwick-agent', requests))).toEqual([]);
    });

    it('leave no archive that others could read, and nothing else, when the release goes', async () => {
      await run('helm uninstall bailiwick --namespace bailiwick --wait');
      const kinds = 'pods,secrets,leases.coordination.k8s.io,configmaps,serviceaccounts,daemonsets';
      await waitUntil('everything of the release to go', async () => {
        return !(await run(`kubectl get ${kinds} -n bailiwick -o name`)).includes('bailiwick-');
      });
      const service = '/apis/apiregistration.k8s.io/v1/apiservices/v1.node.bailiwick.dev';
      expect((await cluster.request('GET', service)).status).toBe(404);
      const files = await cluster.runOnNode('find', [archives, '-type', 'f']);
      expect(files).toContain('/checkpoint-counter_team-a-main-');
      const readable = [dirname(archives), '-mindepth', '1', '-perm', '/077', '!', '-name', '*.crt'];
      expect(await cluster.runOnNode('find', readable)).toBe('');
      const asNobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups', 'ls', archives];
      await expect(cluster.runOnNode('setpriv', asNobody)).rejects.toThrow('Permission denied');
    });
  },
  { images: true, checkpoints: true },
);
