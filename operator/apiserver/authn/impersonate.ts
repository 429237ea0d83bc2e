import type { IncomingHttpHeaders } from 'node:http';
import { getOwn, setOwn } from '../../../core/meta/json.ts';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import { makeAuthorizationDeniedError } from '../authz/authorization-denied.ts';
import type { ResourceAttributes } from '../../../core/meta/authorization-attributes.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import type { DistinctHeaders } from './authenticator.ts';
import { UnreadableRequestError } from '../unreadable-request-error.ts';
import { listServiceAccountGroups, parseServiceAccountUsername } from '../authz/service-account-name.ts';

const headerPrefix = 'impersonate-';
const extraPrefix = 'impersonate-extra-';
const authenticationApiVersion = 'authentication.k8s.io/v1';
const anonymousUser = 'system:anonymous';
const authenticatedGroup = 'system:authenticated';
const unauthenticatedGroup = 'system:unauthenticated';

/** Whom a request wants to act as. */
interface ImpersonationRequest {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

function decodeExtraKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A malformed escape stays as it is: what is asked for is still recorded and authorized.
    return text;
  }
}

/** Reads the impersonation headers; `undefined` when there are none. Throws an UnreadableRequestError without a user. */
function readImpersonationRequest(headers: DistinctHeaders): ImpersonationRequest | undefined {
  const username = headers['impersonate-user']?.[0] ?? '';
  const groups = headers['impersonate-group'] ?? [];
  const uid = headers['impersonate-uid']?.[0] ?? '';
  const extra: Record<string, string[]> = {};
  for (const [header, values] of Object.entries(headers)) {
    if (!header.startsWith(extraPrefix) || values === undefined) continue;
    const key = decodeExtraKey(header.slice(extraPrefix.length));
    setOwn(extra, key, [...((getOwn(extra, key) as string[] | undefined) ?? []), ...values]);
  }
  if (username !== '') return { username, groups, uid, extra };
  if (groups.length === 0 && uid === '' && Object.keys(extra).length === 0) return undefined;
  const requested = [
    ...groups.map((group) => `{Group  ${group}    }`),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => `{UserExtra  ${value}  ${authenticationApiVersion}  ${key}}`),
    ),
    ...(uid === '' ? [] : [`{UID  ${uid}  ${authenticationApiVersion}  }`]),
  ];
  throw new UnreadableRequestError(`requested [${requested.join(' ')}] without impersonating a user`);
}

/** What the requester must be allowed to impersonate, in the order in which Kubernetes asks. */
function listRequiredRights(request: ImpersonationRequest): ResourceAttributes[] {
  const common = { type: 'resource', verb: 'impersonate' } as const;
  const core = { ...common, group: '', version: 'v1' };
  const authentication = { ...common, group: 'authentication.k8s.io', version: 'v1' };
  const account = parseServiceAccountUsername(request.username);
  const rights: ResourceAttributes[] = [
    account === undefined
      ? { ...core, resource: 'users', name: request.username }
      : { ...core, resource: 'serviceaccounts', namespace: account.namespace, name: account.name },
  ];
  for (const name of request.groups) rights.push({ ...core, resource: 'groups', name });
  for (const [key, values] of Object.entries(request.extra)) {
    for (const name of values) rights.push({ ...authentication, resource: 'userextras', subresource: key, name });
  }
  if (request.uid !== '') rights.push({ ...authentication, resource: 'uids', name: request.uid });
  return rights;
}

function listEffectiveGroups(request: ImpersonationRequest): string[] {
  const account = parseServiceAccountUsername(request.username);
  const groups =
    request.groups.length === 0 && account !== undefined
      ? listServiceAccountGroups(account.namespace)
      : [...request.groups];
  if (request.username === anonymousUser) {
    if (!groups.includes(unauthenticatedGroup)) groups.push(unauthenticatedGroup);
  } else if (!groups.includes(authenticatedGroup) && !groups.includes(unauthenticatedGroup)) {
    groups.push(authenticatedGroup);
  }
  return groups;
}

/** Whether there is a header of impersonation at all: few requests have one, and all values of all headers are not read for nothing. */
export function asksToImpersonate(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith(headerPrefix)) return true;
  return false;
}

/**
 * The user that a request acts as, by its `Impersonate-*` headers; `user` itself when it has none.
 * Throws a StatusError (403) when `user` may not impersonate one of what it asks for.
 */
export async function impersonate(user: UserInfo, headers: DistinctHeaders, authorizer: Authorizer): Promise<UserInfo> {
  const request = readImpersonationRequest(headers);
  if (request === undefined) return user;
  for (const attributes of listRequiredRights(request)) {
    const { allowed, reason } = await authorizer.authorize(user, attributes);
    if (!allowed) throw makeAuthorizationDeniedError(user, attributes, reason);
  }
  return {
    username: request.username,
    groups: listEffectiveGroups(request),
    extra: request.extra,
    ...(request.uid === '' ? {} : { uid: request.uid }),
  };
}
