import type { UserInfo } from '../../../core/meta/user-info.ts';
import type { Authorizer } from '../authz/authorizer.ts';

/** Whether a user may be told what FlowSchemas and levels are called: as Kubernetes, everybody else is told their uids only. */
export async function mayReadFlowObjects(authorizer: Authorizer, domain: string, user: UserInfo): Promise<boolean> {
  const group = `flowcontrol.apiserver.${domain}`;
  for (const resource of ['flowschemas', 'prioritylevelconfigurations']) {
    const attributes = { type: 'resource', verb: 'list', group, version: 'v1', resource } as const;
    if (!(await authorizer.authorize(user, attributes)).allowed) return false;
  }
  return true;
}
