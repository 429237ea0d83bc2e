import { makeServiceUnavailableError } from '../../core/errors/make-status-error.ts';
import { quoteGo } from '../../core/errors/quote-go.ts';
import type { StatusError } from '../../core/errors/status.ts';

/** 503 for an agent that gives no answer that can be used; `obstacle` says why, after a colon, and `cause` is for logs alone. */
export function makeAgentUnavailableError(nodeName: string, obstacle: string, cause?: unknown): StatusError {
  const fault = makeServiceUnavailableError(`the agent of node ${quoteGo(nodeName)} cannot be asked: ${obstacle}`);
  if (cause !== undefined) fault.cause = cause;
  return fault;
}

const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was broken off',
  EHOSTUNREACH: 'its address cannot be reached',
  ENETUNREACH: 'its address cannot be reached',
  ETIMEDOUT: 'the connection took too long',
  EPIPE: 'the connection was broken off',
};

/** Why talking to an agent failed, for those who asked; says nothing that only administrators may know. */
export function describeConnectionFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = texts[code];
  if (known !== undefined) return known;
  if (/CERT|SELF_SIGNED|ISSUER|VERIFY|ALTNAME|^ERR_(SSL|TLS)|EPROTO/.test(code))
    return 'its certificate is not trusted';
  if (code.startsWith('HPE_')) return 'its answer cannot be read';
  return error instanceof AgentFault ? error.message : 'the connection failed';
}

/** Why a request to an agent was ended from here. */
export function describeAbort({ reason }: AbortSignal): string {
  return reason instanceof Error && reason.name === 'TimeoutError'
    ? 'it did not answer in time'
    : 'the request was given up';
}

/** What is wrong with an agent's answer, in words for those who asked. */
export class AgentFault extends Error {
  override readonly name: string = 'AgentFault';
}

/** An agent did not answer in the time that it had for itself. */
export class AgentHang extends AgentFault {
  override readonly name = 'AgentHang';

  constructor() {
    super('it did not answer in time');
  }
}
