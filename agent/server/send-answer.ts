import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { encodeJson } from '../../core/decode/encode-json.ts';
import type { StatusError } from '../../core/errors/status.ts';

function send(response: ServerResponse, status: number, text: string, headers: OutgoingHttpHeaders): void {
  // The caller may have gone meanwhile.
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, {
    ...headers,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-cache, private',
    'x-content-type-options': 'nosniff',
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

/** Answers by plain text, as the kubelet tells what is wrong. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: OutgoingHttpHeaders = {},
): void {
  send(response, status, text, { 'content-type': 'text/plain; charset=utf-8', ...headers });
}

/** Answers by a value as JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  send(response, status, encodeJson(value), { 'content-type': 'application/json', ...headers });
}

/** Answers by a Status; when to come back is a header, too. */
export function sendStatus(response: ServerResponse, { status }: StatusError): void {
  const seconds = status.details?.retryAfterSeconds;
  sendJson(response, status.code, status, seconds === undefined ? {} : { 'retry-after': String(seconds) });
}
