import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

import type { KubeObject } from '../core/meta/kube-object.ts';
import { readTables } from '../tools/docs/read-tables.ts';
import { projectRoot } from '../tools/run-command.ts';
import { buildKubernetesProgram } from './cluster/build-control-plane.ts';
import { buildHelm } from './cluster/build-node-program.ts';
import { describeNode } from './cluster/describe-node.ts';
import type { NodeCluster } from './cluster/node-cluster.ts';
import { waitForValue, waitUntil } from './cluster/wait-until.ts';
import { listRefusals, listUnusedRights, readAuditLog, type RoleObject } from './host/audit-rights.ts';
import { askOperator } from './host/ask-operator.ts';
import {
  listAddresses,
  listReadyPods,
  makePod,
  runPod,
  startReleaseCluster,
  waitUntilReady,
} from './host/release-cluster.ts';
import { startKeptPods } from './host/start-kept-pods.ts';
import { runCommands } from './host/run-commands.ts';
import { readShellBlocks } from './host/run-shell-blocks.ts';

const namespace = 'bailiwick';
const countedByDefault = [
  ...['pods', 'services', 'persistentvolumeclaims', 'replicationcontrollers', 'configmaps', 'serviceaccounts'],
  ...['deployments', 'replicasets', 'statefulsets', 'daemonsets'].map((name) => `${name}.apps`),
  ...['jobs.batch', 'cronjobs.batch', 'ingresses.networking.k8s.io', 'networkpolicies.networking.k8s.io'],
  'resourceclaims.resource.k8s.io',
  'horizontalpodautoscalers.autoscaling',
];

interface Involved {
  readonly involvedObject: { readonly name: string };
}

interface Configuration extends KubeObject {
  readonly webhooks: readonly { readonly name: string; readonly failurePolicy: string }[];
}

const registrations = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'];

// What a person reads in docs/operations.md is what runs here, in the order of the page.
describeNode(
  'a release, from its install to its end',
  () => {
    const operations = readShellBlocks('docs/operations.md');
    const moving = readShellBlocks('docs/moving.md');
    let cluster: NodeCluster;
    let path: string;
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'bailiwick-lifecycle-'));
      path = [await buildHelm(), await buildKubernetesProgram('kubectl')].map((file) => dirname(file)).join(':');
      for (const name of ['charts', 'examples']) await symlink(join(projectRoot, name), join(folder, name));
      cluster = await startReleaseCluster({ auditFolder: folder });
    });
    afterAll(async () => {
      await cluster?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const run = (commands: string): Promise<string> => runCommands(commands, { folder, path, cluster });

    /** Runs one block of the page. */
    function followPage(heading: string, index = 0): Promise<string> {
      const block = operations.get(heading)?.[index];
      if (block === undefined) throw new Error(`docs/operations.md has no block ${index} under ${heading}`);
      return run(block);
    }

    async function post(where: string, body: object, query = ''): Promise<{ status: number; body: KubeObject }> {
      return cluster.request('POST', `${where}${query}`, { body });
    }

    const podsOfTeam = '/api/v1/namespaces/team-a/pods';

    /** Resolves when a pod above the limit range of the examples is refused. */
    async function waitUntilEnforced(): Promise<void> {
      await waitUntil('the limit range to be in force', async () => {
        return (await post(podsOfTeam, makePod('big', '3'), '?dryRun=All')).status === 403;
      });
    }

    /** Names of the webhooks that are registered, with their failurePolicy. */
    async function listWebhooks(): Promise<string[]> {
      const lists = registrations.map((name) =>
        cluster.request('GET', `/apis/admissionregistration.k8s.io/v1/${name}`),
      );
      const configurations = (await Promise.all(lists)).flatMap(({ body }) => body.items as Configuration[]);
      return configurations.flatMap(({ webhooks }) =>
        webhooks.map(({ name, failurePolicy }) => `${name} ${failurePolicy}`),
      );
    }

    /** Asks for a pod above the limit again and again while `work` is under way; resolves to the different answers. */
    async function askMeanwhile(work: Promise<unknown>): Promise<Set<number>> {
      const answers = new Set<number>();
      const progress = { isDone: false };
      void work.catch(() => undefined).finally(() => (progress.isDone = true));
      while (!progress.isDone) {
        answers.add((await post(podsOfTeam, makePod('big', '3'), '?dryRun=All')).status);
        await pause(20);
      }
      await work;
      return answers;
    }

    it('helm install reaches ready pods', async () => {
      await followPage('Install', 0);
      expect(await listReadyPods(cluster, namespace, 'operator')).toHaveLength(2);
      expect(await listReadyPods(cluster, namespace, 'webhooks')).toHaveLength(2);
      await runPod(cluster, 'default', 'after-install');
    });

    it('runs as nobody, on what it cannot change, with its code compiled', async () => {
      const program = `
        const { readdirSync, writeFileSync } = require("node:fs");
        try { writeFileSync("/app/probe", ""); } catch ({ code }) { process.stdout.write(code + " "); }
        const compiled = readdirSync(process.env.NODE_COMPILE_CACHE, { recursive: true }).length;
        console.log(process.getuid(), compiled > 500);
      `;
      for (const name of ['operator', 'webhooks']) {
        const words = ['exec', '-n', namespace, `deployment/bailiwick-${name}`, '--', 'node', '--eval', program];
        expect(await cluster.kubectl(words)).toBe('EROFS 65532 true\n');
      }
    });

    it('registers nothing that could refuse while nothing needs it', async () => {
      expect((await listWebhooks()).filter((webhook) => webhook.endsWith(' Fail'))).toEqual([]);
    });

    it('helm test passes', async () => {
      expect(await followPage('Install', 1)).toMatch(/Phase:\s+Succeeded/);
      await runPod(cluster, 'default', 'after-test');
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

    it('counts whatever quotas may count, and says of what it cannot', async () => {
      const quotas = '/apis/core.bailiwick.dev/v1/namespaces/team-a/resourcequotas';
      const counts = countedByDefault.map((resource) => [`count/${resource}`, '100']);
      const quota = {
        apiVersion: 'core.bailiwick.dev/v1',
        kind: 'ResourceQuota',
        metadata: { name: 'everything' },
        spec: { hard: Object.fromEntries([...counts, ['count/widgets.example.com', '1']]) },
      };
      const repeated = async (): Promise<number> => {
        const selector = 'fieldSelector=reason=Uncounted,involvedObject.name=everything';
        const events = await cluster.request('GET', `/api/v1/namespaces/team-a/events?${selector}`);
        return events.body.items[0]?.count ?? 0;
      };
      await post(quotas, quota);
      await waitUntil('every count', async () => {
        const used = (await cluster.request('GET', `${quotas}/everything`)).body.status?.used ?? {};
        return countedByDefault.every((resource) => used[`count/${resource}`] !== undefined);
      });
      const first = await waitForValue('the event', repeated, (count) => count > 0);
      await cluster.request('PATCH', `${quotas}/everything`, {
        body: { spec: { hard: { 'count/pods': '101' } } },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      await waitForValue('the event again', repeated, (count) => count > first);
      await cluster.request('DELETE', `${quotas}/everything`);
    });

    it('serves the metrics that the page explains', async () => {
      const served = new Set<string>();
      for (const component of ['operator', 'webhooks'] as const) {
        for (const pod of await listReadyPods(cluster, namespace, component)) {
          const metrics = `/api/v1/namespaces/${namespace}/pods/${pod}:8080/proxy/metrics`;
          const text = (await cluster.request('GET', metrics, { headers: { accept: '*/*' } })).body as string;
          for (const [, name] of text.matchAll(/^# TYPE (bailiwick_\S+)/gm)) served.add(name!);
        }
      }
      const page = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8');
      const explained = readTables(page, ['metric', 'labels', 'meaning']).map(([name]) => name!);
      expect([...served].sort()).toEqual(explained);
    });

    it('answers reviews through the host', async () => {
      await waitUntil('the aggregated group', async () => {
        return (await cluster.request('GET', '/apis/review.bailiwick.dev/v1')).status === 200;
      });
      expect(await followPage('Install', 3)).toMatch(/allowed: false[^]*maximum cpu usage per Container is 2/);
    });

    const flowControl = '/apis/flowcontrol.apiserver.bailiwick.dev/v1';
    const keptKinds = [
      ['flowschemas', 'probes', { matchingPrecedence: 77 }],
      ['prioritylevelconfigurations', 'system', { limited: { nominalConcurrencyShares: 77 } }],
    ] as const;

    it('lets objects of flow control be changed', async () => {
      for (const [plural, name, spec] of keptKinds) {
        const path = `${flowControl}/${plural}`;
        const headers = { 'content-type': 'application/merge-patch+json' };
        const { status, body } = await cluster.request('PATCH', `${path}/${name}`, { body: { spec }, headers });
        expect(status).toBe(200);
        const { annotations } = body.metadata;
        const { apiVersion, kind } = body;
        // As one that an earlier version has suggested.
        const old = { apiVersion, kind, metadata: { name: 'of-old', annotations }, spec: body.spec };
        expect((await post(path, old)).status).toBe(201);
      }
    });

    it('helm upgrade replaces the replicas, and goes on enforcing', async () => {
      const before = await listReadyPods(cluster, namespace, 'webhooks');
      const upgrade = (operations.get('Upgrade')?.[0] ?? '').replace(
        '--wait',
        `--set logLevel=debug --set-string 'operator.extraFlags={--certificate-settle-seconds,1}' --wait`,
      );
      expect(await askMeanwhile(run(upgrade))).toEqual(new Set([403]));
      await waitUntilReady(cluster, namespace);
      expect(await listReadyPods(cluster, namespace, 'webhooks')).not.toEqual(expect.arrayContaining(before));
      expect((await post(podsOfTeam, makePod('big', '3'), '?dryRun=All')).status).toBe(403);
      await runPod(cluster, 'team-a', 'after-upgrade');
    });

    it('keeps the objects of flow control as the new version has them', async () => {
      for (const [plural, name] of keptKinds) {
        const path = `${flowControl}/${plural}`;
        await waitUntil(`${plural} to be kept`, async () => {
          const { body } = await cluster.request('GET', `${path}/${name}`);
          const { status } = await cluster.request('GET', `${path}/of-old`);
          // Made, changed, and changed back.
          return status === 404 && body.metadata.generation === 3;
        });
      }
    });

    it('replaces its certificates when asked to, and no request notices', async () => {
      const secret = `/api/v1/namespaces/${namespace}/secrets/bailiwick-webhooks-tls`;
      const read = async (): Promise<string> => (await cluster.request('GET', secret)).body.data['tls.crt'];
      const before = await read();
      const replaced = followPage('Certificates').then(() =>
        waitUntil('another certificate', async () => (await read()) !== before),
      );
      expect(await askMeanwhile(replaced)).toEqual(new Set([403]));
    });

    it('serves the paths of the specification to those who may read', async () => {
      await run('kubectl create rolebinding readers -n team-a --clusterrole=view --serviceaccount=team-a:default');
      const token = await cluster.request('POST', '/api/v1/namespaces/team-a/serviceaccounts/default/token', {
        body: {},
      });
      const secret = await cluster.request('GET', `/api/v1/namespaces/${namespace}/secrets/bailiwick-operator-tls`);
      const [address = ''] = await listAddresses(cluster, namespace, 'operator');
      const ask = (where: string): Promise<{ status: number; body: string }> =>
        askOperator({
          address,
          path: `/api/v1/namespaces/${where}/resourcequotas`,
          token: token.body.status.token as string,
          authority: Buffer.from(secret.body.data['ca.crt'] as string, 'base64').toString(),
          serverName: `bailiwick-operator.${namespace}.svc`,
        });
      await waitUntil('the right to read', async () => (await ask('team-a')).status === 200);
      const { body } = await ask('team-a');
      expect(JSON.parse(body)).toMatchObject({ apiVersion: 'v1', kind: 'ResourceQuotaList' });
      expect(body).toContain('"name":"compute"');
      expect((await ask('default')).status).toBe(403);
    });

    it('helm rollback goes back, and goes on enforcing', async () => {
      expect(await askMeanwhile(followPage('Upgrade', 1))).toEqual(new Set([403]));
      await waitUntilReady(cluster, namespace);
      expect((await post(podsOfTeam, makePod('big', '3'), '?dryRun=All')).status).toBe(403);
      await runPod(cluster, 'team-a', 'after-rollback');
    });

    it('refuses another domain, and a second release of one domain', async () => {
      const change = 'helm upgrade bailiwick charts/bailiwick --namespace bailiwick --set domain=other.example';
      await expect(run(change)).rejects.toThrow('was installed with the domain bailiwick.dev');
      const second = 'helm install second charts/bailiwick --namespace second --create-namespace';
      await expect(run(second)).rejects.toThrow('served by the release bailiwick in the namespace bailiwick');
    });

    it('the glass can be broken by one command, and mended', async () => {
      const patch = (to: string): Promise<string> =>
        run(
          `kubectl patch configmap bailiwick-settings -n bailiwick --type merge -p '{"data":{"enforcement":"${to}"}}'`,
        );
      await patch('Off');
      await waitUntil('the registrations to go', async () => (await listWebhooks()).length === 0);
      // API servers follow what is registered a little later.
      await waitUntil('nobody to be asked', async () => {
        return (await post(podsOfTeam, makePod('big', '3'), '?dryRun=All')).status === 201;
      });
      await patch('Enforce');
      await waitUntilEnforced();
    });

    it('takes over what the host has, as docs/moving.md says', async () => {
      await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'moved' } } });
      const metadata = { name: 'ours', labels: { team: 'a' } };
      const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: { pods: '1' } } };
      const limits = [{ type: 'Container', max: { cpu: '1' } }];
      const range = { apiVersion: 'v1', kind: 'LimitRange', metadata, spec: { limits } };
      await post('/api/v1/namespaces/moved/resourcequotas', quota);
      await post('/api/v1/namespaces/moved/limitranges', range);
      for (const block of [...moving.values()].flat()) await run(block);

      const core = '/apis/core.bailiwick.dev/v1/namespaces';
      const copied = await cluster.request('GET', `${core}/moved/resourcequotas/ours`);
      expect(copied.body).toMatchObject({ metadata: { labels: { team: 'a' } }, spec: { hard: { pods: '1' } } });
      expect((await cluster.request('GET', `${core}/default/resourcequotas/from-file`)).status).toBe(200);
      expect((await cluster.request('GET', '/api/v1/resourcequotas')).body.items).toEqual([]);
      await waitUntil('the copy to be in force', async () => {
        return (await post('/api/v1/namespaces/moved/pods', makePod('big', '2'), '?dryRun=All')).status === 403;
      });
    });

    it('judges by policies, with their parameters and what the host lets users do', async () => {
      const group = 'admissionregistration.bailiwick.dev';
      const path = `/apis/${group}/v1/validatingadmissionpolicies`;
      const configMaps = '/api/v1/namespaces/judged/configmaps';
      await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'judged' } } });
      await post(configMaps, { metadata: { name: 'params' }, data: { max: '3' } });
      const govern = async (name: string, resource: string, spec: object): Promise<void> => {
        const rule = { apiGroups: [''], apiVersions: ['v1'], resources: [resource], operations: ['CREATE'] };
        const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'judged' } };
        const matchConstraints = { resourceRules: [rule], namespaceSelector };
        const policy = { apiVersion: `${group}/v1`, kind: 'ValidatingAdmissionPolicy', metadata: { name } };
        await post(path, { ...policy, spec: { matchConstraints, ...spec } });
        await post(path.replace(/ies$/, 'ybindings'), {
          ...{ ...policy, kind: 'ValidatingAdmissionPolicyBinding' },
          spec: {
            policyName: name,
            validationActions: ['Deny'],
            paramRef: { name: 'params', namespace: 'judged', parameterNotFoundAction: 'Deny' },
          },
        });
        await waitUntil(`${name} to be in force`, async () => {
          const { body } = await cluster.request('GET', `${path}/${name}`);
          const { conditions = [] } = (body.status ?? {}) as { conditions?: { type: string; status: string }[] };
          return conditions.some(({ type, status }) => type === 'Enforced' && status === 'True');
        });
      };
      const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
      const authorized = "authorizer.group('').resource('pods').namespace('judged').check('create').allowed()";
      await govern('judged', 'configmaps', {
        paramKind,
        validations: [{ expression: `int(object.data.n) <= int(params.data.max) && ${authorized}` }],
      });
      for (const [name, resource] of [
        ['lenient', 'secrets'],
        ['more-lenient', 'services'],
      ] as const) {
        await govern(name, resource, { paramKind, failurePolicy: 'Ignore', validations: [{ expression: 'true' }] });
      }
      expect((await post(configMaps, { metadata: { name: 'many' }, data: { n: '4' } })).status).toBe(422);
      expect((await post(configMaps, { metadata: { name: 'few' }, data: { n: '3' } })).status).toBe(201);
      for (const name of ['judged', 'lenient', 'more-lenient']) await cluster.request('DELETE', `${path}/${name}`);
      // That of the examples stays.
      await waitUntil('nothing to be asked about them', async () =>
        (await listWebhooks()).every((name) => name !== 'validation.policy.admission.bailiwick.dev Ignore'),
      );
    });

    it('keeps within disruption budgets, and tells how a node could be drained', async () => {
      expect(await followPage('Disruption budgets', 0)).toContain('team-a');
      expect(await followPage('Disruption budgets', 1)).toMatch(/allowed: true[^]*action: Evict/);
      const budgets = '/apis/policy.bailiwick.dev/v1/namespaces/kept/poddisruptionbudgets';
      await post('/api/v1/namespaces', { metadata: { name: 'kept' } });
      await startKeptPods(cluster, 'kept');
      const protect = (name: string, spec: object) =>
        post(budgets, {
          ...{ apiVersion: 'policy.bailiwick.dev/v1', kind: 'PodDisruptionBudget', metadata: { name } },
          spec: { selector: { matchLabels: { app: name } }, ...spec },
        });
      await protect('crew', { maxUnavailable: 1 });
      await protect('kept', { minAvailable: 3 });
      await waitUntil('the budgets to be counted and in force', async () => {
        const counted = await Promise.all(['crew', 'kept'].map((name) => cluster.request('GET', `${budgets}/${name}`)));
        const events = await cluster.request('GET', '/api/v1/namespaces/kept/events?fieldSelector=reason=Enforced');
        const names = new Set((events.body.items as Involved[]).map(({ involvedObject }) => involvedObject.name));
        const [crew, kept] = counted.map(({ body }) => body.status);
        return crew?.disruptionsAllowed === 1 && kept?.currentHealthy === 3 && names.has('crew') && names.has('kept');
      });
      const again = { apiVersion: 'policy.bailiwick.dev/v1', kind: 'PodDisruptionBudget', metadata: { name: 'again' } };
      const spec = { minAvailable: 3, selector: { matchLabels: { app: 'kept' } } };
      const manifest = JSON.stringify({ ...again, spec });
      expect(await run(`echo '${manifest}' | kubectl apply --namespace kept -f - 2>&1`)).toContain(
        'Warning: spec.minAvailable is 3, and the controllers of the selected pods want 3 replicas',
      );
      const evict = (name: string) =>
        cluster.request('POST', `/api/v1/namespaces/kept/pods/${name}/eviction`, {
          body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } },
        });
      expect((await evict('crew')).status).toBe(201);
      const refused = await evict('kept-set-0');
      expect(refused).toMatchObject({ status: 429, body: { reason: 'TooManyRequests' } });
      expect(refused.body.details.causes).toHaveLength(2);
      const review = (asked: object) =>
        cluster.request('POST', '/apis/review.bailiwick.dev/v1/namespaces/kept/evictionreviews', {
          body: { apiVersion: 'review.bailiwick.dev/v1', kind: 'EvictionReview', spec: asked },
        });
      expect((await review({ pod: 'kept-set-0' })).body.status).toMatchObject({ allowed: false, matching: 2 });
      await post('/api/v1/nodes', { metadata: { name: 'empty' } });
      expect((await review({ node: 'empty' })).body.status).toMatchObject({ allowed: true, pods: [] });
      await cluster.request('DELETE', '/api/v1/nodes/empty');
      await cluster.request('DELETE', '/api/v1/namespaces/kept');
      await cluster.request('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/crews.example.com');
    });

    it('has the rights that it needs, and no others', async () => {
      const manifest = await run('helm get manifest bailiwick --namespace bailiwick');
      const roles = parseAllDocuments(manifest)
        .map((document) => document.toJS() as RoleObject)
        .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
      const requests = await readAuditLog(join(folder, 'audit.log'), namespace);
      expect(listRefusals(requests)).toEqual([]);
      const unused = ['operator', 'webhooks'].flatMap((program) =>
        roles
          .filter(({ metadata }) => metadata.name?.endsWith(`bailiwick-${program}`))
          .flatMap((role) => listUnusedRights(role, `bailiwick-${program}`, requests))
          .map((right) => `${program}: ${right}`),
      );
      // A budget is read again only to take back a charge when another budget has changed in that very moment.
      expect(unused.filter((right) => right !== 'webhooks: get policy.bailiwick.dev/poddisruptionbudgets')).toEqual([]);
    });

    it('helm uninstall leaves a host that admits pods, and the objects', async () => {
      await followPage('Uninstall', 0);
      expect(await listWebhooks()).toEqual([]);
      const services = await cluster.request(
        'GET',
        '/apis/apiregistration.k8s.io/v1/apiservices/v1.review.bailiwick.dev',
      );
      expect(services.status).toBe(404);
      await runPod(cluster, 'team-a', 'after-uninstall');
      const quota = '/apis/core.bailiwick.dev/v1/namespaces/team-a/resourcequotas/compute';
      expect((await cluster.request('GET', quota)).status).toBe(200);
      const kinds = 'pods,secrets,leases.coordination.k8s.io,configmaps,serviceaccounts,jobs';
      await waitUntil('everything of the release to go', async () => {
        return !(await run(`kubectl get ${kinds} -n bailiwick -o name`)).includes('bailiwick-');
      });
    });

    it('is installed again under another name, over what the last one left', async () => {
      const [install = '', uninstall = ''] = (operations.get('Uninstall')?.[1] ?? '').split('\n');
      await run(install);
      await waitUntilEnforced();
      await runPod(cluster, 'team-a', 'after-reinstall');
      await run('helm upgrade again charts/bailiwick --namespace bailiwick --wait');
      const manifest = await run('helm get manifest again --namespace bailiwick');
      expect(manifest).toContain('name: resourcequotas.core.bailiwick.dev');
      await run(uninstall);
      await runPod(cluster, 'team-a', 'after-second-uninstall');
    });

    it('leaves nothing behind when the definitions are removed', async () => {
      await followPage('Uninstall', 2);
      const left = await run('kubectl get crds -o name');
      expect(left).not.toContain('bailiwick.dev');
      const roles = await run('kubectl get clusterroles,clusterrolebindings -o name');
      expect(roles).not.toContain('bailiwick');
      await runPod(cluster, 'team-a', 'at-the-end');
    });
  },
  { images: true },
);
