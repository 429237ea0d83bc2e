import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from '../apiserver/authz/authorizer.ts';
import { ExpiringCache } from './expiring-cache.ts';

interface SubjectAccessReview extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly allowed?: boolean; readonly denied?: boolean; readonly reason?: string };
}

/** As long as Kubernetes' own servers believe a delegated decision. */
const LIFE_MILLIS = 10_000;
const MAX_DECISIONS = 8192;

const group = 'authorization.k8s.io';
const subjectAccessReviews = { group, version: 'v1', resource: 'subjectaccessreviews' };

function describeAttributes(attributes: AuthorizationAttributes): object {
  if (attributes.type === 'non-resource') {
    return { nonResourceAttributes: { path: attributes.path, verb: attributes.verb } };
  }
  const { type: _type, ...resourceAttributes } = attributes;
  return { resourceAttributes };
}

function describeSubject({ username, groups, uid, extra }: UserInfo): object {
  return {
    user: username,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/** Lets the host decide, by SubjectAccessReview; a decision is believed for ten seconds. Throws when the host does not answer. */
export class AccessReviewAuthorizer implements Authorizer {
  readonly #client: ResourceClient;
  readonly #decisions: ExpiringCache<AuthorizationDecision>;

  constructor(options: { readonly client: ResourceClient; readonly clock: Clock }) {
    this.#client = options.client;
    this.#decisions = new ExpiringCache({
      clock: options.clock,
      maxEntries: MAX_DECISIONS,
      lifeMillis: () => LIFE_MILLIS,
    });
  }

  authorize(user: UserInfo, attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    const spec = { ...describeSubject(user), ...describeAttributes(attributes) };
    return this.#decisions.find(JSON.stringify(spec), () => this.#review(spec));
  }

  async #review(spec: object): Promise<AuthorizationDecision> {
    const review: SubjectAccessReview = {
      apiVersion: `${group}/v1`,
      kind: 'SubjectAccessReview',
      metadata: {},
      spec,
    };
    const { status } = await this.#client.create<SubjectAccessReview>({ resource: subjectAccessReviews }, review);
    return { allowed: status?.allowed === true, reason: status?.reason ?? '' };
  }
}
