import { checkLabelName, checkSubdomainName } from '../../../validation/names.ts';
import { boolType, stringType, type CelType } from '../../types/cel-type.ts';
import { CelError, type CelResult } from '../../values/cel-value.ts';
import type { CelFunction, CelLibrary } from '../cel-library.ts';
import { costByName, makeFunction, type Call } from '../make-function.ts';
import { sizeOfArgument } from '../traversal-cost.ts';
import {
  Authorizer,
  authorizerType,
  type Decision,
  decisionType,
  GroupCheck,
  groupCheckType,
  PathCheck,
  pathCheckType,
  ResourceCheck,
  resourceCheckType,
} from './authorizer-values.ts';

/** So that an expression can afford two of them. */
const checkCost = 350_000;
const listCreateCost = 10;
const requirementCost = 50;

function isBlank(text: string): boolean {
  return /^[\p{White_Space}]*$/u.test(text);
}

function impersonateServiceAccount(authorizer: Authorizer, namespace: string, name: string): CelResult {
  if (checkSubdomainName(name, false).length > 0) return new CelError('Invalid service account name');
  if (checkLabelName(namespace, false).length > 0) return new CelError('Invalid service account namespace');
  const user = {
    username: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  };
  return new Authorizer(user, authorizer.permissions);
}

function checkPath({ authorizer, path }: PathCheck, verb: string): Decision {
  return authorizer.decide({ type: 'non-resource', verb, path });
}

function checkResource({ authorizer, checked }: ResourceCheck, verb: string): Decision {
  const { group, resource, subresource, namespace, name, fieldSelector, labelSelector } = checked;
  return authorizer.decide({
    type: 'resource',
    verb,
    group,
    version: '*',
    resource,
    ...(subresource ? { subresource } : {}),
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(fieldSelector ? { fieldSelector } : {}),
    ...(labelSelector ? { labelSelector } : {}),
  });
}

function costOfSelector(values: readonly CelResult[]): number {
  const length = sizeOfArgument(values, 1);
  return listCreateCost + Math.ceil(length * 0.1) + Math.ceil(Math.ceil(length * 0.5) * requirementCost);
}

function narrow(field: 'subresource' | 'namespace' | 'name' | 'fieldSelector' | 'labelSelector'): Call {
  return (check: ResourceCheck, text: string) => check.with({ [field]: text });
}

function makeStep(name: string, id: string, receiver: CelType, result: CelType, call: Call): CelFunction {
  return makeFunction(name, [{ id, isMember: true, parameters: [receiver, stringType], result, call }]);
}

function makeReading(name: string, id: string, result: CelType, call: Call): CelFunction {
  return makeFunction(name, [{ id, isMember: true, parameters: [decisionType], result, call }]);
}

/** Kubernetes' `kubernetes.authz` and `kubernetes.authzSelectors`. */
export const authorizerLibrary: CelLibrary = {
  name: 'kubernetes.authz',
  functions: [
    makeStep('path', 'authorizer_path', authorizerType, pathCheckType, (authorizer: Authorizer, path: string) =>
      isBlank(path) ? new CelError('path must not be empty') : new PathCheck(authorizer, path),
    ),
    makeStep(
      'group',
      'authorizer_group',
      authorizerType,
      groupCheckType,
      (authorizer: Authorizer, group: string) => new GroupCheck(authorizer, group),
    ),
    makeFunction('serviceAccount', [
      {
        id: 'authorizer_serviceaccount',
        isMember: true,
        parameters: [authorizerType, stringType, stringType],
        result: authorizerType,
        call: impersonateServiceAccount,
      },
    ]),
    makeStep(
      'resource',
      'groupcheck_resource',
      groupCheckType,
      resourceCheckType,
      ({ authorizer, group }: GroupCheck, resource: string) =>
        isBlank(resource)
          ? new CelError('resource must not be empty')
          : new ResourceCheck(authorizer, { group, resource }),
    ),
    makeStep('subresource', 'resourcecheck_subresource', resourceCheckType, resourceCheckType, narrow('subresource')),
    makeStep('namespace', 'resourcecheck_namespace', resourceCheckType, resourceCheckType, narrow('namespace')),
    makeStep('name', 'resourcecheck_name', resourceCheckType, resourceCheckType, narrow('name')),
    costByName(
      makeStep(
        'fieldSelector',
        'authorizer_fieldselector',
        resourceCheckType,
        resourceCheckType,
        narrow('fieldSelector'),
      ),
      costOfSelector,
    ),
    costByName(
      makeStep(
        'labelSelector',
        'authorizer_labelselector',
        resourceCheckType,
        resourceCheckType,
        narrow('labelSelector'),
      ),
      costOfSelector,
    ),
    costByName(
      makeFunction('check', [
        {
          id: 'pathcheck_check',
          isMember: true,
          parameters: [pathCheckType, stringType],
          result: decisionType,
          call: checkPath,
        },
        {
          id: 'resourcecheck_check',
          isMember: true,
          parameters: [resourceCheckType, stringType],
          result: decisionType,
          call: checkResource,
        },
      ]),
      () => checkCost,
    ),
    makeReading('errored', 'decision_errored', boolType, ({ answer }: Decision) => answer.error !== undefined),
    makeReading('error', 'decision_error', stringType, ({ answer }: Decision) => answer.error ?? ''),
    makeReading('allowed', 'decision_allowed', boolType, ({ answer }: Decision) => answer.allowed),
    makeReading('reason', 'decision_reason', stringType, ({ answer }: Decision) => answer.reason),
  ],
};
