/** The codes of gRPC in the order of their numbers, by the names they have in Kubernetes' messages. */
export const runtimeFailureCodes = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

/** One of gRPC's codes. */
export type RuntimeFailureCode = (typeof runtimeFailureCodes)[number];

/** What a container runtime refused, or why it could not be asked. Its message is worded as the kubelet words such failures. */
export class RuntimeFailure extends Error {
  override readonly name = 'RuntimeFailure';
  readonly code: RuntimeFailureCode;
  /** What the runtime said, without the code. */
  readonly reason: string;

  constructor(code: RuntimeFailureCode, reason: string, options?: ErrorOptions) {
    super(`rpc error: code = ${code} desc = ${reason}`, options);
    this.code = code;
    this.reason = reason;
  }
}
