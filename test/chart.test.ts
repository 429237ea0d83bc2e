import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import type { KubeObject } from '../core/meta/kube-object.ts';
import { nameApiServices } from '../platform/certificates/certificate-objects.ts';
import { readTables } from '../tools/docs/read-tables.ts';
import { projectRoot } from '../tools/run-command.ts';
import { buildKubernetesProgram } from './cluster/build-control-plane.ts';
import { buildHelm, buildHelmUnittest } from './cluster/build-node-program.ts';
import { runs } from './cluster/cluster-skip-reason.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { runProgram } from './cluster/run-program.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';

const chart = join(projectRoot, 'charts/bailiwick');
const goSkipReason = runs('go', 'version') ? undefined : 'Helm is built with Go, which is missing here';

/** Values by the name of what they switch on. */
const variants: Readonly<Record<string, Record<string, unknown>>> = {
  'the defaults': {},
  'every option': {
    domain: 'policy.example.org',
    enforcement: 'Audit',
    imagePullSecrets: [{ name: 'registry' }],
    commonLabels: { team: 'platform' },
    commonAnnotations: { owner: 'us' },
    operator: { podAnnotations: { a: 'b' }, nodeSelector: { a: 'b' }, tolerations: [{ operator: 'Exists' }] },
    rbac: { countedResources: [{ apiGroups: ['example.com'], resources: ['widgets'] }] },
    certificates: { certManager: { enabled: true } },
    webhooks: { callers: { authority: 'PEM', names: ['kube-apiserver'] } },
    networkPolicy: { enabled: true },
    nodeLifecycle: { enabled: true, taintPrefix: 'node.example.org' },
    agent: { enabled: true, nodeOwners: true, seLinuxOptions: { type: 'spc_t' }, podAnnotations: { a: 'b' } },
    metrics: {
      ...{ serviceMonitor: { enabled: true }, podMonitor: { enabled: true } },
      ...{ rules: { enabled: true }, dashboards: { enabled: true } },
    },
  },
  'agents without reviews': { agent: { enabled: true }, review: { enabled: false } },
  'as little as can be': {
    crds: { install: false },
    rbac: { aggregateToDefaultRoles: false },
    review: { enabled: false },
    podDisruptionBudget: { enabled: false },
  },
  'words that YAML takes for something else': {
    // As YAML reads `Off`.
    enforcement: false,
    domain: '1e5',
    image: { repository: 'on', tag: '1e5' },
    commonLabels: { a: 'true' },
    commonAnnotations: { a: 'a: b', b: '123', c: '~' },
    operator: {
      priorityClassName: 'null',
      podAnnotations: { a: '0x1f' },
      extraFlags: ['a\n  hostNetwork: true', '- x'],
    },
    webhooks: { nodeSelector: { a: 'off' }, callers: { authority: '# x', names: ['no'] } },
    imagePullSecrets: [{ name: 'yes' }],
    networkPolicy: { enabled: true },
    agent: { enabled: true, nodeOwners: true, config: { a: '{{ .Release }}' }, seLinuxOptions: { type: 'y' } },
  },
};

/** Release and namespace of a variant; absent: `b` in `bailiwick`. */
const places: Readonly<Record<string, { release: string; namespace: string }>> = {
  'words that YAML takes for something else': { release: 'true', namespace: '123' },
};

function findPlace(name: string): { release: string; namespace: string } {
  return places[name] ?? { release: 'b', namespace: 'bailiwick' };
}

/** Groups of the options that need what a plain host does not have. */
const groupsOfOthers = ['cert-manager.io', 'monitoring.coreos.com'];

describe.skipIf(goSkipReason)(`the chart${goSkipReason ? ` (${goSkipReason})` : ''}`, () => {
  let folder: string;
  let helm: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bailiwick-chart-'));
    helm = await buildHelm();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function writeValues(name: string): Promise<string> {
    const file = join(folder, `${name.replaceAll(' ', '-')}.yaml`);
    await writeFile(file, JSON.stringify(variants[name]));
    return file;
  }

  async function render(name: string): Promise<KubeObject[]> {
    const { release, namespace } = findPlace(name);
    const words = ['--namespace', namespace, '--kube-version', '1.34.4', '--values', await writeValues(name)];
    const text = await runProgram(helm, ['template', release, chart, ...words], { env: { HOME: folder } });
    // As Helm and kubectl read it, to whom `Off` is no text.
    return parseAllDocuments(text, { version: '1.1' })
      .map((document) => document.toJS() as KubeObject | null)
      .filter((object) => object !== null);
  }

  it('passes its unit tests', async () => {
    const output = await runProgram(await buildHelmUnittest(), ['--strict', chart], { env: { HOME: folder } });
    const suites = readdirSync(join(chart, 'tests')).filter((name) => name.endsWith('_test.yaml')).length;
    expect(output).toContain(`Test Suites: ${suites} passed, ${suites} total`);
  });

  it.for(Object.keys(variants))('has no fault with %s', async (name) => {
    const words = ['lint', '--strict', '--kube-version', '1.34.4', '--values', await writeValues(name), chart];
    expect(await runProgram(helm, words, { env: { HOME: folder } })).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it.for(Object.keys(variants))('names and labels every object once with %s', async (name) => {
    const objects = await render(name);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { metadata } of objects) {
      expect(metadata.labels).toMatchObject({
        'app.kubernetes.io/name': 'bailiwick',
        'app.kubernetes.io/instance': findPlace(name).release,
        ...(name === 'every option' ? { team: 'platform' } : {}),
      });
    }
  });

  it.for(Object.keys(variants))('lets the operator read each APIService that it looks for, with %s', async (name) => {
    const { release, namespace } = findPlace(name);
    const role = (await render(name)).find(
      ({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === `${namespace}.${release}-operator`,
    ) as unknown as { rules: { resources: string[]; resourceNames?: string[]; verbs: string[] }[] };
    const readable = role.rules
      .filter(({ resources, verbs }) => resources.includes('apiservices') && verbs.includes('get'))
      .flatMap(({ resourceNames = [] }) => resourceNames);
    const { domain = 'bailiwick.dev', agent } = variants[name] as { domain?: string; agent?: object };
    expect(readable.toSorted()).toEqual(nameApiServices({ domain, hasAgents: agent !== undefined }).toSorted());
  });

  it('has the version of the project', async () => {
    const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
    const shown = await runProgram(helm, ['show', 'chart', chart], { env: { HOME: folder } });
    expect(shown).toContain(`appVersion: ${version}\n`);
    expect(readFileSync(join(projectRoot, 'Dockerfile'), 'utf8')).toContain(`ARG VERSION=${version}\n`);
  });

  it('asks in alerts and dashboards for metrics that the page explains, or that are of others', async () => {
    const text = readdirSync(join(chart, 'files/dashboards'))
      .map((file) => readFileSync(join(chart, 'files/dashboards', file), 'utf8'))
      .concat(readFileSync(join(chart, 'files/rules.yaml'), 'utf8'))
      .join('\n');
    const page = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8');
    const tables = ['metric', 'metric of agents'].map((first) => readTables(page, [first, 'labels', 'meaning']));
    const explained = new Set(tables.flat().map(([name]) => name));
    const asked = [...text.matchAll(/\bbailiwick_\w+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ''));
    expect([...new Set(asked)].filter((name) => !explained.has(name))).toEqual([]);
    const rules = parse(readFileSync(join(chart, 'files/rules.yaml'), 'utf8')) as { rules: { alert: string }[] }[];
    const alerts = rules.flatMap((group) => group.rules.map(({ alert }) => alert));
    expect(readTables(page, ['alert', 'when']).map(([name]) => name)).toEqual(alerts);
  });

  describeCluster('on a real API server', () => {
    let cluster: Cluster;
    let kubectl: string;

    beforeAll(async () => {
      kubectl = await buildKubernetesProgram('kubectl');
      cluster = await startCluster();
      for (const name of new Set(Object.keys(variants).map((variant) => findPlace(variant).namespace))) {
        const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
        await cluster.request('POST', '/api/v1/namespaces', { body });
      }
    });
    afterAll(() => cluster?.stop());

    it.for(Object.keys(variants))('is taken whole, without a warning, with %s', async (name) => {
      const objects = (await render(name)).filter(
        ({ apiVersion }) => !groupsOfOthers.includes(apiVersion.split('/')[0]!),
      );
      // Pods are refused where their account is only pretended.
      for (const account of objects.filter(({ kind }) => kind === 'ServiceAccount')) {
        const path = `/api/v1/namespaces/${findPlace(name).namespace}/serviceaccounts`;
        await cluster.request('POST', path, { body: account });
      }
      const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
      const words = [
        'apply',
        '--server-side',
        '--dry-run=server',
        '--validate=strict',
        '--warnings-as-errors',
        '-f',
        '-',
      ];
      const env = { KUBECONFIG: cluster.kubeconfig, HOME: folder };
      const output = await runProgram(kubectl, words, { env, input });
      expect(output.trim().split('\n')).toHaveLength(objects.length);
    });

    describe('of the account of agents', () => {
      const leases = '/apis/coordination.k8s.io/v1/namespaces';
      const makeLease = (name: string, namespace: string) => ({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, namespace },
        spec: {},
      });
      type Send = (method: string, path: string, body: object) => Promise<{ status: number; body: KubeObject }>;
      const send: Record<string, Send> = {};

      beforeAll(async () => {
        const kinds = ['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'];
        const objects = (await render('every option')).filter(
          ({ kind }) => kinds.includes(kind) || kind.startsWith('ValidatingAdmissionPolicy'),
        );
        const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
        const env = { KUBECONFIG: cluster.kubeconfig, HOME: folder };
        await runProgram(kubectl, ['apply', '--server-side', '-f', '-'], { env, input });
        for (const node of ['one', 'other']) {
          const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: node } };
          await cluster.request('POST', '/api/v1/nodes', { body });
        }
        for (const account of ['agent', 'node-owner']) {
          for (const node of ['one', undefined]) {
            const path = `/api/v1/namespaces/bailiwick/serviceaccounts/b-${account}/token`;
            const bound = node === undefined ? {} : { boundObjectRef: { apiVersion: 'v1', kind: 'Node', name: node } };
            const { body } = await cluster.request('POST', path, { body: { spec: bound } });
            const headers = { authorization: `Bearer ${body.status.token}` };
            send[`${account}${node === undefined ? ' unbound' : ''}`] = (method, to, object) =>
              cluster.request(method, to, {
                ...{ anonymous: true, body: object },
                headers: method === 'PATCH' ? { ...headers, 'content-type': 'application/merge-patch+json' } : headers,
              });
          }
        }
        // A policy is in force some time after it was written.
        for (const [sender, namespace] of [
          ['agent', 'bailiwick'],
          ['node-owner', 'kube-node-lease'],
        ] as const) {
          await waitUntil('the policy to be in force', async () => {
            const path = `${leases}/${namespace}/leases?dryRun=All`;
            const answer = await send[sender]!('POST', path, makeLease('probe', namespace));
            return answer.status === 403;
          });
        }
      });

      it.for<[sender: string, method: 'POST' | 'PATCH', namespace: string, name: string, status: number]>([
        ['agent', 'POST', 'bailiwick', 'bailiwick-agent-one', 201],
        ['agent', 'POST', 'bailiwick', 'bailiwick-agent-other', 403],
        ['agent', 'POST', 'bailiwick', 'b-operator', 403],
        ['agent', 'POST', 'kube-node-lease', 'one', 403],
        ['agent unbound', 'POST', 'bailiwick', 'bailiwick-agent-one', 403],
        ['node-owner', 'POST', 'kube-node-lease', 'one', 201],
        ['node-owner', 'POST', 'kube-node-lease', 'other', 403],
        ['node-owner unbound', 'POST', 'kube-node-lease', 'one', 403],
      ])('lets the %s %s a Lease in %s of the name %s: %s', async ([sender, method, namespace, name, status]) => {
        const path = `${leases}/${namespace}/leases?dryRun=All`;
        const answer = await send[sender]!(method, path, makeLease(name, namespace));
        expect(answer).toMatchObject({ status });
      });

      it('lets no agent take over the Lease of the leader', async () => {
        const path = `${leases}/bailiwick/leases`;
        await cluster.request('POST', path, { body: makeLease('b-operator', 'bailiwick') });
        const { body } = await cluster.request('GET', `${path}/b-operator`);
        const taken = { ...body, spec: { holderIdentity: 'me' } };
        const answer = await send['agent']!('PUT', `${path}/b-operator`, taken);
        expect(answer.status).toBe(403);
        expect(JSON.stringify(answer.body)).toContain('the agent of a node writes the Lease bailiwick-agent-NODE');
      });

      it.for<[sender: string, path: string, status: number]>([
        ['node-owner', 'one', 200],
        ['node-owner', 'one/status', 200],
        ['node-owner', 'other', 403],
        ['node-owner', 'other/status', 403],
        ['node-owner unbound', 'one', 403],
      ])('lets the %s change the Node %s: %s', async ([sender, path, status]) => {
        const answer = await send[sender]!('PATCH', `/api/v1/nodes/${path}`, { metadata: { labels: { a: 'b' } } });
        expect(answer).toMatchObject({ status });
      });
    });
  });
});
