import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** Who may call the webhooks; hosts show a client certificate when they are configured to. */
export interface CallerRules {
  /** PEM of those who sign the callers' certificates. */
  readonly authority: string;
  /** Common names of callers; empty: whoever has such a certificate. */
  readonly names: readonly string[];
}

/** Whether the caller may ask; without rules everybody may. */
export function isAllowedCaller(request: IncomingMessage, rules: CallerRules | undefined): boolean {
  if (rules === undefined) return true;
  const socket = request.socket as TLSSocket;
  if (!socket.authorized) return false;
  const { CN = '' } = socket.getPeerCertificate().subject ?? {};
  return rules.names.length === 0 || [CN].flat().some((name) => rules.names.includes(name));
}
