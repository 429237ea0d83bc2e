/** No answer came from the host's API server: not reached, cut off, or too late; `cause` tells why. A write may have happened. */
export class HostUnreachableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HostUnreachableError';
  }
}
