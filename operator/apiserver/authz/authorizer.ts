import type { AuthorizationAttributes } from '../../../core/meta/authorization-attributes.ts';
import type { UserInfo } from '../../../core/meta/user-info.ts';

/** `reason` explains: which binding allows, or why nothing did (empty in the usual case, as in Kubernetes). */
export interface AuthorizationDecision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Decides whether somebody may do something. */
export interface Authorizer {
  /** Sees every role and binding whose write was acknowledged before the call. */
  authorize(user: UserInfo, attributes: AuthorizationAttributes): Promise<AuthorizationDecision>;
}
