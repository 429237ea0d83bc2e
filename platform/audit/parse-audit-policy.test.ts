import { describe, expect, it } from 'vitest';
import { makeDefaultAuditPolicy } from './audit-policy.ts';
import { parseAuditPolicy } from './parse-audit-policy.ts';
import { type AuditedRequest, planAuditLevel } from './plan-audit-level.ts';

const head = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';

describe('parseAuditPolicy', () => {
  it('reads every field', () => {
    const parsed = parseAuditPolicy(`${head}
metadata: { name: ours }
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  - level: RequestResponse
    users: [jane]
    userGroups: [ops]
    verbs: [create]
    resources:
      - group: apps
        resources: [deployments, deployments/*]
        resourceNames: [web]
      - resources: [pods]
    namespaces: [team-a, '']
    omitStages: [Panic]
    omitManagedFields: false
  - level: Metadata
    nonResourceURLs: [/version, '/healthz*', '*']
`);
    expect(parsed).toMatchObject({
      warnings: [],
      policy: {
        omitStages: ['RequestReceived'],
        omitManagedFields: true,
        rules: [
          {
            level: 'RequestResponse',
            users: ['jane'],
            resources: [
              { group: 'apps', resourceNames: ['web'] },
              { group: '', resources: ['pods'], resourceNames: [] },
            ],
            omitManagedFields: false,
          },
          { level: 'Metadata', verbs: [] },
        ],
      },
    });
  });

  it('warns of fields that mean nothing, and leaves them out', () => {
    const parsed = parseAuditPolicy(`${head}extra: 1\nrules: [{ level: None, verb: [get] }]`);
    expect(parsed).toMatchObject({
      warnings: expect.arrayContaining(['unknown field "extra"', 'unknown field "rules[0].verb"']),
      policy: { rules: [{ level: 'None', verbs: [] }] },
    });
  });

  it.for<[string, string, string]>([
    ['no YAML', 'a: [', 'failed decoding: '],
    ['nothing', '', 'policy: '],
    [
      'another version',
      'apiVersion: audit.k8s.io/v1beta1\nkind: Policy\nrules: [{level: None}]',
      'unknown group version field audit.k8s.io/v1beta1, Kind=Policy in policy',
    ],
    ['no rules', head, 'loaded illegal policy with 0 rules'],
    ['a rule without a level', `${head}rules: [{}]`, 'rules[0].level: Required value'],
    [
      'an unknown level',
      `${head}rules: [{level: All}]`,
      'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      'an unknown stage',
      `${head}omitStages: [Begin]\nrules: [{level: None}]`,
      'omitStages[0]: Invalid value: "Begin": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [
      'a path without its slash',
      `${head}rules: [{level: None, nonResourceURLs: [version]}]`,
      'rules[0].nonResourceURLs[0]: Invalid value: "version": non-resource URL rules must begin with a \'/\' character',
    ],
    [
      'a wildcard inside of a path',
      `${head}rules: [{level: None, nonResourceURLs: [/a*b]}]`,
      'rules[0].nonResourceURLs[0]: Invalid value: "/a*b": non-resource URL wildcards \'*\' must be the final character of the rule',
    ],
    [
      'paths beside resources',
      `${head}rules: [{level: None, nonResourceURLs: [/a], namespaces: [b]}]`,
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      'a group with its version',
      `${head}rules: [{level: None, resources: [{group: apps/v1}]}]`,
      'rules[0].resources.group: Invalid value: "apps/v1": ',
    ],
    [
      'names without a resource',
      `${head}rules: [{level: None, resources: [{group: apps, resourceNames: [a]}]}]`,
      'rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
    ],
    ['a field of another type', `${head}rules: [{level: None, verbs: 3}]`, 'rules[0].verbs: '],
  ])('refuses %s', ([, text, fault]) => {
    const parsed = parseAuditPolicy(text);
    expect('faults' in parsed ? parsed.faults : []).toEqual([expect.stringContaining(fault)]);
  });
});

const request: AuditedRequest = {
  user: { username: 'jane', groups: ['ops', 'system:authenticated'] },
  verb: 'create',
  isResourceRequest: true,
  path: '/apis/apps/v1/namespaces/team-a/deployments/web/scale',
  apiGroup: 'apps',
  namespace: 'team-a',
  resource: 'deployments',
  subresource: 'scale',
  name: 'web',
};

const plain: AuditedRequest = {
  ...request,
  verb: 'get',
  isResourceRequest: false,
  path: '/healthz/ping',
  ...{ apiGroup: '', namespace: '', resource: '', subresource: '', name: '' },
};

describe('planAuditLevel', () => {
  const plan = (rule: string, asked: AuditedRequest) => {
    const parsed = parseAuditPolicy(`${head}rules: [{level: Request, ${rule}}]`);
    if ('faults' in parsed) throw new Error(parsed.faults.join());
    return planAuditLevel(parsed.policy, asked).level === 'Request';
  };

  it.for<[string, boolean, Partial<AuditedRequest>?]>([
    ['verbs: []', true],
    ['users: [jane]', true],
    ['users: [joe]', false],
    ['users: [jane]', false, { user: undefined }],
    ['userGroups: [dev, ops]', true],
    ['userGroups: [dev]', false],
    ['userGroups: [ops]', false, { user: undefined }],
    ['verbs: [create, update]', true],
    ['verbs: [delete]', false],
    ['namespaces: [team-a]', true],
    ['namespaces: [""]', false],
    ['namespaces: [""]', true, { namespace: '' }],
    ['resources: [{group: apps}]', true],
    ['resources: [{group: ""}]', false],
    ['resources: [{group: apps, resources: [deployments]}]', false],
    ['resources: [{group: apps, resources: [deployments]}]', true, { subresource: '' }],
    ['resources: [{group: apps, resources: [deployments/scale]}]', true],
    ['resources: [{group: apps, resources: [deployments/*]}]', true],
    ['resources: [{group: apps, resources: ["*/scale"]}]', true],
    ['resources: [{group: apps, resources: ["*/status"]}]', false],
    ['resources: [{group: apps, resources: ["*"]}]', true],
    ['resources: [{group: apps, resources: ["*"], resourceNames: [web]}]', true],
    ['resources: [{group: apps, resources: ["*"], resourceNames: [db]}]', false],
    ['resources: [{group: ""}, {group: apps}], namespaces: [team-b]', false],
    ['nonResourceURLs: ["*"]', false],
  ])('{%s} matches a request for a resource: %s', ([rule, expected, change]) => {
    expect(plan(rule, { ...request, ...change })).toBe(expected);
  });

  it.for<[string, boolean]>([
    ['nonResourceURLs: [/healthz/ping]', true],
    ['nonResourceURLs: ["/healthz*"]', true],
    ['nonResourceURLs: ["*"]', true],
    ['nonResourceURLs: [/healthz]', false],
    ['namespaces: [""]', false],
    ['verbs: [get]', true],
  ])('{%s} matches another request: %s', ([rule, expected]) => {
    expect(plan(rule, plain)).toBe(expected);
  });

  it('takes the first rule that matches, with the stages that policy and rule leave out', () => {
    const parsed = parseAuditPolicy(`${head}
omitStages: [Panic]
omitManagedFields: true
rules:
  - { level: Metadata, verbs: [create], omitStages: [RequestReceived], omitManagedFields: false }
  - { level: Request }
`);
    if ('faults' in parsed) throw new Error(parsed.faults.join());
    expect(planAuditLevel(parsed.policy, request)).toEqual({
      level: 'Metadata',
      omitStages: ['Panic', 'RequestReceived'],
      omitManagedFields: false,
    });
    expect(planAuditLevel(parsed.policy, { ...request, verb: 'get' })).toEqual({
      level: 'Request',
      omitStages: ['Panic'],
      omitManagedFields: true,
    });
  });

  it('records nothing that no rule matches, and by default what is written', () => {
    expect(planAuditLevel({ rules: [], omitStages: [], omitManagedFields: false }, request).level).toBe('None');
    expect(planAuditLevel(makeDefaultAuditPolicy('k8s.io'), request).level).toBe('Metadata');
    expect(planAuditLevel(makeDefaultAuditPolicy('k8s.io'), plain).level).toBe('None');
  });

  it.for<[string, string, string, string]>([
    ['get', 'checkpoints', 'archive', 'Metadata'],
    ['get', 'checkpoints', '', 'None'],
    ['list', 'checkpoints', '', 'None'],
    ['delete', 'checkpoints', '', 'Metadata'],
    ['create', 'pods', 'checkpoint', 'Metadata'],
  ])('records by default who reads the memory of a container: %s %s/%s', ([verb, resource, subresource, level]) => {
    const asked = { ...request, verb, apiGroup: 'node.example.com', resource, subresource };
    expect(planAuditLevel(makeDefaultAuditPolicy('example.com'), asked).level).toBe(level);
  });
});
