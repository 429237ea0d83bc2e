/** A cause in `Status.details.causes`. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** Details of a Status; `kind` is the resource for most errors and the kind for validation errors, as in Kubernetes. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** Kubernetes' Status object, the body of every error and of some deletions. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string; resourceVersion?: string; remainingItemCount?: number };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code: number;
}

/** A refusal that a client caused or must hear of; carries the Status that is answered. */
export class StatusError extends Error {
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? status.reason ?? 'unknown', options);
    this.name = 'StatusError';
    this.status = status;
  }
}

/** Tells whether `error` is a StatusError with the given reason, such as `NotFound` or `Conflict`. */
export function hasReason(error: unknown, reason: string): error is StatusError {
  return error instanceof StatusError && error.status.reason === reason;
}
