import type { IncomingMessage } from 'node:http';
import { parseJsonText } from '../../core/decode/parse-json.ts';
import { StatusError } from '../../core/errors/status.ts';
import type { Status } from '../../core/errors/status.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/meta/json.ts';
import type { HostAnswer } from '../kube/host-connection.ts';
import { HostUnreachableError } from '../kube/host-unreachable-error.ts';

/** A page of five hundred large objects fits well; nothing that a host answers may fill the memory. */
const maxAnswerBytes = 128 * 1024 * 1024;
/** As much of an answer that is no Status as an error message shows, as client-go does. */
const maxShownCharacters = 2_048;

/** Integers that JSON.parse may round; a match inside a string only costs the slower parser. */
const longDigits = /\d{16}/;

/** Parses JSON that a host sent; integers beyond ±2^53 stay exact. Throws when it is none. */
export function parseHostJson(text: string): JsonValue {
  if (!longDigits.test(text)) return JSON.parse(text) as JsonValue;
  const parsed = parseJsonText(text);
  if ('fault' in parsed) throw new Error(`the host's answer cannot be read: ${parsed.fault}`);
  return parsed.value;
}

/** Reads an answer to its end. Throws a HostUnreachableError when it breaks off, and an Error when it is too large. */
export async function readHostText(body: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxAnswerBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new HostUnreachableError('the answer of the host broke off', { cause: error });
  }
  if (size > maxAnswerBytes) throw new Error(`the host's answer is larger than ${maxAnswerBytes} bytes`);
  return Buffer.concat(chunks).toString('utf8');
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The seconds of a `Retry-After` header; `undefined` when there is none, or a date. */
export function readRetryAfterSeconds(headers: HostAnswer['headers']): number | undefined {
  const value = headers['retry-after'];
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/** Tells whether a JSON value is a Status object. */
export function isStatus(value: JsonValue | undefined): boolean {
  return isJsonObject(value) && value['kind'] === 'Status' && value['apiVersion'] === 'v1';
}

/** The error that a Status says; `code` stands in where it has none. */
export function toStatusError(status: JsonObject, code: number): StatusError {
  const complete = typeof status['code'] === 'number' ? status : { ...status, code };
  return new StatusError(complete as unknown as Status);
}

/** The refusal in an answer that is no success: its Status, or one made of the code and the text. `rename` changes a Status in place. */
export function readRefusal(
  { status, headers }: HostAnswer,
  text: string,
  rename: (body: JsonValue) => JsonValue,
): StatusError {
  let body: JsonValue | undefined;
  try {
    body = parseHostJson(text);
  } catch {
    // Proxies and the host's outermost filters answer text.
  }
  if (isStatus(body)) return toStatusError(rename(body as JsonObject) as JsonObject, status);
  const retryAfterSeconds = readRetryAfterSeconds(headers);
  const reason = reasons[status];
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: text.trim().slice(0, maxShownCharacters) || `the host answered ${status}`,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
    code: status,
  });
}
