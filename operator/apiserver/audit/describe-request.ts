import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import type { AuditedObject, AuditedUser } from '../../../platform/audit/audit-event.ts';
import type { RequestInfo } from '../request-info.ts';

/** One request under way, as far as recording it goes. */
export interface AuditedExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: RequestInfo;
  readonly auditId: string;
  readonly auditAnnotations: ReadonlyMap<string, string>;
}

const maxUserAgentLength = 1024;

function readHeader(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
}

function parseAddress(text: string): string | undefined {
  const address = text.trim().replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? undefined : address;
}

/** Addresses that a request came through by its own account, and last the one that it really came from. */
export function listSourceAddresses(request: IncomingMessage): string[] {
  const addresses = readHeader(request, 'x-forwarded-for')
    .split(',')
    .flatMap((text) => parseAddress(text) ?? []);
  const real = parseAddress(readHeader(request, 'x-real-ip'));
  if (real !== undefined && !addresses.includes(real)) addresses.push(real);
  const remote = parseAddress(request.socket.remoteAddress ?? '');
  if (remote !== undefined && addresses.at(-1) !== remote) addresses.push(remote);
  return addresses;
}

/** The client's name for itself, cut where it is very long. */
export function readAuditedUserAgent(request: IncomingMessage): string | undefined {
  const agent = readHeader(request, 'user-agent');
  if (agent === '') return undefined;
  return agent.length > maxUserAgentLength ? `${agent.slice(0, maxUserAgentLength)}...TRUNCATED` : agent;
}

/** A request's path and query without the token that may stand there. */
export function hideCredentials(url: string): string {
  return url.replace(/([?&]access_token=)[^&]*/gi, '$1REDACTED');
}

/** A user as an event has it. */
export function describeUser({ username, uid, groups, extra }: UserInfo): AuditedUser {
  return {
    username,
    ...(uid === undefined || uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** What a request is about, as far as its path tells; `undefined` outside of resources. */
export function describeObject(info: RequestInfo): AuditedObject | undefined {
  if (!info.isResourceRequest) return undefined;
  const { resource, namespace, name, apiGroup, apiVersion, subresource } = info;
  const fields = { resource, namespace, name, apiGroup, apiVersion, subresource };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}
