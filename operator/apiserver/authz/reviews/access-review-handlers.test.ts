import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../core/meta/json.ts';
import type { KubeObject } from '../../../../core/meta/kube-object.ts';
import type { UserInfo } from '../../../../core/meta/user-info.ts';
import type { SubresourceContext, SubresourceRequest } from '../../subresource-handler.ts';
import type { AuthorizationAttributes } from '../../../../core/meta/authorization-attributes.ts';
import type { Authorizer } from '../authorizer.ts';
import type { RbacIndex } from '../rbac/rbac-index.ts';
import { createAccessReviewHandlers } from './access-review-handlers.ts';

const ann: UserInfo = { username: 'ann', groups: ['system:authenticated'] };

/** Allows what names the verb `get`. */
class GetAuthorizer implements Authorizer {
  asked: { user: UserInfo; attributes: AuthorizationAttributes } | undefined;

  async authorize(user: UserInfo, attributes: AuthorizationAttributes): Promise<{ allowed: boolean; reason: string }> {
    this.asked = { user, attributes };
    return { allowed: attributes.verb === 'get', reason: attributes.verb === 'get' ? 'RBAC: allowed by x' : '' };
  }
}

const index = {
  sync: async () => undefined,
  listRules: () => ({
    rules: [
      { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
      { verbs: ['get'], nonResourceURLs: ['/version'] },
    ],
    faults: [],
  }),
} as unknown as RbacIndex;

async function review(resource: string, body: JsonObject, namespace?: string) {
  const authorizer = new GetAuthorizer();
  const handler = createAccessReviewHandlers({ authorizer, index }).find((each) => each.target.resource === resource);
  if (handler === undefined) throw new Error(`nobody serves ${resource}`);
  const request = {
    ...(namespace === undefined ? {} : { namespace }),
    name: '',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'Review', metadata: {}, ...body } as KubeObject & JsonObject,
    user: ann,
    dryRun: false,
    fieldManager: 'test',
  } as unknown as SubresourceRequest;
  const outcome = await handler.handle(request, {} as SubresourceContext).then(
    ({ code, object }) => ({ code, answer: object }),
    (error: unknown) => ({
      code: (error as { status: { code: number } }).status.code,
      answer: (error as { status: JsonObject }).status,
    }),
  );
  return { ...outcome, asked: authorizer.asked };
}

describe('an access review', () => {
  it('asks about the requester', async () => {
    const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'x' };
    const { code, answer, asked } = await review('selfsubjectaccessreviews', { spec: { resourceAttributes } });
    expect(code).toBe(201);
    expect(answer['status']).toEqual({ allowed: true, reason: 'RBAC: allowed by x' });
    expect(asked).toEqual({
      user: ann,
      attributes: { type: 'resource', verb: 'get', group: '', version: '*', resource: 'pods', namespace: 'x' },
    });
  });

  it('asks about somebody else', async () => {
    const spec = {
      user: 'bob',
      groups: ['g'],
      uid: '7',
      extra: { k: ['v'] },
      nonResourceAttributes: { path: '/x', verb: 'post' },
    };
    const { answer, asked } = await review('subjectaccessreviews', { spec });
    expect(answer['status']).toEqual({ allowed: false });
    expect(asked).toEqual({
      user: { username: 'bob', groups: ['g'], uid: '7', extra: { k: ['v'] } },
      attributes: { type: 'non-resource', verb: 'post', path: '/x' },
    });
  });

  const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'x' };
  const invalid: [string, string, JsonObject, string][] = [
    [
      'nothing asked, nobody named, a name',
      'subjectaccessreviews',
      { metadata: { name: 'x' }, spec: {} },
      '.authorization.k8s.io "" is invalid: [spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid value: "": at least one of user or group must be specified, metadata: Invalid value: {"name":"x"}: must be empty]',
    ],
    [
      'both sorts of attributes',
      'subjectaccessreviews',
      { spec: { user: 'u', nonResourceAttributes: { path: '/x' }, resourceAttributes: { verb: 'get' } } },
      '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":""}: cannot be specified in combination with resourceAttributes',
    ],
    [
      'selectors that are none',
      'subjectaccessreviews',
      {
        spec: {
          user: 'u',
          resourceAttributes: {
            verb: 'get',
            fieldSelector: {},
            labelSelector: { rawSelector: 'a=b', requirements: [{ key: '-', operator: 'Foo' }] },
          },
        },
      },
      ".authorization.k8s.io \"\" is invalid: [spec.resourceAttributes.fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required, spec.resourceAttributes.labelSelector.rawSelector: Invalid value: \"a=b\": may not specified at the same time as requirements, spec.resourceAttributes.labelSelector.requirements[0].key: Invalid value: \"-\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]",
    ],
    [
      'another namespace',
      'localsubjectaccessreviews',
      { metadata: { namespace: 'default' }, spec: { user: 'u', resourceAttributes } },
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "x": must match metadata.namespace',
    ],
  ];
  it.for(invalid)('refuses %s', async ([, resource, body, message]) => {
    const { code, answer } = await review(resource, body, 'default');
    expect(code).toBe(422);
    expect(answer['message']).toBe(message);
  });

  const selectors: [string, JsonObject, string | undefined][] = [
    ['a label query', { labelSelector: { rawSelector: 'a in (b)' } }, undefined],
    [
      'a broken label query',
      { labelSelector: { rawSelector: 'a in (' } },
      'spec.resourceAttributes.labelSelector ignored due to parse error',
    ],
    [
      'a broken field query',
      { fieldSelector: { rawSelector: 'a' } },
      'spec.resourceAttributes.fieldSelector ignored due to parse error',
    ],
    [
      'a requirement that is understood and one that is not',
      {
        fieldSelector: {
          requirements: [
            { key: 'a', operator: 'In', values: ['b'] },
            { key: 'a', operator: 'Exists' },
          ],
        },
      },
      'spec.resourceAttributes.fieldSelector partially ignored due to parse error',
    ],
    [
      'an operator of the future',
      { labelSelector: { requirements: [{ key: 'a', operator: 'Like' }] } },
      'spec.resourceAttributes.labelSelector ignored due to parse error',
    ],
  ];
  it.for(selectors)('says what it left out of account: %s', async ([, selector, fault]) => {
    const spec = { resourceAttributes: { ...resourceAttributes, ...selector } };
    const { answer } = await review('selfsubjectaccessreviews', { spec });
    expect((answer['status'] as JsonObject)['evaluationError']).toBe(fault);
  });
});

describe('a rules review', () => {
  it('lists the rules of the requester', async () => {
    const { code, answer } = await review('selfsubjectrulesreviews', { spec: { namespace: 'x' } });
    expect(code).toBe(201);
    expect(answer).toMatchObject({
      spec: {},
      status: {
        resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version'] }],
        incomplete: false,
      },
    });
  });

  it('needs a namespace', async () => {
    const { code, answer } = await review('selfsubjectrulesreviews', { spec: {} });
    expect([code, answer['message']]).toEqual([400, 'no namespace on request']);
  });
});
