import type { AuthorizationAttributes } from '../../../core/meta/authorization-attributes.ts';
import type { RequestInfo } from '../request-info.ts';

/** What an authorizer is asked about a request. */
export function makeAuthorizationAttributes(info: RequestInfo): AuthorizationAttributes {
  if (!info.isResourceRequest) return { type: 'non-resource', verb: info.verb, path: info.path };
  return {
    type: 'resource',
    verb: info.verb,
    group: info.apiGroup,
    version: info.apiVersion,
    resource: info.resource,
    ...(info.subresource === '' ? {} : { subresource: info.subresource }),
    ...(info.namespace === '' ? {} : { namespace: info.namespace }),
    ...(info.name === '' ? {} : { name: info.name }),
  };
}
