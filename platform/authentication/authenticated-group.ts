import type { UserInfo } from '../../core/meta/user-info.ts';

const authenticatedGroup = 'system:authenticated';
const unauthenticatedGroup = 'system:unauthenticated';

/** Who makes requests without credentials where they are let in. */
export const anonymousUser: UserInfo = { username: 'system:anonymous', groups: [unauthenticatedGroup] };

/** Adds the group of everybody who has an identity. */
export function addAuthenticatedGroup(user: UserInfo): UserInfo {
  const { groups } = user;
  if (groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup)) return user;
  return { ...user, groups: [...groups, authenticatedGroup] };
}
