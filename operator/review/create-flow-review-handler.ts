import type { UserInfo } from '../../core/meta/user-info.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import { explainSchemas } from '../../kinds/review/flow-review/explain-schemas.ts';
import type { FlowReview, FlowReviewStatus } from '../../kinds/review/flow-review/schema.ts';
import type { Authorizer } from '../apiserver/authz/authorizer.ts';
import { makeAuthorizationAttributes } from '../apiserver/authz/make-authorization-attributes.ts';
import type { FlowControl } from '../apiserver/flow-control/flow-control.ts';
import type { FlowPlace } from '../apiserver/flow-control/flow-place.ts';
import { isLongRunning } from '../apiserver/flow-control/is-long-running.ts';
import { mayReadFlowObjects } from '../apiserver/flow-control/may-read-flow-objects.ts';
import { parseRequestInfo, type RequestInfo } from '../apiserver/request-info.ts';
import type { CreateHandler } from '../apiserver/subresource-handler.ts';

export interface FlowReviewServices {
  readonly flowControl: FlowControl;
  readonly authorizer: Authorizer;
}

interface ReviewedRequest {
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
}

function readRequest({ method = 'GET', path: target }: FlowReview['spec']): ReviewedRequest {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  return { info: parseRequestInfo(method, decodeURIComponent(path), parameters), query: parameters };
}

function readUser({ user = '', groups = [] }: FlowReview['spec'], caller: UserInfo): UserInfo {
  return user === '' ? caller : { username: user, groups };
}

/** What is answered to who may list the objects. */
function explain(flowControl: FlowControl, user: UserInfo, info: RequestInfo): Partial<FlowReviewStatus> {
  const { place, distinguisher } = flowControl.classify(user, info);
  const { schema, level } = place;
  const { schemas, dangling } = flowControl.configuration;
  const flow = flowControl.findFlow(place, distinguisher);
  return {
    flowSchema: schema,
    priorityLevel: level,
    ...(distinguisher === '' ? {} : { flowDistinguisher: distinguisher }),
    ...(flow === undefined ? {} : { flowHash: flow.hash, hand: [...flow.hand] }),
    flowSchemas: explainSchemas({ inForce: schemas, dangling, selected: schema }, user, info),
  };
}

/** What the request would take: that tells how much is stored, and so is only for who may make it. */
async function findSeats(
  { flowControl, authorizer }: FlowReviewServices,
  {
    caller,
    place,
    reviewed: { info, query },
  }: { readonly caller: UserInfo; readonly place: FlowPlace; readonly reviewed: ReviewedRequest },
): Promise<Pick<FlowReviewStatus, 'seats'>> {
  const { allowed } = await authorizer.authorize(caller, makeAuthorizationAttributes(info));
  if (!allowed) return {};
  const { initialSeats, finalSeats, additionalLatencyMillis } = flowControl.estimate(place, info, query);
  const millis = Math.round(additionalLatencyMillis);
  return { seats: { initial: initialSeats, final: finalSeats, additionalLatencyMillis: millis } };
}

async function answer(
  services: FlowReviewServices,
  spec: FlowReview['spec'],
  caller: UserInfo,
): Promise<FlowReviewStatus> {
  const { flowControl, authorizer } = services;
  const { info, query } = readRequest(spec);
  const isSubject = info.verb === 'watch' || !isLongRunning(info);
  if (!isSubject) return { subject: false, exempt: false };
  const user = readUser(spec, caller);
  const { place } = flowControl.classify(user, info);
  return {
    subject: true,
    exempt: place.isExempt,
    ...(place.schemaUid === '' ? {} : { flowSchemaUID: place.schemaUid }),
    ...(place.levelUid === '' ? {} : { priorityLevelUID: place.levelUid }),
    ...(await findSeats(services, { caller, place, reviewed: { info, query } })),
    ...((await mayReadFlowObjects(authorizer, flowControl.domain, caller)) ? explain(flowControl, user, info) : {}),
  };
}

/** Answers FlowReviews, embedded and on a host, by the flow control that the service itself is under. */
export function createFlowReviewHandler(services: FlowReviewServices): CreateHandler {
  const group = `review.${services.flowControl.domain}`;
  return {
    type: 'create',
    target: { group, version: 'v1', resource: 'flowreviews' },
    bodyApiVersion: `${group}/v1`,
    bodyKind: 'FlowReview',
    handle: async ({ body, user }) => {
      const { spec } = body as unknown as FlowReview;
      const status = await answer(services, spec, user);
      return { code: 201, object: { ...(body as JsonObject), status } };
    },
  };
}
