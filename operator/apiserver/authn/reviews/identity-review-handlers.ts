import { makeBadRequestError } from '../../../../core/errors/make-status-error.ts';
import type { JsonObject } from '../../../../core/meta/json.ts';
import type { UserInfo } from '../../../../core/meta/user-info.ts';
import { formatTime } from '../../../../core/time/time.ts';
import type { Clock } from '../../../../platform/process/clock.ts';
import type { CreateHandler, SubresourceAnswer, SubresourceRequest } from '../../subresource-handler.ts';
import type { TokenAuthenticator } from '../authenticator.ts';
import { authenticateToken } from '../request-authenticator.ts';

const group = 'authentication.k8s.io';
const version = 'v1';
const apiVersion = `${group}/${version}`;

function encodeUser(user: UserInfo): JsonObject {
  const extra = Object.entries(user.extra ?? {});
  return {
    ...(user.username === '' ? {} : { username: user.username }),
    ...(user.uid ? { uid: user.uid } : {}),
    ...(user.groups.length === 0 ? {} : { groups: [...user.groups] }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra.map(([key, values]) => [key, [...values]])) }),
  };
}

async function answerTokenReview(
  request: SubresourceRequest,
  authenticators: readonly TokenAuthenticator[],
): Promise<SubresourceAnswer> {
  const { token = '', audiences } = (request.body['spec'] ?? {}) as { token?: string; audiences?: string[] };
  if (token === '') throw makeBadRequestError('token is required for TokenReview in authentication');
  const wanted = audiences === undefined || audiences.length === 0 ? undefined : audiences;
  // Only what could stand in an Authorization header is a token: the text up to the first space.
  const result = await authenticateToken(authenticators, token.split(' ', 1)[0] ?? '', wanted);
  const status: JsonObject = result.authenticated
    ? { authenticated: true, user: encodeUser(result.user), audiences: [...(result.audiences ?? [])] }
    : { user: {}, error: result.fault ?? 'invalid bearer token' };
  return { code: 201, object: { ...(request.body as JsonObject), status } };
}

function answerSelfReview(request: SubresourceRequest, clock: Clock): SubresourceAnswer {
  const object: JsonObject = {
    kind: 'SelfSubjectReview',
    apiVersion,
    metadata: { creationTimestamp: formatTime(clock.now()) },
    status: { userInfo: encodeUser(request.user) },
  };
  return { code: 201, object };
}

/** Handlers of the review kinds in `authentication.k8s.io`. */
export function createIdentityReviewHandlers(options: {
  readonly tokenAuthenticators: readonly TokenAuthenticator[];
  readonly clock: Clock;
}): CreateHandler[] {
  return [
    {
      type: 'create',
      target: { group, version, resource: 'tokenreviews' },
      bodyApiVersion: apiVersion,
      bodyKind: 'TokenReview',
      handle: (request) => answerTokenReview(request, options.tokenAuthenticators),
    },
    {
      type: 'create',
      target: { group, version, resource: 'selfsubjectreviews' },
      bodyApiVersion: apiVersion,
      bodyKind: 'SelfSubjectReview',
      handle: async (request) => answerSelfReview(request, options.clock),
    },
  ];
}
