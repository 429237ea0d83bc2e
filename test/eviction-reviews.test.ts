import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { buildNodeScene, type NodeScene, sceneAnswer, type SendRequest } from './eviction-reviews/node-scene.ts';
import { bindKubectl, findKubectlSkipReason } from './service/run-kubectl.ts';
import { startService } from './service/start-service.ts';
import type { Service } from './service/start-service.ts';
import { type ReleaseRun, startRelease } from './start-webhooks.ts';

const domain = 'evictions.example';
const apiVersion = `review.${domain}/v1`;
const reviews = `/apis/${apiVersion}/namespaces/team/evictionreviews`;
/** By name, the rules of their role in `team`. */
const people = {
  viewer: [],
  seesPods: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
  stranger: [],
} as const;

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Planned {
  readonly namespace: string;
  readonly name: string;
  readonly action: string;
  readonly round?: number;
  readonly drainOptions?: readonly string[];
}

describe('reviews of evictions', () => {
  let service: Service;
  let folder: string;
  let scene: NodeScene;

  const send: SendRequest = (method, path, body) => service.request(method, path, body === undefined ? {} : { body });
  const ask = (spec: object, person?: keyof typeof people) =>
    service.request('POST', reviews, {
      body: { apiVersion, kind: 'EvictionReview', spec },
      ...(person === undefined ? {} : { token: `${person}-token` }),
    });
  const evict = (name: string, query = '') =>
    send('POST', `/api/v1/namespaces/team/pods/${name}/eviction${query}`, {
      ...{ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } },
      deleteOptions: { gracePeriodSeconds: 0 },
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bailiwick-eviction-reviews-'));
    const tokenFile = join(folder, 'tokens.csv');
    const lines = Object.keys(people).map((name, i) => `${name}-token,${name},${i}\n`);
    await writeFile(tokenFile, lines.join(''));
    service = await startService({ domain, flags: ['--token-auth-file', tokenFile] });
    scene = await buildNodeScene(send, 'policy/v1');
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/team';
    const asks = { apiGroups: [`review.${domain}`], resources: ['evictionreviews'], verbs: ['create'] };
    for (const [name, rules] of Object.entries(people)) {
      const apiGroup = 'rbac.authorization.k8s.io';
      const kind = name === 'viewer' ? 'ClusterRole' : 'Role';
      if (kind === 'Role') await send('POST', `${rbac}/roles`, { metadata: { name }, rules: [asks, ...rules] });
      await send('POST', `${rbac}/rolebindings`, {
        metadata: { name },
        roleRef: { apiGroup, kind, name: kind === 'Role' ? name : 'view' },
        subjects: [{ apiGroup, kind: 'User', name }],
      });
    }
  });
  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('tell of a pod what its eviction hears, and charge nothing', async () => {
    for (const pod of ['web-0', 'db-0', 'only-0', 'tool']) {
      const answer = (await ask({ pod })).json.status;
      const tried = await evict(pod, '?dryRun=All');
      expect(answer.allowed, pod).toBe(tried.status === 201);
      const causes = (tried.json.details?.causes ?? []) as { message: string }[];
      expect(answer.reason, pod).toBe(causes[0]?.message);
    }
    expect((await ask({ pod: 'web-0' })).json.status).toEqual({
      allowed: true,
      enforced: true,
      matching: 1,
      budgets: [
        { name: 'web', allows: true, disruptionsAllowed: 1, currentHealthy: 4, desiredHealthy: 3, expectedPods: 4 },
      ],
    });
  });

  it('say which budget stands in the way, and how many more healthy pods it takes', async () => {
    const message = 'The disruption budget db needs 1 healthy pods and has 1 currently';
    const counts = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 };
    expect((await ask({ pod: 'db-0' })).json.status).toEqual({
      ...{ allowed: false, enforced: true, reason: message, matching: 1, healthyNeeded: 1 },
      budgets: [
        { name: 'db', allows: false, reason: 'Exhausted', message, healthyNeeded: 1, ...counts, expectedPods: 2 },
      ],
    });
    expect((await ask({ pod: 'only-0' })).json.status.budgets[0].never).toBe(
      'the disruption budget only needs 1 healthy pods, and there are to be 1',
    );
  });

  it('plan how a node is drained', async () => {
    expect((await ask({ node: 'one' })).json.status).toEqual(sceneAnswer);
  });

  it('name pods and budgets only to whoever may list them', async () => {
    const viewed = (await ask({ node: 'one' }, 'viewer')).json.status;
    expect(viewed).toEqual({
      ...sceneAnswer,
      pods: sceneAnswer.pods.filter(({ namespace }) => namespace === 'team'),
      unnamed: { evict: 0, wait: 0, never: 0, terminating: 0, ignore: 2 },
    });
    const seen = (await ask({ node: 'one' }, 'seesPods')).json.status;
    expect(seen.pods.map(({ name }: Planned) => name)).toContain('only-0');
    expect(JSON.stringify(seen)).not.toContain('budgets');
    expect(JSON.stringify(seen)).not.toContain('budget only');
    expect((await ask({ pod: 'only-0' }, 'seesPods')).json.status).toEqual({
      ...{ allowed: false, enforced: true, matching: 1, healthyNeeded: 1 },
      reason: 'a disruption budget of the namespace stands in the way',
    });
    expect((await ask({ node: 'one' }, 'stranger')).json.status).toEqual({
      ...{ allowed: false, enforced: true, matching: 3, reason: sceneAnswer.reason, rounds: 4, pods: [] },
      unnamed: { evict: 5, wait: 1, never: 1, terminating: 0, ignore: 2 },
    });
    const refused = await ask({ pod: 'only-0' }, 'stranger');
    expect(refused.status).toBe(403);
    expect(refused.json.message).toBe(
      'pods "only-0" is forbidden: User "stranger" cannot list resource "pods" in API group "" in the namespace "team"',
    );
  });

  it.for([
    ['a pod that is not there', { pod: 'gone' }, 'spec.pod: Not found: "gone"'],
    ['a node that is not there', { node: 'gone' }, 'spec.node: Not found: "gone"'],
    ['nothing', {}, 'spec: Required value: must name a pod or a node'],
    ['two things', { pod: 'tool', node: 'one' }, 'spec.node: Forbidden: may not be specified when `pod` is'],
  ] as const)('refuse %s', async ([, spec, message]) => {
    const { status, json } = await ask(spec);
    expect(status).toBe(422);
    expect(json.message).toBe(`EvictionReview.review.${domain} "" is invalid: ${message}`);
  });

  it('say of a node without pods that nothing is in the way', async () => {
    await send('POST', '/api/v1/nodes', { metadata: { name: 'empty' } });
    expect((await ask({ node: 'empty' })).json.status).toEqual({
      ...{ allowed: true, enforced: true, matching: 0, rounds: 0, pods: [] },
    });
  });

  describe.skipIf(findKubectlSkipReason() !== undefined)('kubectl', () => {
    const run = (words: readonly string[], input?: string) =>
      bindKubectl(service.kubeconfig, join(folder, 'kubectl')).run(words, input);

    it('is told why a drain cannot begin for the pods that the review names', async () => {
      const { stderr } = await run(['drain', 'one', '--dry-run=client']);
      const pods: Planned[] = (await ask({ node: 'one' })).json.status.pods;
      const listed = (option: string): string[] =>
        (new RegExp(String.raw`\(use ${option} to \w+\): ([^;\n\]]*)`).exec(stderr)?.[1] ?? '')
          .split(',')
          .map((name) => name.trim().split(' ')[0] ?? '')
          .filter((name) => name.includes('/'));
      for (const option of ['--ignore-daemonsets', '--delete-emptydir-data', '--force']) {
        // It stops at the first reason that it finds for a pod.
        const named = pods.filter(({ drainOptions = [] }) => drainOptions[0] === option);
        expect(named.length).toBeGreaterThan(0);
        expect(listed(option).toSorted()).toEqual(
          named.map(({ namespace, name }) => `${namespace}/${name}`).toSorted(),
        );
      }
    });

    it('evicts with these options what the review says goes, and nothing else', async () => {
      const pods: Planned[] = (await ask({ node: 'one' })).json.status.pods;
      const options = [...new Set(pods.flatMap(({ drainOptions = [] }) => drainOptions))];
      const { code, stdout } = await run(['drain', 'one', '--dry-run=client', ...options]);
      expect(code).toBe(0);
      const named = [...stdout.matchAll(/^evicting pod (\S+)|^pod\/(\S+) evicted/gm)].map(([, one, two]) => one ?? two);
      const going = pods.filter(({ action }) => action !== 'Ignore');
      expect(named.length, stdout).toBeGreaterThan(0);
      for (const { name } of going) expect(stdout).toContain(name);
      for (const { name } of pods.filter(({ action }) => action === 'Ignore')) {
        expect(named.some((one) => one?.includes(name))).toBe(false);
      }
    });

    it('prints the answer of kubectl create', async () => {
      const review = { apiVersion, kind: 'EvictionReview', metadata: { namespace: 'team' }, spec: { node: 'one' } };
      const columns = 'jsonpath={range .status.pods[*]}{.name} {.action} {.round}{"\\n"}{end}';
      const { code, stdout } = await run(['create', '-f', '-', '-o', columns], JSON.stringify(review));
      expect(code).toBe(0);
      expect(stdout.split('\n')).toContain('web-2 Evict 3');
    });
  });

  it('plan rounds in which every pod does go, and no pod before its own', async () => {
    const plan: Planned[] = (await ask({ node: 'one' })).json.status.pods;
    const rounds = Math.max(...plan.filter(({ action }) => action === 'Evict').map(({ round = 0 }) => round));
    for (let round = 1; round <= rounds; round += 1) {
      const going = plan.filter((one) => one.action === 'Evict' && one.round === round);
      for (const { name } of going) expect((await evict(name)).status, name).toBe(201);
      const later = plan.filter((one) => one.action === 'Never' || one.action === 'Wait' || (one.round ?? 0) > round);
      for (const { name, action } of later.filter(({ action }) => action !== 'Ignore')) {
        expect([name, action, (await evict(name)).status]).toEqual([name, action, 429]);
      }
      const { json } = await send('GET', '/apis/apps/v1/namespaces/team/replicasets/web');
      const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: String(json.metadata.uid) };
      for (const { name } of going.filter((one) => one.name.startsWith('web'))) {
        await scene.addPod(`new-${name}`, { app: 'web', owner, node: 'two' });
      }
      await scene.awaitCounts('web', 1, 4);
    }
    const left: Planned[] = (await ask({ node: 'one' })).json.status.pods;
    expect(left.map(({ name, action }) => [name, action])).toEqual([
      ['db-0', 'Wait'],
      ['only-0', 'Never'],
      ['agent-0', 'Ignore'],
      ['mirror-0', 'Ignore'],
    ]);
  });

  it.for([
    ['one may be missing', { maxUnavailable: 1 }, []],
    ['none may be missing', { maxUnavailable: 0 }, ['spec.maxUnavailable is 0']],
    ['as many must be there as there are to be', { minAvailable: 4 }, ['spec.minAvailable is 4']],
  ] as const)('leave it to a warning to tell of a budget when it is applied: %s', async ([, amount, warnings]) => {
    const budgets = '/apis/policy/v1/namespaces/team/poddisruptionbudgets';
    const spec = { ...amount, selector: { matchLabels: { app: 'web' } } };
    const { status, headers } = await service.request('POST', `${budgets}?dryRun=All`, {
      body: { metadata: { name: 'rehearsed' }, spec },
    });
    expect(status).toBe(201);
    const warned = headers['warning'] ?? '';
    expect(warned === '').toBe(warnings.length === 0);
    for (const text of warnings) expect(warned).toContain(text);
  });
});

describeCluster("reviews of evictions behind a host's aggregator", () => {
  const hostDomain = 'bailiwick.dev';
  const hostVersion = `review.${hostDomain}/v1`;
  const budgets = `/apis/policy.${hostDomain}/v1/namespaces/team/poddisruptionbudgets`;
  let cluster: Cluster;
  let run: ReleaseRun;

  const send: SendRequest = async (method, path, body) => {
    const { status, body: json } = await cluster.request(method, path, body === undefined ? {} : { body });
    return { status, json };
  };
  const ask = async (spec: object, headers: Record<string, string> = {}) => {
    const path = `/apis/${hostVersion}/namespaces/team/evictionreviews`;
    return cluster.request('POST', path, { headers, body: { apiVersion: hostVersion, kind: 'EvictionReview', spec } });
  };

  beforeAll(async () => {
    cluster = await startCluster({ apiServerFlags: ['--disable-admission-plugins=ServiceAccount'] });
    const port = await findFreePort();
    // Under this name the release's own certificate is one for it.
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'bailiwick-system' } });
    await send('POST', '/api/v1/namespaces/bailiwick-system/services', {
      metadata: { name: 'test-operator' },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
    });
    const service = { namespace: 'bailiwick-system', name: 'test-operator', port };
    await send('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: { name: `v1.review.${hostDomain}` },
      spec: {
        ...{ group: `review.${hostDomain}`, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 },
        ...{ insecureSkipTLSVerify: true, service },
      },
    });
    run = await startRelease({ cluster, replicas: 1, operatorFlags: ['--aggregated-port', String(port)] });
    await waitUntil('the aggregator to reach the operator', async () => {
      return (await send('GET', `/apis/${hostVersion}`)).status === 200;
    });
    await buildNodeScene(send, `policy.${hostDomain}/v1`);
  });
  afterAll(async () => {
    await run?.stop();
    await cluster?.stop();
  });

  it('plan how a node is drained', async () => {
    expect((await ask({ node: 'one' })).body.status).toEqual(sceneAnswer);
  });

  it('say of a pod what the webhook says to its eviction', async () => {
    await run.waitForEvent('team', 'only', 'Enforced');
    for (const pod of ['web-0', 'db-0', 'only-0', 'tool']) {
      const { status } = (await ask({ pod })).body;
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod } };
      const tried = await cluster.request('POST', `/api/v1/namespaces/team/pods/${pod}/eviction?dryRun=All`, { body });
      expect([pod, tried.status], JSON.stringify(tried.body)).toEqual([pod, status.allowed === true ? 201 : 429]);
      const causes = (tried.body.details?.causes ?? []) as { message: string }[];
      expect(status.reason, pod).toBe(causes[0]?.message);
    }
  });

  it('are for those who may create them, and name what they may list', async () => {
    const asAnn = () => ask({ node: 'one' }, { 'impersonate-user': 'ann', 'impersonate-group': 'devs' });
    expect((await asAnn()).status).toBe(403);
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/team';
    const grant = async (name: string, rule: object): Promise<void> => {
      await send('POST', `${rbac}/roles`, { metadata: { name }, rules: [rule] });
      await send('POST', `${rbac}/rolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'devs' }],
      });
    };
    await grant('asks', { apiGroups: [`review.${hostDomain}`], resources: ['evictionreviews'], verbs: ['create'] });
    await waitUntil('the role to count', async () => (await asAnn()).status === 201);
    expect((await asAnn()).body.status).toMatchObject({
      pods: [],
      unnamed: { evict: 5, wait: 1, never: 1, ignore: 2 },
    });
    await grant('sees', { apiGroups: [''], resources: ['pods'], verbs: ['list'] });
    await waitUntil('pods to be named', async () => (await asAnn()).body.status.pods.length > 0);
    const { status } = (await asAnn()).body;
    expect(status.unnamed).toEqual({ evict: 0, wait: 0, never: 0, terminating: 0, ignore: 2 });
    expect(JSON.stringify(status)).not.toContain('"budgets"');
  });

  it('leave it to a warning to tell of a budget when it is applied', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bailiwick-warned-'));
    try {
      const kubectl = bindKubectl(cluster.kubeconfig, folder);
      const apply = (name: string, spec: object) => {
        const metadata = { name, namespace: 'team' };
        const budget = { apiVersion: `policy.${hostDomain}/v1`, kind: 'PodDisruptionBudget', metadata, spec };
        return kubectl.run(['apply', '-f', '-'], JSON.stringify(budget));
      };
      const selector = { matchLabels: { app: 'web' } };
      expect((await apply('fine', { minAvailable: 1, selector })).stderr).toBe('');
      expect((await apply('none', { maxUnavailable: 0, selector })).stderr).toContain(
        'Warning: spec.maxUnavailable is 0:',
      );
      expect((await apply('all', { minAvailable: 4, selector })).stderr).toContain(
        'Warning: spec.minAvailable is 4, and the controllers of the selected pods want 4 replicas:',
      );
      await run.waitForEvent('team', 'none', 'ImpossibleBudget');
    } finally {
      for (const name of ['fine', 'none', 'all']) await send('DELETE', `${budgets}/${name}`);
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('say that refusals do not bind when the release only audits', async () => {
    await run.setEnforcement('Audit');
    await waitUntil('the setting to be followed', async () => {
      return (await ask({ pod: 'only-0' })).body.status.enforced === false;
    });
    expect((await ask({ pod: 'only-0' })).body.status).toMatchObject({ allowed: true, enforced: false, matching: 1 });
    const { status } = (await ask({ node: 'one' })).body;
    expect(status).toMatchObject({ allowed: true, enforced: false, rounds: 1 });
  });
});
