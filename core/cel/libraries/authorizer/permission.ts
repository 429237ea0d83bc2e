import type { AuthorizationAttributes } from '../../../meta/authorization-attributes.ts';
import type { UserInfo } from '../../../meta/user-info.ts';

/** What an expression asks: may this user do this? */
export interface PermissionQuestion {
  readonly user: UserInfo;
  readonly attributes: AuthorizationAttributes;
}

/** What authorization said; `error` is absent when it did not fail. */
export interface PermissionAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Answers by the key of their question. */
export type Permissions = Readonly<Record<string, PermissionAnswer>>;

/** The key of a question: the same for the same user and action. */
export function keyOfQuestion({ user, attributes }: PermissionQuestion): string {
  const action =
    attributes.type === 'resource'
      ? [
          attributes.verb,
          attributes.group,
          attributes.resource,
          attributes.subresource,
          attributes.namespace,
          attributes.name,
          attributes.fieldSelector,
          attributes.labelSelector,
        ]
      : [attributes.verb, attributes.path];
  return JSON.stringify([user.username, user.uid, user.groups, user.extra, ...action]);
}
