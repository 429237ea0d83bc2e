import { hasReason } from '../../core/errors/status.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { digestToken, readReviewedUser, reviewToken, type ReviewedUser } from '../../platform/kube/token-reviews.ts';
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

interface SelfSubjectReview extends KubeObject {
  readonly status?: { readonly userInfo?: ReviewedUser };
}

/** As long as Kubernetes' own servers believe the answer to a token review, whatever it is. */
const LIFE_MILLIS = 10_000;
const MAX_TOKENS = 4096;

const group = 'authentication.k8s.io';
const selfSubjectReviews = { group, version: 'v1', resource: 'selfsubjectreviews' };

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
    return this.#answers.find(digestToken(token), () => this.#review(token));
  }

  async #review(token: string): Promise<AuthenticationResult> {
    try {
      const { user, fault } = await reviewToken(this.#options.client, token);
      return user === undefined
        ? { authenticated: false, fault: fault ?? 'unknown token' }
        : { authenticated: true, user };
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
      return { authenticated: true, user: readReviewedUser(status?.userInfo) };
    } catch (error) {
      if (hasReason(error, 'Unauthorized')) return { authenticated: false, fault: 'unknown token' };
      throw error;
    }
  }
}
