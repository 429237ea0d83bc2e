import type { IncomingMessage } from 'node:http';
import type { UserInfo } from '../../core/meta/user-info.ts';

/** Who may make a request, or the plain text that refuses it. */
export type AccessAnswer =
  { readonly user: UserInfo } | { readonly refusal: { readonly status: 401 | 403 | 500; readonly message: string } };

/** Decides about requests before they are served. */
export interface RequestGuard {
  /** Never rejects: what cannot be found out is a refusal. */
  check(request: IncomingMessage): Promise<AccessAnswer>;
}
