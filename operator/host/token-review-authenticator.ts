import { createHash } from 'node:crypto';
import { hasReason } from '../../core/errors/status.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { AuthenticationResult, TokenAuthenticator } from '../apiserver/authn/authenticator.ts';
import { ExpiringCache } from '../../platform/process/expiring-cache.ts';

export interface TokenReviewOptions {
  /** Acts with this program's own credentials. */
  readonly client: ResourceClient;
  /** Acts with the given token. */
  readonly clientOf: (token: string) => ResourceClient;
  readonly clock: Clock;
}

interface ReviewedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface TokenReview extends KubeObject {
  readonly spec: { readonly token: string };
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: ReviewedUser;
    readonly audiences?: readonly string[];
    readonly error?: string;
  };
}

interface SelfSubjectReview extends KubeObject {
  readonly status?: { readonly userInfo?: ReviewedUser };
}

/** As long as Kubernetes' own servers believe the answer to a token review, whatever it is. */
const LIFE_MILLIS = 10_000;
const MAX_TOKENS = 4096;

const group = 'authentication.k8s.io';
const tokenReviews = { group, version: 'v1', resource: 'tokenreviews' };
const selfSubjectReviews = { group, version: 'v1', resource: 'selfsubjectreviews' };

function readUser(user: ReviewedUser | undefined): UserInfo {
  return {
    username: user?.username ?? '',
    groups: user?.groups ?? [],
    ...(user?.uid ? { uid: user.uid } : {}),
    ...(user?.extra === undefined ? {} : { extra: user.extra }),
  };
}

/**
 * Asks the host who a bearer token belongs to, by TokenReview; where this program may not make any, as it may be on a laptop, by a
 * SelfSubjectReview with the token itself. Throws when the host does not answer.
 */
export class TokenReviewAuthenticator implements TokenAuthenticator {
  readonly #options: TokenReviewOptions;
  readonly #answers: ExpiringCache<AuthenticationResult>;

  constructor(options: TokenReviewOptions) {
    this.#options = options;
    this.#answers = new ExpiringCache({
      clock: options.clock,
      maxEntries: MAX_TOKENS,
      lifeMillis: () => LIFE_MILLIS,
    });
  }

  authenticateToken(token: string): Promise<AuthenticationResult> {
    // Only digests are kept: a dump of the memory must not hold everybody's tokens for longer than their requests.
    const key = createHash('sha256').update(token, 'utf8').digest('base64');
    return this.#answers.find(key, () => this.#review(token));
  }

  async #review(token: string): Promise<AuthenticationResult> {
    const review: TokenReview = {
      apiVersion: `${group}/v1`,
      kind: 'TokenReview',
      metadata: {},
      spec: { token },
    };
    try {
      const { status } = await this.#options.client.create<TokenReview>({ resource: tokenReviews }, review);
      if (status?.authenticated !== true) return { authenticated: false, fault: status?.error ?? 'unknown token' };
      return { authenticated: true, user: readUser(status.user) };
    } catch (error) {
      if (hasReason(error, 'Forbidden')) return this.#askItself(token);
      throw error;
    }
  }

  async #askItself(token: string): Promise<AuthenticationResult> {
    const review: SelfSubjectReview = { apiVersion: `${group}/v1`, kind: 'SelfSubjectReview', metadata: {} };
    try {
      const client = this.#options.clientOf(token);
      const { status } = await client.create<SelfSubjectReview>({ resource: selfSubjectReviews }, review);
      return { authenticated: true, user: readUser(status?.userInfo) };
    } catch (error) {
      if (hasReason(error, 'Unauthorized')) return { authenticated: false, fault: 'unknown token' };
      throw error;
    }
  }
}
