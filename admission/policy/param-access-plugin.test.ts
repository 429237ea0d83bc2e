import { describe, expect, it } from 'vitest';
import type { PermissionQuestion } from '../../core/cel/libraries/authorizer/permission.ts';
import { StatusError } from '../../core/errors/status.ts';
import type { ValidatingAdmissionPolicy } from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { ParamAccessPlugin } from './param-access-plugin.ts';

const group = 'admissionregistration.example.org';
const secrets = { apiVersion: 'v1', kind: 'Secret' };
const bob = { username: 'bob', groups: ['g', 'h'] };

function makePolicy(paramKind?: object): ValidatingAdmissionPolicy {
  return {
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: { paramKind },
  } as ValidatingAdmissionPolicy;
}

/** How a write ends for somebody who may do nothing, or what `allowed` says, and what was asked. */
async function judge(parts: object, allowed = false, policy?: ValidatingAdmissionPolicy) {
  const asked: string[] = [];
  const plugin = new ParamAccessPlugin({
    domain: 'example.org',
    askPermission: async ({ attributes }: PermissionQuestion) => {
      if (attributes.type === 'resource') {
        const { verb, group: asking, resource, namespace = '', name = '' } = attributes;
        asked.push(`${verb} ${asking}/${resource} ${namespace}/${name}`);
      }
      return { allowed, reason: '' };
    },
    resolveKind: async ({ kind }) =>
      kind === 'Secret' ? { resource: { group: '', version: 'v1', resource: 'secrets' }, namespaced: true } : undefined,
    findPolicy: async () => policy,
  });
  const attributes = { operation: 'CREATE', user: bob, ...parts } as unknown as AdmissionAttributes;
  let message = 'let through';
  try {
    if (plugin.handles(attributes)) await plugin.validate(attributes);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    message = `${error.status.code} ${error.message}`;
  }
  return { asked, message };
}

describe('ParamAccessPlugin', () => {
  const policies = { resource: { group, version: 'v1', resource: 'validatingadmissionpolicies' } };
  const bindings = { resource: { group, version: 'v1', resource: 'validatingadmissionpolicybindings' } };
  const makeBinding = (paramRef?: object) => ({
    ...bindings,
    object: { kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: 'b' }, spec: { policyName: 'p', paramRef } },
  });
  const refused =
    '422 ValidatingAdmissionPolicy.admissionregistration.example.org "p" is invalid: spec.paramKind: Forbidden: ';
  const refusedRef =
    '422 ValidatingAdmissionPolicyBinding.admissionregistration.example.org "b" is invalid: spec.paramRef: Forbidden: ';
  const user = 'user &{bob  [g h] map[]}';

  it.for<[string, object, ValidatingAdmissionPolicy | undefined, string[], string]>([
    ['no parameters', { ...policies, object: makePolicy() }, undefined, [], 'let through'],
    [
      'parameters that one may not read',
      { ...policies, object: makePolicy(secrets) },
      undefined,
      ['get /secrets */*'],
      `${refused}${user} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)`,
    ],
    [
      'parameters that were there',
      { ...policies, operation: 'UPDATE', object: makePolicy(secrets), oldObject: makePolicy(secrets) },
      undefined,
      [],
      'let through',
    ],
    [
      'superusers',
      { ...policies, object: makePolicy(secrets), user: { username: 'root', groups: ['system:masters'] } },
      undefined,
      [],
      'let through',
    ],
    ['statuses', { ...policies, subresource: 'status', object: makePolicy(secrets) }, undefined, [], 'let through'],
    ['bindings without', makeBinding(), undefined, [], 'let through'],
    [
      'an object that one may not read',
      makeBinding({ name: 'x', namespace: 'n' }),
      makePolicy(secrets),
      ['get /secrets n/x'],
      `${refusedRef}${user} does not have "get" permission on the object referenced by paramRef`,
    ],
    [
      'objects that one may not list',
      makeBinding({ selector: {} }),
      makePolicy(secrets),
      ['list /secrets /'],
      `${refusedRef}${user} does not have "list" permission on the object referenced by paramRef`,
    ],
    [
      'a policy that is not there',
      makeBinding({ name: 'x' }),
      undefined,
      ['get */* /x'],
      `${refusedRef}unable to get policy p to determine minimum required permissions and ${user} does not have "get" permission for all groups, versions and resources`,
    ],
    [
      'a kind that nobody serves',
      makeBinding({ name: 'x' }),
      makePolicy({ apiVersion: 'a.b/v1', kind: 'C' }),
      ['get a.b/* /x'],
      `${refusedRef}unable to resolve paramKind &{C a.b/v1} to determine minimum required permissions and ${user} does not have "get" permission for all groups, versions and resources`,
    ],
  ])('%s', async ([, parts, policy, asked, message]) => {
    expect(await judge(parts, false, policy)).toEqual({ asked, message });
    expect((await judge(parts, true, policy)).message).toBe('let through');
  });
});
