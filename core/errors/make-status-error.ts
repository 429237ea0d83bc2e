import { formatGroupResource } from '../meta/resource-name.ts';
import type { FieldError } from './field-error.ts';
import { aggregateMessages, formatFieldErrorBody } from './make-field-error.ts';
import { quoteGo } from './quote-go.ts';
import { type Status, type StatusCause, type StatusDetails, StatusError } from './status.ts';

/** Makes a Failure status; `details` loses its empty members, as Go's `omitempty` does. */
function makeStatusError(
  code: number,
  reason: string,
  message: string,
  details?: StatusDetails,
  options?: ErrorOptions,
): StatusError {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  if (details === undefined) return new StatusError(status, options);
  const kept: StatusDetails = {};
  if (details.name) kept.name = details.name;
  if (details.group) kept.group = details.group;
  if (details.kind) kept.kind = details.kind;
  if (details.uid) kept.uid = details.uid;
  if (details.causes !== undefined && details.causes.length > 0) kept.causes = details.causes;
  if (details.retryAfterSeconds) kept.retryAfterSeconds = details.retryAfterSeconds;
  // The code comes last on the wire.
  return new StatusError(
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details: kept, code },
    options,
  );
}

/** 404 NotFound: `pods "a" not found`. */
export function makeNotFoundError(group: string, resource: string, name: string): StatusError {
  const message = `${formatGroupResource(group, resource)} ${quoteGo(name)} not found`;
  return makeStatusError(404, 'NotFound', message, { name, group, kind: resource });
}

/** 404 NotFound for a path that serves nothing. */
export function makeGenericNotFoundError(): StatusError {
  return makeStatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** 409 AlreadyExists: `pods "a" already exists`. */
export function makeAlreadyExistsError(group: string, resource: string, name: string): StatusError {
  const message = `${formatGroupResource(group, resource)} ${quoteGo(name)} already exists`;
  return makeStatusError(409, 'AlreadyExists', message, { name, group, kind: resource });
}

/** 409 AlreadyExists after every generated name was taken. */
export function makeGenerateNameConflictError(
  group: string,
  resource: string,
  name: string,
  retryAfterSeconds: number,
): StatusError {
  const subject = `${formatGroupResource(group, resource)} ${quoteGo(name)}`;
  const message = `${subject} already exists, the server was not able to generate a unique name for the object`;
  return makeStatusError(409, 'AlreadyExists', message, { name, group, kind: resource, retryAfterSeconds });
}

/** 409 Conflict: `Operation cannot be fulfilled on pods "a": …`. */
export function makeConflictError(group: string, resource: string, name: string, message: string): StatusError {
  const subject = `${formatGroupResource(group, resource)} ${quoteGo(name)}`;
  return makeStatusError(409, 'Conflict', `Operation cannot be fulfilled on ${subject}: ${message}`, {
    name,
    group,
    kind: resource,
  });
}

/** 409 Conflict of server-side apply, one cause a field. */
export function makeApplyConflictError(conflicts: StatusCause[], message: string): StatusError {
  return makeStatusError(409, 'Conflict', message, { causes: conflicts });
}

/** About how long the texts of one answer's causes may be together, in characters. */
const MAX_INVALID_TEXT = 1 << 20;

/** 422 Invalid, one cause an error, the first ones only when they are long; `kind` is the kind, not the resource. */
export function makeInvalidError(
  group: string,
  kind: string,
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const subject = `${formatGroupResource(group, kind)} ${quoteGo(name)} is invalid`;
  const causes: StatusCause[] = [];
  const texts: string[] = [];
  let length = 0;
  for (const error of errors) {
    const text = formatFieldErrorBody(error);
    causes.push({ reason: error.type, message: text, ...(error.field === '' ? {} : { field: error.field }) });
    texts.push(`${error.field}: ${text}`);
    // Each error may quote most of a large object, and there may be as many as it has members.
    length += error.field.length + text.length;
    if (length > MAX_INVALID_TEXT) break;
  }
  const message = errors.length === 0 ? subject : `${subject}: ${aggregateMessages(texts)}`;
  return makeStatusError(422, 'Invalid', message, { name, group, kind, causes });
}

/** 400 BadRequest with the message as it is. */
export function makeBadRequestError(message: string): StatusError {
  return makeStatusError(400, 'BadRequest', message);
}

/** 403 Forbidden: `pods "a" is forbidden: …`; without the name or the resource when these are empty. */
export function makeForbiddenError(group: string, resource: string, name: string, message: string): StatusError {
  const groupResource = formatGroupResource(group, resource);
  const subject =
    resource === '' && group === ''
      ? 'forbidden'
      : name === ''
        ? `${groupResource} is forbidden`
        : `${groupResource} ${quoteGo(name)} is forbidden`;
  return makeStatusError(403, 'Forbidden', `${subject}: ${message}`, { name, group, kind: resource });
}

/** 401 Unauthorized. */
export function makeUnauthorizedError(): StatusError {
  return makeStatusError(401, 'Unauthorized', 'Unauthorized');
}

/** 405 MethodNotAllowed; `action` is a verb such as `create`. */
export function makeMethodNotSupportedError(group: string, resource: string, action: string): StatusError {
  const message = `${action} is not supported on resources of kind ${quoteGo(formatGroupResource(group, resource))}`;
  return makeStatusError(405, 'MethodNotAllowed', message, { group, kind: resource });
}

/** 410 Expired: a resourceVersion or continue token that is too old. */
export function makeExpiredError(message: string): StatusError {
  return makeStatusError(410, 'Expired', message);
}

/** 410 Gone. */
export function makeGoneError(message: string): StatusError {
  return makeStatusError(410, 'Gone', message);
}

/** 429 TooManyRequests with the message as it is. */
export function makeTooManyRequestsError(message: string, retryAfterSeconds: number): StatusError {
  return makeStatusError(429, 'TooManyRequests', message, { retryAfterSeconds });
}

/** 413 RequestEntityTooLarge: `Request entity too large: …`. */
export function makeTooLargeError(message: string): StatusError {
  return makeStatusError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
}

/** 415 UnsupportedMediaType. */
export function makeUnsupportedMediaTypeError(message: string): StatusError {
  return makeStatusError(415, 'UnsupportedMediaType', message);
}

/** 406 NotAcceptable. */
export function makeNotAcceptableError(message: string): StatusError {
  return makeStatusError(406, 'NotAcceptable', message);
}

/** 500 InternalError: `Internal error occurred: …`; `options.cause` is for the log only. */
export function makeInternalError(message: string, options?: ErrorOptions): StatusError {
  return makeStatusError(
    500,
    'InternalError',
    `Internal error occurred: ${message}`,
    { causes: [{ message }] },
    options,
  );
}

/** 504 Timeout: `Timeout: …`; the request may still complete. */
export function makeTimeoutError(message: string, retryAfterSeconds: number): StatusError {
  return makeStatusError(504, 'Timeout', `Timeout: ${message}`, { retryAfterSeconds });
}

/** 500 ServerTimeout: the client should try the operation again. */
export function makeServerTimeoutError(
  group: string,
  resource: string,
  operation: string,
  retryAfterSeconds: number,
): StatusError {
  const against = formatGroupResource(group, resource);
  const message = `The ${operation} operation against ${against} could not be completed at this time, please try again.`;
  return makeStatusError(500, 'ServerTimeout', message, { name: operation, group, kind: resource, retryAfterSeconds });
}

/** 503 ServiceUnavailable with the message as it is. */
export function makeServiceUnavailableError(message: string): StatusError {
  return makeStatusError(503, 'ServiceUnavailable', message);
}
