import { checkDns1123Label, checkDns1123Subdomain } from '../../../core/validation/names.ts';

const usernamePrefix = 'system:serviceaccount:';

/** User name of a service account: `system:serviceaccount:NAMESPACE:NAME`. */
export function formatServiceAccountUsername(namespace: string, name: string): string {
  return `${usernamePrefix}${namespace}:${name}`;
}

/** Groups that every service account of a namespace is in, beside `system:authenticated`. */
export function listServiceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** Namespace and name in a service account's user name; `undefined` for any other user. */
export function parseServiceAccountUsername(username: string): { namespace: string; name: string } | undefined {
  if (!username.startsWith(usernamePrefix)) return undefined;
  const parts = username.slice(usernamePrefix.length).split(':');
  const [namespace, name] = parts;
  if (parts.length !== 2 || namespace === undefined || name === undefined) return undefined;
  if (checkDns1123Label(namespace).length > 0 || checkDns1123Subdomain(name).length > 0) return undefined;
  return { namespace, name };
}
