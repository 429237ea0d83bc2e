import { isDeeper } from '../../core/decode/is-deeper.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/meta/json.ts';
import { reviewApiVersion, type ReviewRequest } from './admission-review.ts';

/** Nothing that a host stores nests so deep in earnest, and what walks objects must not use up the stack. */
const maxReviewDepth = 1_000;
const operations: ReadonlySet<unknown> = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);
const optionalTexts = ['subResource', 'requestSubResource', 'name', 'namespace'] as const;

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function isNamed(value: JsonValue | undefined, member: 'resource' | 'kind'): boolean {
  return isJsonObject(value) && ['group', 'version', member].every((key) => isText(value[key]));
}

function isUser(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value)) return false;
  const { username, uid, groups, extra } = value;
  if (!isAbsent(extra) && !(isJsonObject(extra) && Object.values(extra).every(isTextList))) return false;
  return [username, uid].every((text) => isAbsent(text) || isText(text)) && (isAbsent(groups) || isTextList(groups));
}

/** Whether it is an object that can be stored; what is connected with never is. */
function isReviewed(value: JsonValue | undefined, operation: JsonValue | undefined): boolean {
  if (isAbsent(value)) return true;
  return isJsonObject(value) && (operation === 'CONNECT' || isJsonObject(value['metadata']));
}

function findFault(request: JsonObject): string | undefined {
  const { uid, operation, dryRun } = request;
  if (!isText(uid) || uid === '') return 'request.uid must be a text that is not empty';
  if (!operations.has(operation)) return 'request.operation must be CREATE, UPDATE, DELETE or CONNECT';
  for (const member of ['resource', 'kind'] as const) {
    if (!isNamed(request[member], member)) return `request.${member} must have a group, a version and a ${member}`;
  }
  for (const [key, member] of [
    ['requestResource', 'resource'],
    ['requestKind', 'kind'],
  ] as const) {
    const isFine = isAbsent(request[key]) || isNamed(request[key], member);
    if (!isFine) return `request.${key} must have a group, a version and a ${member}`;
  }
  for (const key of optionalTexts)
    if (!isAbsent(request[key]) && !isText(request[key])) return `request.${key} must be a text`;
  if (!isUser(request['userInfo'])) return 'request.userInfo must be that of a user';
  for (const key of ['object', 'oldObject']) {
    if (!isReviewed(request[key], operation)) return `request.${key} must be an object with metadata, or null`;
  }
  const { options } = request;
  if (!isAbsent(options) && !isJsonObject(options)) return 'request.options must be an object, or null';
  return isAbsent(dryRun) || typeof dryRun === 'boolean' ? undefined : 'request.dryRun must be true or false';
}

/** Members that are null are as good as absent. */
function dropNulls(request: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null));
}

/**
 * Reads the body of a call of the host: the request of an AdmissionReview of version v1, or what is wrong with it.
 * Numbers beyond 2^53 lose their last digits, which no decision looks at.
 */
export function readReview(body: Buffer): ReviewRequest | { readonly fault: string } {
  let review: JsonValue;
  try {
    review = JSON.parse(body.toString('utf8')) as JsonValue;
  } catch {
    return { fault: 'the body is not JSON' };
  }
  if (!isJsonObject(review)) return { fault: 'the body is not an AdmissionReview' };
  const { apiVersion, kind, request } = review;
  if (kind !== 'AdmissionReview') return { fault: 'the body is not an AdmissionReview' };
  if (apiVersion !== reviewApiVersion) {
    const shown = isText(apiVersion) ? JSON.stringify(apiVersion.slice(0, 100)) : 'none';
    return { fault: `the version of the AdmissionReview is ${shown}, and must be "${reviewApiVersion}"` };
  }
  if (!isJsonObject(request)) return { fault: 'the AdmissionReview has no request' };
  if (isDeeper(request, maxReviewDepth)) return { fault: `the AdmissionReview nests more than ${maxReviewDepth} deep` };
  const present = dropNulls(request);
  const fault = findFault(present);
  return fault === undefined ? (present as unknown as ReviewRequest) : { fault };
}
