import type { KubeObject } from '../../core/meta/kube-object.ts';
import { readWholeLines } from './read-whole-lines.ts';

/** What one service account asked the API server for, as a line of its audit log has it. */
export interface AuditedRequest {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  /** `authorization.k8s.io/decision` is `allow` or `forbid`. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
}

/** A rule of a Role or ClusterRole. */
interface RoleRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A Role or a ClusterRole. */
export interface RoleObject extends KubeObject {
  readonly rules: readonly RoleRule[];
}

/** Reads what service accounts of the namespace did. */
export async function readAuditLog(file: string, namespace: string): Promise<AuditedRequest[]> {
  const requests = (await readWholeLines(file)).map((line) => JSON.parse(line) as AuditedRequest);
  return requests.filter(({ user }) => user.username.startsWith(`system:serviceaccount:${namespace}:`));
}

/** One line for each different request that the host refused for want of rights. */
export function listRefusals(requests: readonly AuditedRequest[]): string[] {
  const refused = requests.filter(({ annotations }) => annotations?.['authorization.k8s.io/decision'] === 'forbid');
  return [...new Set(refused.map(({ user, verb, requestURI }) => `${user.username} ${verb} ${requestURI}`))];
}

function uses(request: AuditedRequest, group: string, resource: string, names: readonly string[] | undefined): boolean {
  const { objectRef } = request;
  if (objectRef === undefined || (group !== '*' && (objectRef.apiGroup ?? '') !== group)) return false;
  const asked =
    objectRef.subresource === undefined ? objectRef.resource : `${objectRef.resource}/${objectRef.subresource}`;
  const isNamed = asked === resource || (resource.startsWith('*/') && asked.endsWith(resource.slice(1)));
  return isNamed && (names === undefined || names.includes(objectRef.name ?? ''));
}

/** Rights of a role, as `verb group/resource`, that none of the account's requests needed. */
export function listUnusedRights(role: RoleObject, account: string, requests: readonly AuditedRequest[]): string[] {
  const own = requests.filter(({ user }) => user.username.endsWith(`:${account}`));
  const unused: string[] = [];
  for (const rule of role.rules) {
    for (const group of rule.apiGroups) {
      for (const resource of rule.resources) {
        for (const verb of rule.verbs) {
          const isUsed = own.some(
            (request) => request.verb === verb && uses(request, group, resource, rule.resourceNames),
          );
          if (!isUsed) unused.push(`${verb} ${group}/${resource}`);
        }
      }
    }
  }
  return unused;
}
