import { createServer, type Server } from 'node:https';
import { createServer as createPlainServer, type AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import rows from '../admission/limits/testdata/limit-ranges.json' with { type: 'json' };
import { makeCertificate } from '../platform/certificates/make-certificate.ts';
import type { ClusterAnswer } from './cluster/cluster-request.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { type Cluster, startCluster } from './cluster/start-cluster.ts';
import { waitForValue, waitUntil } from './cluster/wait-until.ts';
import { readWholeLines } from './host/read-whole-lines.ts';
import { startProgram } from './webhooks/start-program.ts';
import { type ReleaseRun, startRelease } from './start-webhooks.ts';

const core = '/apis/core.bailiwick.dev/v1';
const configurations = '/apis/admissionregistration.k8s.io/v1';
const mergePatch = { 'content-type': 'application/merge-patch+json' };
/** The answers of the host's own plugin, with nothing of ours near. */
const ownPlugins = ['--disable-admission-plugins=ServiceAccount'];
const noPlugins = ['--disable-admission-plugins=LimitRanger,ResourceQuota,ServiceAccount'];
const auditPolicy =
  'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n  - level: Metadata\n    resources: [{ group: "", resources: [pods] }]\n  - level: None\n';

function makePod(name: string, resources: object = {}): Record<string, unknown> {
  return { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i', resources }] } };
}

function makeRange(name: string, limits: readonly object[], apiVersion = 'core.bailiwick.dev/v1'): object {
  return { apiVersion, kind: 'LimitRange', metadata: { name }, spec: { limits } };
}

/** What a client sees of a pod's resources, or of the refusal but for the name of the webhook. */
function showAnswer({ status, body }: ClusterAnswer) {
  if (status >= 400) {
    const { message, reason, details } = body;
    return {
      status,
      message: String(message).replace(/^admission webhook "[^"]+" denied the request: /, ''),
      reason,
      details,
    };
  }
  const { containers = [], initContainers = [] } = body.spec;
  const resources = [...containers, ...initContainers].map((container: { resources: object }) => container.resources);
  return { status, resources, note: body.metadata.annotations?.['kubernetes.io/limit-ranger'] };
}

/** Whom nothing is asked about, with a group: nodes, the API server and the release itself. */
const sparedIdentities = [
  ['system:node:n1', 'system:nodes'],
  ['system:apiserver', 'system:authenticated'],
  ['system:serviceaccount:bailiwick-system:test-operator', 'system:serviceaccounts'],
  ['system:serviceaccount:bailiwick-system:test-webhooks', 'system:serviceaccounts'],
] as const;

describeCluster('limits on a host', () => {
  let cluster: Cluster;
  let oracle: Cluster;
  let run: ReleaseRun;
  let folder: string;
  const auditLog = (): string => join(folder, 'audit.log');

  async function create(where: Cluster, path: string, body: object): Promise<ClusterAnswer> {
    return where.request('POST', path, { body });
  }

  async function createNamespace(where: Cluster, name: string): Promise<void> {
    expect((await create(where, '/api/v1/namespaces', { metadata: { name } })).status).toBe(201);
  }

  /** A namespace with a limit range that is in force. */
  async function govern(name: string, limits: readonly object[]): Promise<void> {
    await createNamespace(cluster, name);
    expect((await create(cluster, `${core}/namespaces/${name}/limitranges`, makeRange('l', limits))).status).toBe(201);
    await run.waitForEvent(name, 'l', 'Enforced');
  }

  const createPod = (namespace: string, pod: object, query = ''): Promise<ClusterAnswer> =>
    create(cluster, `/api/v1/namespaces/${namespace}/pods${query}`, pod);

  /** Asks until the answer is as expected: API servers follow what is registered a little later. */
  async function expectSoon(ask: () => Promise<ClusterAnswer>, status: number): Promise<ClusterAnswer> {
    return waitForValue(`the answer ${status}`, ask, (answer) => answer.status === status);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bailiwick-audit-'));
    await writeFile(join(folder, 'policy.yaml'), auditPolicy);
    const audit = [`--audit-policy-file=${join(folder, 'policy.yaml')}`, `--audit-log-path=${auditLog()}`];
    cluster = await startCluster({ apiServerFlags: [...noPlugins, ...audit] });
    run = await startRelease({ cluster, drainSeconds: 2 });
  });

  afterAll(async () => {
    await run?.stop();
    await cluster?.stop();
    await oracle?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('answers pods as the plugin of a host does', async () => {
    oracle = await startCluster({ apiServerFlags: ownPlugins });
    for (const [i, { limits }] of rows.entries()) {
      await createNamespace(oracle, `row-${i}`);
      await createNamespace(cluster, `row-${i}`);
      expect(
        (await create(oracle, `/api/v1/namespaces/row-${i}/limitranges`, makeRange('l', limits, 'v1'))).status,
      ).toBe(201);
      expect((await create(cluster, `${core}/namespaces/row-${i}/limitranges`, makeRange('l', limits))).status).toBe(
        201,
      );
    }
    for (const [i, { name, spec }] of rows.entries()) {
      await run.waitForEvent(`row-${i}`, 'l', 'Enforced');
      const pod = { metadata: { name: 'p' }, spec };
      const theirs = showAnswer(await create(oracle, `/api/v1/namespaces/row-${i}/pods`, pod));
      expect({ name, ...showAnswer(await createPod(`row-${i}`, pod)) }).toEqual({ name, ...theirs });
    }
    await oracle.stop();
  });

  it('keeps claims, resized pods and generated names', async () => {
    await govern('shapes', [
      { type: 'Container', max: { cpu: '2' }, default: { cpu: '1' } },
      { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } },
    ]);
    const claims = '/api/v1/namespaces/shapes/persistentvolumeclaims';
    const makeClaim = (storage: string) => ({
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    });
    const refused = await create(cluster, claims, makeClaim('2Gi'));
    expect(refused.body.message).toBe(
      'admission webhook "limits.bailiwick.dev" denied the request: persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi',
    );
    expect((await create(cluster, claims, makeClaim('1Gi'))).status).toBe(201);

    expect((await createPod('shapes', makePod('p'))).status).toBe(201);
    const resize = (cpu: string) =>
      cluster.request('PATCH', '/api/v1/namespaces/shapes/pods/p/resize', {
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
        body: JSON.stringify({
          spec: { containers: [{ name: 'c', resources: { limits: { cpu }, requests: { cpu } } }] },
        }),
      });
    const tooBig = await resize('3');
    expect(tooBig.status).toBe(403);
    expect(tooBig.body.message).toContain(
      'pods "p" is forbidden: maximum cpu usage per Container is 2, but limit is 3',
    );
    expect((await resize('1500m')).status).toBe(200);

    const generated = { ...makePod(''), metadata: { generateName: 'web-' } };
    expect((await createPod('shapes', generated)).status).toBe(201);
    const big = await createPod('shapes', {
      ...makePod('', { limits: { cpu: '3' } }),
      metadata: { generateName: 'web-' },
    });
    expect(big.body.message).toMatch(/pods "web-\w{5}" is forbidden: maximum cpu usage/);
  });

  it('records nothing and refuses the same in a dry run', async () => {
    await govern('dry', [{ type: 'Container', max: { cpu: '1' }, default: { cpu: '1' } }]);
    const filled = await createPod('dry', makePod('p'), '?dryRun=All');
    expect(filled.body.spec.containers[0].resources).toEqual({ limits: { cpu: '1' }, requests: { cpu: '1' } });
    expect((await createPod('dry', makePod('p', { limits: { cpu: '2' } }), '?dryRun=All')).status).toBe(403);
    expect((await cluster.request('GET', '/api/v1/namespaces/dry/pods')).body.items).toEqual([]);
  });

  it('fills in what a webhook of somebody else added afterwards', async () => {
    await govern('joined', [{ type: 'Container', default: { cpu: '1' } }]);
    const third = await startThirdParty();
    try {
      const entry = {
        name: 'sidecar.example.com',
        clientConfig: { url: `https://127.0.0.1:${third.port}/`, caBundle: third.caBundle },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'joined' } },
        ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Fail' },
      };
      const path = `${configurations}/mutatingwebhookconfigurations`;
      // Webhooks are called in the order of the names of their configurations.
      const created = await create(cluster, path, { metadata: { name: 'z-third' }, webhooks: [entry] });
      expect(created.status).toBe(201);
      let answer: ClusterAnswer | undefined;
      let i = 0;
      await waitUntil('the other webhook', async () => {
        answer = await createPod('joined', makePod(`p${i++}`));
        return answer.body.spec?.containers.length === 2;
      });
      const resources = { limits: { cpu: '1' }, requests: { cpu: '1' } };
      expect(answer?.body.spec.containers.map((container: object) => container)).toMatchObject([
        { name: 'c', resources },
        { name: 'sidecar', resources },
      ]);
    } finally {
      await cluster.request('DELETE', `${configurations}/mutatingwebhookconfigurations/z-third`);
      await third.close();
    }
  });

  it('only tells in an audit, and does nothing when it is off', async () => {
    await govern('modes', [{ type: 'Container', max: { cpu: '1' }, default: { cpu: '1' } }]);
    const big = (name: string) => createPod('modes', makePod(name, { limits: { cpu: '2' } }));
    expect((await big('a')).status).toBe(403);

    await run.setEnforcement('Audit');
    const audited = await expectSoon(() => big('a'), 201);
    expect(audited.headers.warning).toContain(
      'would be refused: pods \\"a\\" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
    );
    // Nothing is filled in, and so nothing is held against a pod that would have been filled in.
    const plain = await createPod('modes', makePod('plain'));
    expect([plain.status, plain.body.spec.containers[0].resources, plain.headers.warning]).toEqual([
      201,
      {},
      undefined,
    ]);
    await run.waitForEvent('modes', 'l', 'Audited');
    await waitUntil('the record of the audit', async () => {
      const lines = (await readWholeLines(auditLog())).filter((line) => line.includes('would-be-refused'));
      return lines.some((line) => {
        const { annotations } = JSON.parse(line) as { annotations: Record<string, string> };
        return (
          annotations['limits.bailiwick.dev/would-be-refused']?.startsWith('pods "a" is forbidden') === true &&
          annotations['limits.bailiwick.dev/reviewUid'] !== undefined
        );
      });
    });

    await run.setEnforcement('Off');
    await waitUntil('nothing to be registered', async () => (await run.listEntries()).length === 0);
    const free = await expectSoon(() => big('b'), 201);
    expect(free.headers.warning).toBeUndefined();
    await run.setEnforcement('Enforce');
    await waitUntil('the webhooks to be back', async () => (await run.listEntries()).includes('limits.bailiwick.dev'));
    await expectSoon(() => createPod('modes', makePod('c', { limits: { cpu: '2' } }), '?dryRun=All'), 403);
  });

  it('registers what objects need, mends it, and takes it back', async () => {
    const path = `${configurations}/validatingwebhookconfigurations/${run.namespace}.${run.release}`;
    const readNamespaces = async (): Promise<string[]> => {
      const { body } = await cluster.request('GET', path);
      const entry = body.webhooks?.find(({ name }: { name: string }) => name === 'limits.bailiwick.dev');
      return entry?.namespaceSelector.matchExpressions[0].values ?? [];
    };
    await govern('mended', [{ type: 'Pod', max: { cpu: '1' } }]);
    expect(await readNamespaces()).toContain('mended');
    const tampered = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }];
    const headers = { 'content-type': 'application/json-patch+json' };
    expect((await cluster.request('PATCH', path, { headers, body: JSON.stringify(tampered) })).status).toBe(200);
    await waitUntil(
      'the change to be undone',
      async () => (await cluster.request('GET', path)).body.webhooks[0].failurePolicy === 'Fail',
    );
    expect((await cluster.request('DELETE', path)).status).toBe(200);
    await waitUntil('the configuration to be back', async () => (await readNamespaces()).includes('mended'));
    await cluster.request('DELETE', `${core}/namespaces/mended/limitranges/l`);
    await waitUntil('the namespace to be left alone', async () => !(await readNamespaces()).includes('mended'));
    await expectSoon(() => createPod('mended', makePod('p', { limits: { cpu: '2' } })), 201);
  });

  it('checks own objects by all rules, and tells of one that nothing can act on', async () => {
    await createNamespace(cluster, 'odd');
    const ranges = `${core}/namespaces/odd/limitranges`;
    const odd = makeRange('odd', [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }]);
    // A definition of an older release may let more pass than this one's.
    const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/limitranges.core.bailiwick.dev';
    const { body: kept } = await cluster.request('GET', definition);
    const loose = structuredClone(kept);
    loose.spec.versions[0].schema.openAPIV3Schema.properties.spec = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
    };
    expect((await cluster.request('PUT', definition, { body: loose })).status).toBe(200);
    const refused = await expectSoon(() => create(cluster, `${ranges}?dryRun=All`, odd), 422);
    await waitUntil('the looser definition', async () => {
      const { body } = await create(cluster, `${ranges}?dryRun=All`, odd);
      return String(body.message).startsWith('admission webhook');
    });
    const answer = await create(cluster, ranges, odd);
    const { code, reason, message, details } = answer.body;
    expect({ code, reason, group: details.group, kind: details.kind, name: details.name }).toEqual({
      ...{ code: 422, reason: 'Invalid', group: 'core.bailiwick.dev', kind: 'LimitRange', name: 'odd' },
    });
    const fault = 'Invalid value: "2": min value 2 is greater than max value 1';
    expect(details.causes[0]).toEqual({
      reason: 'FieldValueInvalid',
      message: fault,
      field: 'spec.limits[0].min[cpu]',
    });
    const subject =
      'admission webhook "objects.bailiwick.dev" denied the request: LimitRange.core.bailiwick.dev "odd" is invalid';
    expect(message).toContain(`${subject}: [spec.limits[0].min[cpu]: ${fault}, `);
    expect(refused.status).toBe(422);

    await createNamespace(cluster, 'counted');
    const quota = { apiVersion: 'core.bailiwick.dev/v1', kind: 'ResourceQuota', metadata: { name: 'q' } };
    const limited = { ...quota, spec: { hard: { configmaps: '100' } } };
    expect((await create(cluster, `${core}/namespaces/counted/resourcequotas`, limited)).status).toBe(201);
    await run.waitForEvent('counted', 'q', 'Enforced');

    await Promise.all(run.webhooks.map((_, place) => run.killWebhooks(place)));
    expect((await create(cluster, ranges, odd)).status).toBe(201);
    await run.waitForEvent('odd', 'odd', 'Invalid');
    // With every webhook dead it can be mended, and what is governed is refused, but nothing else is.
    expect(
      (
        await cluster.request('PATCH', `${ranges}/odd`, {
          headers: mergePatch,
          body: JSON.stringify({ metadata: { labels: { a: 'b' } } }),
        })
      ).status,
    ).toBe(200);
    const dead = await createPod('modes', makePod('dead'));
    expect([dead.status, dead.body.message]).toEqual([
      500,
      expect.stringContaining('failed calling webhook "defaults.limits.bailiwick.dev"'),
    ]);
    expect((await createPod('odd', makePod('p', { limits: { cpu: '9' } }))).status).toBe(201);
    expect((await createPod('kube-system', makePod('p'))).status).toBe(201);
    expect((await createPod(run.namespace, makePod('p'))).status).toBe(201);
    const configMaps = '/api/v1/namespaces/counted/configmaps?dryRun=All';
    const configMap = { metadata: { name: 'c' } };
    expect((await create(cluster, configMaps, configMap)).status).toBe(500);
    for (const [i, [user, groups]] of sparedIdentities.entries()) {
      const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
      const binding = { metadata: { name: `spared-${i}` }, subjects, roleRef };
      await create(cluster, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', binding);
      const headers = { 'impersonate-user': user, 'impersonate-group': groups };
      await expectSoon(() => cluster.request('POST', configMaps, { headers, body: configMap }), 201);
    }
    await Promise.all(run.webhooks.map((_, place) => run.startWebhooks(place)));
    const unchanged = await cluster.request('PATCH', `${ranges}/odd`, {
      headers: mergePatch,
      body: JSON.stringify({ metadata: { labels: { a: 'c' } } }),
    });
    expect([unchanged.status, unchanged.headers.warning]).toEqual([200, expect.stringContaining('nothing acts on it')]);
    const mended = JSON.stringify({ spec: { limits: [{ type: 'Container', min: { cpu: '500m' }, max: { cpu: 1 } }] } });
    const { status, body } = await cluster.request('PATCH', `${ranges}/odd`, { headers: mergePatch, body: mended });
    expect([status, body.spec.limits[0].default]).toEqual([200, { cpu: '1' }]);
    await run.waitForEvent('odd', 'odd', 'Enforced');
    expect((await createPod('odd', makePod('q', { limits: { cpu: '9' } }))).status).toBe(403);
    const { body: now } = await cluster.request('GET', definition);
    await cluster.request('PUT', definition, { body: { ...now, spec: kept.spec } });
  });

  it('goes on when the operator comes back, and brings nothing back that was switched off', async () => {
    const path = `${configurations}/validatingwebhookconfigurations/${run.namespace}.${run.release}`;
    await run.killOperator(0);
    expect((await cluster.request('DELETE', path)).status).toBe(200);
    await run.startOperator(0);
    // The Lease of the one that was killed must run out first.
    await waitUntil('the configuration to be back', async () =>
      (await run.listEntries()).includes('limits.bailiwick.dev'),
    );
    await run.setEnforcement('Off');
    await waitUntil('nothing to be registered', async () => (await run.listEntries()).length === 0);
    const settings = `/api/v1/namespaces/${run.namespace}/configmaps/${run.release}-settings`;
    expect((await cluster.request('DELETE', settings)).status).toBe(200);
    await waitUntil('the operator to see it', async () => run.readLogs().includes('the settings are gone'));
    await createNamespace(cluster, 'late');
    const range = makeRange('l', [{ type: 'Container', default: { cpu: '1' } }]);
    expect((await create(cluster, `${core}/namespaces/late/limitranges`, range)).status).toBe(201);
    await run.waitForEvent('late', 'l', 'NotEnforced');
    expect(await run.listEntries()).toEqual([]);
    const body = { metadata: { name: `${run.release}-settings` }, data: { enforcement: 'Enforce' } };
    await create(cluster, `/api/v1/namespaces/${run.namespace}/configmaps`, body);
    await run.waitForEvent('late', 'l', 'Enforced');
  });

  it('is ready only while its certificate is one that callers trust', async () => {
    const files = { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
    const writeFiles = async (validityMillis: number): Promise<void> => {
      const made = await makeCertificate({
        ...{ commonName: 'w', purpose: 'server', subjectNames: ['localhost'] },
        ...{ notBeforeMillis: Date.now() - 60_000, notAfterMillis: Date.now() + validityMillis },
      });
      await writeFile(files.certificate, made.certificate);
      await writeFile(files.key, made.privateKey);
    };
    await writeFiles(3_600_000);
    const healthPort = await findFreePort();
    const program = await startProgram('webhooks', [
      ...[
        '--kubeconfig',
        cluster.kubeconfig,
        '--port',
        '0',
        '--health-port',
        String(healthPort),
        '--drain-seconds',
        '0',
      ],
      ...['--certificate-file', files.certificate, '--key-file', files.key],
    ]);
    try {
      const check = async () => (await fetch(`http://127.0.0.1:${healthPort}/readyz/serving`)).status;
      expect(await check()).toBe(200);
      // Files are read again every five seconds.
      await writeFiles(12_000);
      await waitUntil('the end of the certificate', async () => (await check()) !== 200);
      expect((await fetch(`http://127.0.0.1:${healthPort}/livez`)).status).toBe(200);
    } finally {
      await program.end();
    }
  });

  it('ends cleanly under load, without a failed call', async () => {
    await govern('busy', [{ type: 'Container', default: { cpu: '1' } }]);
    const load = new AbortController();
    const statuses: number[] = [];
    const loading = (async () => {
      for (let i = 0; !load.signal.aborted; i++) statuses.push((await createPod('busy', makePod(`p${i}`))).status);
    })();
    const [first] = run.webhooks;
    await waitUntil('some calls', async () => statuses.length > 20);
    run.leaveOut(0);
    expect(await first?.end('SIGTERM')).toBe(0);
    await run.startWebhooks(0);
    const before = statuses.length;
    await waitUntil('some more calls', async () => statuses.length > before + 20);
    load.abort();
    await loading;
    expect(new Set(statuses)).toEqual(new Set([201]));
  });
});

/** A port of loopback that nobody listens on at the moment. */
async function findFreePort(): Promise<number> {
  const server = createPlainServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A mutating webhook that adds a container to every pod that has only one. */
async function startThirdParty(): Promise<{ port: number; caBundle: string; close(): Promise<void> }> {
  const [notBeforeMillis, notAfterMillis] = [Date.now() - 60_000, Date.now() + 3_600_000];
  const { certificate, privateKey } = await makeCertificate({
    ...{ commonName: 'third', purpose: 'server', subjectNames: ['127.0.0.1'], notBeforeMillis, notAfterMillis },
  });
  const server: Server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as {
        request: { uid: string; object: { spec: { containers: object[] } } };
      };
      const { uid, object } = review.request;
      const patch = [{ op: 'add', path: '/spec/containers/-', value: { name: 'sidecar', image: 'i' } }];
      const change = { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
      const answer = { uid, allowed: true, ...(object.spec.containers.length === 1 ? change : {}) };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from(certificate).toString('base64'),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
