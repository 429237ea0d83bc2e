import { createHash } from 'node:crypto';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import type { ResourceClient } from '../resources/resource-client.ts';

/** A user as review kinds tell of one. */
export interface ReviewedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface TokenReview extends KubeObject {
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] };
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: ReviewedUser;
    readonly audiences?: readonly string[];
    readonly error?: string;
  };
}

/** Whose a token is; without a user it is nobody's, and `fault` says why where the reviewer says it. */
export interface TokenAnswer {
  readonly user?: UserInfo;
  readonly fault?: string;
}

const group = 'authentication.k8s.io';
const tokenReviews = { group, version: 'v1', resource: 'tokenreviews' };

/** The user that a review tells of. */
export function readReviewedUser(user: ReviewedUser | undefined): UserInfo {
  return {
    username: user?.username ?? '',
    groups: user?.groups ?? [],
    ...(user?.uid ? { uid: user.uid } : {}),
    ...(user?.extra === undefined ? {} : { extra: user.extra }),
  };
}

/** What a token is remembered by: a dump of the memory must not hold everybody's tokens for longer than their requests. */
export function digestToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('base64');
}

/**
 * Asks a host whose a bearer token is, by TokenReview. With `audiences` it must be meant for one of them, and a host that says nothing of
 * audiences vouches for none. Rejects when the host does not answer or does not let this program ask.
 */
export async function reviewToken(
  client: ResourceClient,
  token: string,
  audiences?: readonly string[],
): Promise<TokenAnswer> {
  const review: TokenReview = {
    apiVersion: `${group}/v1`,
    kind: 'TokenReview',
    metadata: {},
    spec: { token, ...(audiences === undefined ? {} : { audiences }) },
  };
  const { status } = await client.create<TokenReview>({ resource: tokenReviews }, review);
  const isMeant = audiences === undefined || (status?.audiences ?? []).some((one) => audiences.includes(one));
  if (status?.authenticated === true && isMeant) return { user: readReviewedUser(status.user) };
  return status?.error ? { fault: status.error } : {};
}
