import { makeForbiddenError } from '../../../core/errors/make-status-error.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import type { StatusError } from '../../../core/errors/status.ts';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import type { AuthorizationAttributes } from '../../../core/meta/authorization-attributes.ts';

function describeAction(user: UserInfo, attributes: AuthorizationAttributes): string {
  const who = `User ${quoteGo(user.username)} cannot ${attributes.verb}`;
  if (attributes.type === 'non-resource') return `${who} path ${quoteGo(attributes.path)}`;
  const { resource, subresource, group, namespace } = attributes;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace ${quoteGo(namespace)}`;
  return `${who} resource ${quoteGo(what)} in API group ${quoteGo(group)} ${where}`;
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** 403 Forbidden for an action that nothing allows, in Kubernetes' wording; `reason` is the decision's. */
export function makeAuthorizationDeniedError(
  user: UserInfo,
  attributes: AuthorizationAttributes,
  reason: string,
): StatusError {
  const action = escapeMarkup(describeAction(user, attributes));
  const message = reason === '' ? action : `${action}: ${reason}`;
  return attributes.type === 'non-resource'
    ? makeForbiddenError('', '', '', message)
    : makeForbiddenError(attributes.group, attributes.resource, attributes.name ?? '', message);
}
