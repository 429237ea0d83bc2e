import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import type { ClusterAnswer } from './cluster/cluster-request.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { type Cluster, startCluster } from './cluster/start-cluster.ts';
import { waitForValue, waitUntil } from './cluster/wait-until.ts';
import { readWholeLines } from './host/read-whole-lines.ts';
import { type ReleaseRun, startRelease } from './start-webhooks.ts';

const group = 'admissionregistration.bailiwick.dev';
const policiesPath = `/apis/${group}/v1/validatingadmissionpolicies`;
const bindingsPath = `/apis/${group}/v1/validatingadmissionpolicybindings`;
const registrationsPath = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const mergePatch = { 'content-type': 'application/merge-patch+json' };
const auditPolicy =
  'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n  - level: Metadata\n    resources: [{ group: "", resources: [configmaps] }]\n  - level: None\n';
const configMaps = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] };

/** A policy of Kubernetes, or the part of one that a test is about. */
interface PolicyParts {
  readonly rules?: readonly object[];
  readonly match?: object;
  readonly spec?: object;
  readonly binding?: object;
}

/** What of an audit event is looked at. */
interface AuditLine {
  readonly objectRef?: { readonly namespace?: string; readonly name?: string };
  readonly annotations?: Record<string, string>;
}

describeCluster('admission policies on a host', () => {
  let cluster: Cluster;
  let run: ReleaseRun;
  let folder: string;

  const create = (path: string, body: object, headers?: Record<string, string>): Promise<ClusterAnswer> =>
    cluster.request('POST', path, { body, ...(headers === undefined ? {} : { headers }) });

  async function createOk(path: string, body: object): Promise<ClusterAnswer> {
    const answer = await create(path, body);
    expect({ status: answer.status, message: answer.body.message }).toMatchObject({ status: 201 });
    return answer;
  }

  async function createNamespace(name: string, labels: object = {}): Promise<void> {
    await createOk('/api/v1/namespaces', { metadata: { name, labels } });
  }

  const findCondition = async (name: string) => {
    const { body } = await cluster.request('GET', `${policiesPath}/${name}`);
    const conditions = (body.status?.conditions ?? []) as {
      type: string;
      status: string;
      observedGeneration: number;
      message?: string;
    }[];
    return {
      generation: body.metadata?.generation as number,
      condition: conditions.find(({ type }) => type === 'Enforced'),
    };
  };

  async function waitForForce(name: string): Promise<void> {
    await waitForValue(
      `the policy ${name} to be in force`,
      () => findCondition(name),
      ({ generation, condition }) => condition?.status === 'True' && condition.observedGeneration === generation,
    ).catch(async (error: unknown) => {
      console.log(await run.listEntries(), run.readLogs().slice(-6000));
      throw error;
    });
  }

  /** A policy and its one binding, in force, for the config maps of the namespace of its name unless it says otherwise. */
  async function govern(name: string, validations: readonly object[], parts: PolicyParts = {}): Promise<void> {
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': name } };
    const matchConstraints = { resourceRules: parts.rules ?? [configMaps], namespaceSelector, ...parts.match };
    const spec = { matchConstraints, validations, ...parts.spec };
    await createOk(policiesPath, {
      apiVersion: `${group}/v1`,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec,
    });
    await createOk(bindingsPath, {
      ...{ apiVersion: `${group}/v1`, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name } },
      spec: { policyName: name, validationActions: ['Deny'], ...parts.binding },
    });
    await waitForForce(name);
  }

  const makeConfigMap = (name: string, data: object = {}): object => ({ metadata: { name }, data });

  const createConfigMap = (namespace: string, name: string, data: object = {}, query = ''): Promise<ClusterAnswer> =>
    create(`/api/v1/namespaces/${namespace}/configmaps${query}`, makeConfigMap(name, data));

  const show = ({ status, body }: ClusterAnswer) => ({ status, message: body.message, reason: body.reason });

  /** Annotations of the first event of a log that is about this namespace. */
  async function readAnnotations(log: string, namespace: string): Promise<Record<string, string>> {
    let found: AuditLine | undefined;
    await waitUntil(`an event of ${namespace} in ${log}`, async () => {
      found = (await readWholeLines(join(folder, log)))
        .map((line) => JSON.parse(line) as AuditLine)
        .find(({ objectRef }) => objectRef?.namespace === namespace && objectRef.name === 'x');
      return found !== undefined;
    });
    return found?.annotations ?? {};
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bailiwick-policies-'));
    await writeFile(join(folder, 'policy.yaml'), auditPolicy);
    const audit = [
      `--audit-policy-file=${join(folder, 'policy.yaml')}`,
      `--audit-log-path=${join(folder, 'audit.log')}`,
    ];
    cluster = await startCluster({
      apiServerFlags: ['--disable-admission-plugins=ValidatingAdmissionPolicy,ServiceAccount', ...audit],
    });
    run = await startRelease({
      cluster,
      drainSeconds: 2,
      webhooksFlags: ['--audit-log-path', join(folder, 'own.log')],
    });
  });

  afterAll(async () => {
    await run?.stop();
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('refuses as Kubernetes does, with every failure among the causes', async () => {
    await createNamespace('refusals');
    await govern('refusals', [
      { expression: "!('a' in object.data)", message: 'no a' },
      { expression: "!('b' in object.data)", messageExpression: "'no b, but ' + object.data.b", reason: 'Forbidden' },
    ]);
    const refused = await createConfigMap('refusals', 'x', { a: '1', b: '2' });
    expect(show(refused)).toEqual({
      status: 422,
      reason: 'Invalid',
      message:
        `admission webhook "validation.policy.admission.bailiwick.dev" denied the request: configmaps "x" is forbidden: ` +
        `ValidatingAdmissionPolicy 'refusals' with binding 'refusals' denied request: no a`,
    });
    expect((refused.body.details.causes as object[]).length).toBe(2);
    expect(show(await createConfigMap('refusals', 'x', { b: '2' })).status).toBe(403);
    expect((await createConfigMap('refusals', 'x', { c: '3' })).status).toBe(201);
    expect((await createConfigMap('refusals', 'x', { a: '1' }, '?dryRun=All')).status).toBe(422);
  });

  it('judges changes, deletions, connections and what is in no namespace', async () => {
    await createNamespace('verbs');
    const any = { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE', 'DELETE', 'CONNECT'] };
    await govern(
      'verbs',
      [
        {
          expression: "request.operation != 'UPDATE' || object.data.a == oldObject.data.a",
          messageExpression: "'a was ' + oldObject.data.a",
        },
        {
          expression: "request.operation != 'DELETE' || (object == null && oldObject.data.a != 'keep')",
          message: 'is kept',
        },
        { expression: "request.operation != 'CONNECT' || object.container != 'c'", message: 'nobody looks into c' },
      ],
      { rules: [{ ...any, resources: ['configmaps', 'pods/exec'] }] },
    );
    const path = '/api/v1/namespaces/verbs/configmaps/x';
    expect((await createConfigMap('verbs', 'x', { a: 'keep' })).status).toBe(201);
    const change = (a: string) =>
      cluster.request('PATCH', path, { body: JSON.stringify({ data: { a } }), headers: mergePatch });
    expect(show(await change('b')).message).toMatch(/denied request: a was keep$/);
    expect(show(await cluster.request('DELETE', path)).message).toMatch(/denied request: is kept$/);
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await createOk('/api/v1/namespaces/verbs/pods', pod);
    const connected = await create('/api/v1/namespaces/verbs/pods/p/exec?container=c&command=ls', {});
    expect(show(connected)).toMatchObject({ status: 422, message: expect.stringMatching(/: nobody looks into c$/) });

    await govern('cluster-wide', [{ expression: "object.metadata.name != 'no-such'", message: 'not this one' }], {
      rules: [
        {
          apiGroups: ['rbac.authorization.k8s.io'],
          apiVersions: ['v1'],
          resources: ['clusterroles'],
          operations: ['CREATE'],
        },
      ],
    });
    const refused = await create('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'no-such' } });
    expect(show(refused).message).toMatch(/denied request: not this one$/);
  });

  it('warns, and leaves the audit annotations of the specification, whatever the failure policy', async () => {
    for (const failurePolicy of ['Fail', 'Ignore']) {
      const name = `notes-${failurePolicy.toLowerCase()}`;
      await createNamespace(name);
      await govern(name, [{ expression: "object.data.a == '1'", message: 'a is not 1' }], {
        spec: { failurePolicy, auditAnnotations: [{ key: 'seen', valueExpression: "'a is ' + object.data.a" }] },
        binding: { validationActions: ['Warn', 'Audit'] },
      });
      const answer = await createConfigMap(name, 'x', { a: '2' });
      expect(answer.status).toBe(201);
      const failure = `Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${name}': a is not 1`;
      expect(answer.headers['warning']).toBe(`299 - "${failure}"`);
      const prefix = 'validation.policy.admission.bailiwick.dev';
      const annotations = await readAnnotations('audit.log', name);
      expect(JSON.parse(annotations[`${prefix}/validation_failure`] ?? '')).toEqual([
        {
          ...{ message: 'a is not 1', policy: name, binding: name, expressionIndex: 0 },
          validationActions: ['Warn', 'Audit'],
        },
      ]);
      expect(annotations[`${prefix}/${name}.seen`]).toBe('a is 2');
      expect((await readAnnotations('own.log', name))[`${name}/seen`]).toBe('a is 2');
    }
  });

  it('judges an object in the version that the policy names, converted by the host', async () => {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const makeVersion = (name: string) => ({ name, served: true, storage: name === 'v1', schema });
    await createOk('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.example.com' },
      spec: {
        ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' } },
        versions: [makeVersion('v1'), makeVersion('v1beta1')],
      },
    });
    await createNamespace('versions');
    const rule = { apiGroups: ['example.com'], resources: ['widgets'], operations: ['CREATE'] };
    const told = { messageExpression: "object.apiVersion + ' of ' + request.requestKind.version", expression: 'false' };
    const actions = { binding: { validationActions: ['Warn'] } };
    const inVersions = (name: string, apiVersions: string[], match: object = {}) =>
      govern(name, [told], {
        ...actions,
        rules: [{ ...rule, apiVersions }],
        match: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'versions' } }, ...match },
      });
    await inVersions('equivalent', ['v1']);
    await inVersions('exact', ['v1'], { matchPolicy: 'Exact' });
    await inVersions('whatever', ['*']);
    const readWarnings = async (version: string): Promise<string[]> => {
      const body = { apiVersion: `example.com/${version}`, kind: 'Widget', metadata: { name: version } };
      let answer = await create(`/apis/example.com/${version}/namespaces/versions/widgets`, body);
      await waitUntil('the kind to be served', async () => {
        if (answer.status === 404)
          answer = await create(`/apis/example.com/${version}/namespaces/versions/widgets`, body);
        return answer.status === 201;
      });
      const warnings = String(answer.headers['warning']);
      return [...warnings.matchAll(/binding '(\w+)': ([^"]+)"/g)]
        .map(([, name, text]) => `${name}: ${text}`)
        .toSorted();
    };
    expect(await readWarnings('v1')).toEqual([
      'equivalent: example.com/v1 of v1',
      'exact: example.com/v1 of v1',
      'whatever: example.com/v1 of v1',
    ]);
    expect(await readWarnings('v1beta1')).toEqual([
      'equivalent: example.com/v1 of v1beta1',
      'whatever: example.com/v1beta1 of v1beta1',
    ]);
  });

  it('judges the events of both groups as each policy names them, and never questions', async () => {
    await createNamespace('events');
    const told = { messageExpression: "object.apiVersion + ' of ' + request.requestKind.group", expression: 'false' };
    for (const [name, apiGroup] of [
      ['core', ''],
      ['new', 'events.k8s.io'],
      ['both', '*'],
    ] as const) {
      await govern(`events-of-${name}`, [told], {
        rules: [{ apiGroups: [apiGroup], apiVersions: ['v1'], resources: ['events'], operations: ['CREATE'] }],
        match: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'events' } } },
        binding: { validationActions: ['Warn'] },
      });
    }
    const answer = await createOk('/api/v1/namespaces/events/events', {
      ...{ metadata: { name: 'e' }, involvedObject: { kind: 'Pod', name: 'p', namespace: 'events' } },
      ...{ reason: 'r', message: 'm', type: 'Normal' },
    });
    const warnings = [...String(answer.headers['warning']).matchAll(/binding '([\w-]+)': ([^"]+)"/g)];
    expect(warnings.map(([, name, text]) => `${name}: ${text}`).toSorted()).toEqual([
      'events-of-both: v1 of',
      'events-of-core: v1 of',
      'events-of-new: events.k8s.io/v1 of',
    ]);
    await govern('questions', [{ expression: 'false' }], {
      rules: [{ apiGroups: ['*'], apiVersions: ['v1'], resources: ['*'], operations: ['CREATE'], scope: 'Cluster' }],
      match: { namespaceSelector: {} },
    });
    const spec = { user: 'bob', resourceAttributes: { verb: 'get', resource: 'pods' } };
    const kind = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' };
    await createOk('/apis/authorization.k8s.io/v1/subjectaccessreviews', { ...kind, spec });
    expect((await create('/api/v1/namespaces', { metadata: { name: 'refused' } })).status).toBe(422);
    await cluster.request('DELETE', `${policiesPath}/questions`);
    await waitUntil(
      'it to be let go',
      async () => (await create('/api/v1/namespaces?dryRun=All', { metadata: { name: 'let-go' } })).status === 201,
    );
  });

  it('reads parameters of any kind, namespaces and permissions from the host', async () => {
    await createNamespace('facts', { tier: 'gold' });
    await createOk('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'limits.rules.example.com' },
      spec: {
        ...{ group: 'rules.example.com', scope: 'Cluster', names: { plural: 'limits', kind: 'Limit' } },
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    });
    await govern(
      'facts',
      [
        { expression: 'int(object.data.n) <= params.max', messageExpression: "'more than ' + string(params.max)" },
        { expression: "namespaceObject.metadata.labels.tier == 'gold'", message: 'not gold' },
        {
          expression: "authorizer.group('').resource('pods').namespace('facts').check('create').allowed()",
          message: 'may not create pods',
        },
        { expression: "!authorizer.path('/nowhere').check('dance').allowed() || true" },
      ],
      {
        spec: { paramKind: { apiVersion: 'rules.example.com/v1', kind: 'Limit' } },
        binding: { paramRef: { name: 'facts', parameterNotFoundAction: 'Deny' } },
      },
    );
    expect(show(await createConfigMap('facts', 'a', { n: '1' })).message).toContain('no params found');
    const limit = { apiVersion: 'rules.example.com/v1', kind: 'Limit', metadata: { name: 'facts' }, max: 5 };
    await createOk('/apis/rules.example.com/v1/limits', limit);
    await waitUntil(
      'the parameter to be known',
      async () => (await createConfigMap('facts', 'a', { n: '1' }, '?dryRun=All')).status === 201,
    );
    // The other replica may come to know it later.
    const refused = await waitForValue(
      'more to be refused',
      async () => show(await createConfigMap('facts', 'b', { n: '9' }, '?dryRun=All')),
      ({ message }) => !String(message).includes('no params found'),
    );
    expect(refused.message).toMatch(/denied request: more than 5$/);
    await cluster.request('PATCH', '/api/v1/namespaces/facts', {
      body: JSON.stringify({ metadata: { labels: { tier: 'tin' } } }),
      headers: mergePatch,
    });
    const labelled = await waitForValue(
      'the label to be known',
      async () => show(await createConfigMap('facts', 'c', { n: '1' }, '?dryRun=All')),
      ({ status }) => status === 422,
    );
    expect(labelled.message).toMatch(/denied request: not gold$/);
  });

  it('warns who applies what the host needs, and refuses what does not compile', async () => {
    const rules = [{ ...configMaps, apiGroups: ['*'], resources: ['*'], operations: ['*'] }];
    const makePolicy = (expression: string) => ({
      ...{ apiVersion: `${group}/v1`, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'unbound' } },
      spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression }] },
    });
    const refused = await create(policiesPath, makePolicy('object.x =='));
    expect({ status: refused.status, field: refused.body.details?.causes?.[0]?.field }).toEqual({
      status: 422,
      field: 'spec.validations[0].expression',
    });
    const created = await createOk(policiesPath, makePolicy('object.x == 1'));
    expect(String(created.headers['warning'])).toContain('nodes, namespaces, persistentvolumes and others');
    expect(String(created.headers['warning'])).toContain('bailiwick-system, kube-node-lease and kube-system');
    await waitUntil('the condition', async () => (await findCondition('unbound')).condition?.status === 'False');
    expect((await findCondition('unbound')).condition).toMatchObject({ reason: 'NotBound' });
  });

  it('lets nobody write policies whose parameters they may not read', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1';
    const apiGroup = 'rbac.authorization.k8s.io';
    const rules = [{ apiGroups: [group], resources: ['*'], verbs: ['*'] }];
    await createOk(`${roles}/clusterroles`, { metadata: { name: 'policy-writers' }, rules });
    await createOk(`${roles}/clusterrolebindings`, {
      metadata: { name: 'policy-writers' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'policy-writers' },
      subjects: [{ apiGroup, kind: 'User', name: 'bob' }],
    });
    const asBob = { 'impersonate-user': 'bob' };
    const makePolicy = (paramKind: object) => ({
      ...{ apiVersion: `${group}/v1`, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'nosy' } },
      spec: { paramKind, matchConstraints: { resourceRules: [configMaps] }, validations: [{ expression: 'true' }] },
    });
    const secrets = makePolicy({ apiVersion: 'v1', kind: 'Secret' });
    let refused = await create(policiesPath, secrets, asBob);
    await waitUntil('the role to be known', async () => {
      if (refused.status === 403) refused = await create(policiesPath, secrets, asBob);
      return refused.status !== 403;
    });
    expect(show(refused)).toMatchObject({
      status: 422,
      message: expect.stringContaining(
        'spec.paramKind: Forbidden: user &{bob  [system:authenticated] map[]} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)',
      ),
    });
    await createOk(policiesPath, secrets);
    const binding = {
      ...{ apiVersion: `${group}/v1`, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: 'nosy' } },
      spec: {
        ...{ policyName: 'nosy', validationActions: ['Deny'] },
        paramRef: { name: 'x', namespace: 'default', parameterNotFoundAction: 'Allow' },
      },
    };
    expect(show(await create(bindingsPath, binding, asBob))).toMatchObject({
      status: 422,
      message: expect.stringContaining('does not have "get" permission on the object referenced by paramRef'),
    });
    await cluster.request('DELETE', `${policiesPath}/nosy`);
  });

  it('is in force only once every replica has it', async () => {
    await createNamespace('replicas');
    await govern('replicas', [{ expression: "object.data.a == '1'" }]);
    // One that nobody is connected with, so that nobody waits for it when it stands still.
    run.leaveOut(0);
    expect(await run.webhooks[0]?.end('SIGTERM')).toBe(0);
    await run.startWebhooks(0);
    run.leaveOut(0);
    const [first] = run.webhooks;
    await waitUntil('both replicas to be known', async () => {
      const selector = 'labelSelector=app.kubernetes.io/component=webhooks-presence';
      const path = `/apis/coordination.k8s.io/v1/namespaces/${run.namespace}/leases?${selector}`;
      return (await cluster.request('GET', path)).body.items.length === 2;
    });
    // It has seen what was there before it.
    expect((await findCondition('replicas')).condition).toMatchObject({ status: 'True' });
    first?.process.kill('SIGSTOP');
    try {
      const patch = { spec: { validations: [{ expression: "object.data.a == '2'" }] } };
      const headers = mergePatch;
      const { status } = await cluster.request('PATCH', `${policiesPath}/replicas`, {
        body: JSON.stringify(patch),
        headers,
      });
      expect(status).toBe(200);
      // Before that, neither may have seen it.
      const { condition } = await waitForValue(
        'it to be told of the replica that stands still',
        () => findCondition('replicas'),
        (found) => found.condition?.message?.startsWith('1 of 2 ') === true,
      );
      expect(condition).toMatchObject({
        ...{ status: 'Unknown', reason: 'Pending', observedGeneration: 2 },
        message: '1 of 2 replicas of the webhooks have not seen it yet',
      });
    } finally {
      first?.process.kill('SIGCONT');
    }
    await waitForForce('replicas');
    for (const place of [0, 1]) {
      run.leaveOut(1 - place);
      expect((await createConfigMap('replicas', `x${place}`, { a: '1' })).status).toBe(422);
      expect((await createConfigMap('replicas', `x${place}`, { a: '2' })).status).toBe(201);
      run.takeIn(1 - place);
    }
  });

  it('does what failurePolicy says when nobody judges, and nothing in what is left out', async () => {
    const rules = [{ ...configMaps, apiGroups: ['*'], apiVersions: ['v1'], resources: ['*'], operations: ['*'] }];
    for (const failurePolicy of ['Fail', 'Ignore']) {
      const name = `down-${failurePolicy.toLowerCase()}`;
      await createNamespace(name);
      await govern(name, [{ expression: 'true' }], { rules, spec: { failurePolicy } });
    }
    await createNamespace('elsewhere');
    await Promise.all([run.killWebhooks(0), run.killWebhooks(1)]);
    try {
      expect(show(await createConfigMap('down-fail', 'x')).message).toContain('failed calling webhook');
      expect((await createConfigMap('down-ignore', 'x')).status).toBe(201);
      expect((await createConfigMap('kube-system', 'x')).status).toBe(201);
      expect((await createConfigMap('elsewhere', 'x')).status).toBe(201);
      // Whoever brought it about can mend it.
      expect((await cluster.request('DELETE', `${bindingsPath}/down-fail`)).status).toBe(200);
      await waitUntil('nothing to be asked', async () => (await createConfigMap('down-fail', 'y')).status === 201);
    } finally {
      await Promise.all([run.startWebhooks(0), run.startWebhooks(1)]);
    }
  });

  it('follows the setting of the release', async () => {
    await createNamespace('settings');
    await govern('settings', [{ expression: 'false', message: 'never' }]);
    await run.setEnforcement('Audit');
    const reasonOf = async () =>
      ((await findCondition('settings')).condition as { reason?: string } | undefined)?.reason;
    await waitUntil('the audit', async () => (await reasonOf()) === 'Audited');
    const audited = await createConfigMap('settings', 'a');
    expect([audited.status, String(audited.headers['warning'])]).toEqual([
      201,
      expect.stringContaining('would be refused: '),
    ]);
    await run.setEnforcement('Off');
    await waitUntil('nothing to be registered', async () => (await run.listEntries()).length === 0);
    await waitUntil('it to be told', async () => (await reasonOf()) === 'EnforcementOff');
    await waitUntil('nothing to be asked', async () => (await createConfigMap('settings', 'off')).status === 201);
    await run.setEnforcement('Enforce');
    await waitForForce('settings');
    expect((await createConfigMap('settings', 'b')).status).toBe(422);
    await run.setEnforcement('Audit');
    await waitUntil('the audit again', async () => (await reasonOf()) === 'Audited');
    expect((await createConfigMap('settings', 'c')).status).toBe(201);
    await run.setEnforcement('Enforce');
    await waitForForce('settings');
    expect((await createConfigMap('settings', 'd')).status).toBe(422);
    const list = await cluster.request('GET', registrationsPath);
    const names = (list.body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name.startsWith('bailiwick-system.test')).length).toBeGreaterThan(1);
  });

  it('lets go of what no policy needs any more', async () => {
    const { body } = await cluster.request('GET', policiesPath);
    for (const { metadata } of body.items as { metadata: { name: string } }[]) {
      await cluster.request('DELETE', `${policiesPath}/${metadata.name}`);
    }
    await waitUntil(
      'the entries to be gone',
      async () => !(await run.listEntries()).some((name) => name.startsWith('validation.policy')),
    );
    await waitUntil('the further configurations to be gone', async () => {
      const { body: left } = await cluster.request('GET', registrationsPath);
      const names = (left.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
      return names.join() === 'bailiwick-system.test';
    });
  });
});
