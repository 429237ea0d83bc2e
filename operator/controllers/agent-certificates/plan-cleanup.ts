import { findCondition } from '../../../platform/certificates/signing-request-object.ts';
import type { SigningRequestObject } from '../../../platform/certificates/signing-request-object.ts';
import { parseTime } from '../../../core/time/time.ts';

const hourMillis = 3_600_000;
/** How long a request is kept after it was decided, as Kubernetes keeps them. */
const decidedMillis = hourMillis;
const pendingMillis = 24 * hourMillis;

/** When a request need not be kept any longer, in milliseconds since the epoch. */
export function planCleanup(request: SigningRequestObject): number {
  const isIssued = (request.status?.certificate ?? '') !== '';
  const decided = ['Denied', 'Failed', ...(isIssued ? ['Approved'] : [])].flatMap((type) => {
    const millis = parseTime(findCondition(request, type)?.lastUpdateTime ?? '');
    return millis === undefined ? [] : [millis + decidedMillis];
  });
  const createdMillis = parseTime(request.metadata.creationTimestamp ?? '') ?? 0;
  return Math.min(createdMillis + pendingMillis, ...decided);
}
