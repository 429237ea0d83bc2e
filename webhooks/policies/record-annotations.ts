import { formatApiVersion } from '../../core/meta/resource-name.ts';
import { formatMicroTime } from '../../core/time/time.ts';
import type { AuditEvent } from '../../platform/audit/audit-event.ts';
import type { ReviewRequest } from '../review/admission-review.ts';
import type { AnnotatedDecision } from '../review/decide-review.ts';

const verbs: Readonly<Record<ReviewRequest['operation'], string>> = {
  CREATE: 'create',
  UPDATE: 'update',
  DELETE: 'delete',
  CONNECT: 'connect',
};

/**
 * The audit event of a review, with its annotations under the names of the specification, which a host's own log cannot have. Its id is the
 * review's; the host's own event of the request has another.
 */
export function makeReviewEvent(
  request: ReviewRequest,
  { annotations, refusal }: AnnotatedDecision,
  nowMillis: number,
): AuditEvent {
  const { requestResource = request.resource, requestSubResource = request.subResource, namespace, name } = request;
  const { group, version, resource } = requestResource;
  const time = formatMicroTime(nowMillis);
  return {
    level: 'Metadata',
    auditID: request.uid,
    stage: 'ResponseComplete',
    requestURI: '',
    verb: verbs[request.operation],
    user: request.userInfo,
    objectRef: {
      resource,
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
      ...(group === '' ? {} : { apiGroup: group }),
      apiVersion: formatApiVersion('', version),
      ...(requestSubResource === undefined ? {} : { subresource: requestSubResource }),
    },
    responseStatus:
      refusal === undefined ? undefined : { code: refusal.code, reason: refusal.reason, message: refusal.message },
    requestReceivedTimestamp: time,
    stageTimestamp: time,
    annotations: Object.fromEntries(annotations),
  };
}
