/** A request whose path or headers mean nothing; Kubernetes answers it with 500 in plain text. */
export class UnreadableRequestError extends Error {
  override readonly name = 'UnreadableRequestError';
}
