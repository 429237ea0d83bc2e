import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPolicyService, type PolicyService } from './testdata/policy-service.ts';

let service: PolicyService;

beforeAll(async () => {
  service = await startPolicyService();
});
afterAll(() => service.stop());
beforeEach(() => service.removePolicies());

const configMapRule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };
const validate = (expression: string, more: object = {}) => ({ validations: [{ expression, ...more }] });

/** Puts one policy `p` with a binding `b` into effect. */
async function enforce(spec: object, binding: object = {}): Promise<void> {
  await service.apply('p', { matchConstraints: { resourceRules: [configMapRule] }, ...spec });
  await service.bind('b', { policyName: 'p', validationActions: ['Deny'], ...binding });
}

let count = 0;
const createMap = (data: object = {}, metadata: object = {}, namespace = 'a') =>
  service.send('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
    body: { metadata: { name: `m${++count}`, ...metadata }, data },
  });

describe('a denial', () => {
  it('is worded as Kubernetes does, with all causes', async () => {
    await enforce({
      validations: [
        { expression: "object.data.a == 'x'", message: 'a must be x' },
        { expression: 'true' },
        { expression: "object.data.b == 'y'", messageExpression: "'b is ' + object.data.b" },
      ],
    });
    const { code, body } = await createMap({ a: 'y', b: 'z' }, { name: 'worded' });
    const denied = (message: string) => `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${message}`;
    expect([code, body]).toEqual([
      422,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `configmaps "worded" is forbidden: ${denied('a must be x')}`,
        reason: 'Invalid',
        details: {
          name: 'worded',
          kind: 'configmaps',
          causes: [{ message: denied('a must be x') }, { message: denied('b is z') }],
        },
        code: 422,
      },
    ]);
    expect((await createMap({ a: 'x', b: 'y' })).code).toBe(201);
  });

  it('has the reason and the code of the validation', async () => {
    await enforce(validate('false', { reason: 'Forbidden' }));
    expect((await createMap()).body).toMatchObject({ code: 403, reason: 'Forbidden' });
  });

  it('names the object whose name is generated', async () => {
    await enforce(validate("!request.name.startsWith('gen-')"));
    const { body } = await createMap({}, { name: undefined, generateName: 'gen-' });
    expect(body.message).toMatch(/^configmaps "gen-[a-z0-9]{5}" is forbidden: /);
  });
});

it('warns, and lets through', async () => {
  await enforce(validate('false', { message: 'so "so"' }), { validationActions: ['Warn'] });
  const { code, headers } = await createMap();
  expect(code).toBe(201);
  expect(headers['warning']).toBe(
    String.raw`299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': so \"so\""`,
  );
});

describe('operations', () => {
  it.for([
    ['UPDATE', 'oldObject.data.a == "1" && object.data.a == "2"', 'PUT'],
    ['DELETE', 'object == null && oldObject.data.a == "1"', 'DELETE'],
  ] as const)('sees objects of %s', async ([operation, expression, method]) => {
    await createMap({ a: '1' }, { name: `op-${operation.toLowerCase()}` });
    const path = `/api/v1/namespaces/a/configmaps/op-${operation.toLowerCase()}`;
    const rules = (negated: boolean) => ({
      matchConstraints: { resourceRules: [{ ...configMapRule, operations: [operation] }] },
      ...validate(negated ? `!(${expression})` : expression),
    });
    const body = { metadata: { name: `op-${operation.toLowerCase()}` }, data: { a: '2' } };
    await enforce(rules(true));
    expect((await service.send(method, path, { body: method === 'PUT' ? body : undefined })).code).toBe(422);
    await enforce(rules(false));
    expect((await service.send(method, path, { body: method === 'PUT' ? body : undefined })).code).toBe(200);
  });

  it('sees a Scale of a Deployment', async () => {
    const deployments = '/apis/apps/v1/namespaces/a/deployments';
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await service.send('POST', deployments, {
      body: { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } },
    });
    const rule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments/scale'] };
    await enforce({
      matchConstraints: { resourceRules: [rule] },
      ...validate("object.kind == 'Scale' && request.kind.group == 'autoscaling' && object.spec.replicas < 3"),
    });
    const scale = (replicas: number) =>
      service.send('PATCH', `${deployments}/d/scale`, {
        body: { spec: { replicas } },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
    expect((await scale(2)).code).toBe(200);
    expect((await scale(3)).body).toMatchObject({ code: 422, details: { group: 'apps', kind: 'deployments' } });
  });

  it('sees what is bound, and the options of the request', async () => {
    await enforce(validate("request.options.fieldManager == 'me' && request.dryRun"));
    const create = (query: string) =>
      service.send('POST', `/api/v1/namespaces/a/configmaps?${query}`, { body: { metadata: { name: 'options' } } });
    expect((await create('dryRun=All&fieldManager=me')).code).toBe(201);
    expect((await create('dryRun=All&fieldManager=you')).code).toBe(422);
  });
});

describe('where it applies', () => {
  it('keeps to namespaces by their labels', async () => {
    await service.makeNamespace('labelled', { env: 'prod' });
    await enforce(validate('false'), { matchResources: { namespaceSelector: { matchLabels: { env: 'prod' } } } });
    expect((await createMap()).code).toBe(201);
    expect((await createMap({}, {}, 'labelled')).code).toBe(422);
  });

  it('shows the namespace', async () => {
    await service.makeNamespace('shown', { env: 'prod' });
    await enforce(validate("namespaceObject.metadata.labels.env == 'prod'"));
    expect((await createMap({}, {}, 'shown')).code).toBe(201);
    expect((await createMap()).code).toBe(422);
  });

  it('never keeps policies and bindings from being changed', async () => {
    await enforce({
      matchConstraints: {
        resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
      },
      ...validate('false'),
    });
    expect((await createMap()).code).toBe(422);
    await service.removePolicies();
    expect((await createMap()).code).toBe(201);
  });

  it('matches an object by the other name of its group', async () => {
    const rule = {
      apiGroups: ['core.bailiwick.dev'],
      apiVersions: ['v1'],
      operations: ['*'],
      resources: ['limitranges'],
    };
    await enforce({
      matchConstraints: { resourceRules: [rule] },
      ...validate("object.apiVersion != 'core.bailiwick.dev/v1' || request.requestKind.group != ''"),
    });
    const answer = await service.send('POST', '/api/v1/namespaces/a/limitranges', {
      body: { metadata: { name: 'r' }, spec: { limits: [] } },
    });
    expect(answer.code).toBe(422);
  });
});

describe('parameters', () => {
  const withParams = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };
  const secretRule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['secrets'] };
  const createSecret = (namespace = 'a') =>
    service.send('POST', `/api/v1/namespaces/${namespace}/secrets`, { body: { metadata: { name: `s${++count}` } } });
  const enforceSecrets = (expression: string, paramRef: object, more: object = {}) =>
    enforce(
      { ...withParams, matchConstraints: { resourceRules: [secretRule] }, ...validate(expression), ...more },
      { paramRef: { parameterNotFoundAction: 'Deny', ...paramRef } },
    );

  it('finds them by name and by labels, in the namespace of the object', async () => {
    await createMap({ allow: 'yes' }, { name: 'param-one', labels: { of: 'params' } });
    await createMap({ allow: 'no' }, { name: 'param-two', labels: { of: 'params' } });
    await enforceSecrets("params.data.allow == 'yes'", { name: 'param-one' });
    expect((await createSecret()).code).toBe(201);
    await enforceSecrets("params.data.allow == 'yes'", { selector: { matchLabels: { of: 'params' } } });
    expect((await createSecret()).body).toMatchObject({ code: 422 });
  });

  it.for([
    ['Deny', {}, 422],
    ['Deny', { failurePolicy: 'Ignore' }, 201],
    ['Allow', {}, 201],
  ] as const)('when there is none: %s %j', async ([parameterNotFoundAction, more, code]) => {
    await enforceSecrets('false', { name: 'no-such-param', parameterNotFoundAction }, more);
    const answer = await createSecret();
    expect(answer.code, answer.text).toBe(code);
    if (code === 422) expect(answer.body.message).toContain('no params found for policy binding with `Deny`');
  });

  it('fails for a kind that nobody serves', async () => {
    await enforceSecrets('true', { name: 'x' }, { paramKind: { apiVersion: 'rules.example.com/v1', kind: 'Limit' } });
    expect((await createSecret()).body.message).toMatch(
      /: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'rules.example.com\/v1, Kind=Limit'$/,
    );
  });
});

it('asks authorization for whoever makes the request', async () => {
  await enforce(validate("authorizer.group('').resource('secrets').namespace('a').check('get').allowed()"));
  expect((await createMap()).code).toBe(201);
  service.forbid('secrets');
  expect((await createMap()).code).toBe(422);
});

it('refuses expressions that do not compile, at their place', async () => {
  const answer = await service.send('POST', service.policiesPath, {
    body: {
      metadata: { name: 'bad' },
      spec: { matchConstraints: { resourceRules: [configMapRule] }, ...validate('object.a &&') },
    },
  });
  expect(answer.body).toMatchObject({ code: 422, reason: 'Invalid' });
  const [cause] = answer.body.details.causes;
  expect(cause.field).toBe('spec.validations[0].expression');
  expect(cause.message).toMatch(
    /^Invalid value: "object.a &&": compilation failed: ERROR: <input>:1:12: Syntax error: /,
  );
});

it('lets nobody use parameters that they may not read', async () => {
  const write = (name: string) =>
    service.send('POST', service.policiesPath, {
      body: {
        metadata: { name },
        spec: {
          paramKind: { apiVersion: 'v1', kind: 'Secret' },
          matchConstraints: { resourceRules: [configMapRule] },
          ...validate('true'),
        },
      },
    });
  expect((await write('allowed')).code).toBe(201);
  service.forbid('secrets');
  const { body } = await write('forbidden');
  expect([body.code, body.details.causes[0].field, body.details.causes[0].message]).toEqual([
    422,
    'spec.paramKind',
    'Forbidden: user &{tester  [system:authenticated] map[]} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)',
  ]);
});

it('counts what it did', async () => {
  await enforce(validate('object.data.a == "x"'));
  await createMap({ a: 'y' });
  const text = await service.readMetrics();
  expect(text).toMatch(
    /apiserver_validating_admission_policy_check_total\{policy="p",policy_binding="b",error_type="invalid_error",enforcement_action="deny"\} \d+/,
  );
  expect(text).toMatch(/bailiwick_admission_policy_cost_total\{policy="p"\} \d+/);
});
