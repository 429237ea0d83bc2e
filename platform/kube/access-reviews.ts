import type { PermissionAnswer } from '../../core/cel/libraries/authorizer/permission.ts';
import type { AuthorizationAttributes } from '../../core/meta/authorization-attributes.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import type { Clock } from '../process/clock.ts';
import { ExpiringCache } from '../process/expiring-cache.ts';
import type { ResourceClient } from '../resources/resource-client.ts';

interface SubjectAccessReview extends KubeObject {
  readonly spec: object;
  readonly status?: {
    readonly allowed?: boolean;
    readonly denied?: boolean;
    readonly reason?: string;
    readonly evaluationError?: string;
  };
}

/** What is asked, and for how long an answer is believed. */
export interface AccessReviewsOptions {
  readonly client: ResourceClient;
  readonly clock: Clock;
  /** Absent: ten seconds, as long as Kubernetes' own servers believe a delegated decision. */
  readonly lifeMillis?: (answer: PermissionAnswer) => number;
}

const defaultLifeMillis = 10_000;
const maxAnswers = 8192;

const group = 'authorization.k8s.io';
const subjectAccessReviews = { group, version: 'v1', resource: 'subjectaccessreviews' };

function describeQuestion(question: AuthorizationAttributes): object {
  if (question.type === 'non-resource') {
    return { nonResourceAttributes: { path: question.path, verb: question.verb } };
  }
  const { type: _type, fieldSelector, labelSelector, ...attributes } = question;
  const resourceAttributes = {
    ...attributes,
    ...(fieldSelector === undefined ? {} : { fieldSelector: { rawSelector: fieldSelector } }),
    ...(labelSelector === undefined ? {} : { labelSelector: { rawSelector: labelSelector } }),
  };
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

/** What a host lets users do, by SubjectAccessReview; an answer is believed for a time. */
export class AccessReviews {
  readonly #client: ResourceClient;
  readonly #answers: ExpiringCache<PermissionAnswer>;

  constructor({ client, clock, lifeMillis = () => defaultLifeMillis }: AccessReviewsOptions) {
    this.#client = client;
    this.#answers = new ExpiringCache({ clock, maxEntries: maxAnswers, lifeMillis });
  }

  /** Rejects when the host does not answer. */
  ask(user: UserInfo, question: AuthorizationAttributes): Promise<PermissionAnswer> {
    const spec = { ...describeSubject(user), ...describeQuestion(question) };
    return this.#answers.find(JSON.stringify(spec), () => this.#review(spec));
  }

  async #review(spec: object): Promise<PermissionAnswer> {
    const review: SubjectAccessReview = {
      apiVersion: `${group}/v1`,
      kind: 'SubjectAccessReview',
      metadata: {},
      spec,
    };
    const { status } = await this.#client.create<SubjectAccessReview>({ resource: subjectAccessReviews }, review);
    const { evaluationError = '' } = status ?? {};
    if (status?.allowed === true && status.denied === true) {
      throw new Error('the review of an access both allows and denies it');
    }
    return {
      allowed: status?.allowed === true,
      reason: status?.reason ?? '',
      ...(evaluationError === '' ? {} : { error: evaluationError }),
    };
  }
}
