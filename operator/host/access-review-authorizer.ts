import type { UserInfo } from '../../core/meta/user-info.ts';
import { AccessReviews } from '../../platform/kube/access-reviews.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { AuthorizationAttributes } from '../../core/meta/authorization-attributes.ts';
import type { AuthorizationDecision, Authorizer } from '../apiserver/authz/authorizer.ts';

/** Lets the host decide, by SubjectAccessReview; a decision is believed for ten seconds. Throws when the host does not answer. */
export class AccessReviewAuthorizer implements Authorizer {
  readonly #reviews: AccessReviews;

  constructor(options: { readonly client: ResourceClient; readonly clock: Clock }) {
    this.#reviews = new AccessReviews(options);
  }

  async authorize(user: UserInfo, attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    const { allowed, reason } = await this.#reviews.ask(user, attributes);
    return { allowed, reason };
  }
}
