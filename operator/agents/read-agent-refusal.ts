import { StatusError } from '../../core/errors/status.ts';
import type { JsonValue } from '../../core/meta/json.ts';
import { readNumber, readText } from '../../kinds/workloads/read-field.ts';
import { makeAgentUnavailableError } from './agent-failure.ts';

const REASONS: Readonly<Record<number, string>> = {
  404: 'NotFound',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};
const MAX_MESSAGE = 4096;
/** What the kubelet, and so an agent, says of what it does not have. */
const MISSING = /^(pod|container \S{1,253}) does not exist\n?$/;

/** Text of an agent for its reader: without controls that terminals obey, and of a bounded length. */
function cleanText(text: string): string {
  return text
    .slice(0, MAX_MESSAGE)
    .replaceAll(/[^\P{Cc}\n\t]/gu, '\u{fffd}')
    .trim();
}

function makeRefusal(code: number, message: string): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: cleanText(message),
    reason: REASONS[code] ?? 'InternalError',
    code,
  });
}

/** The refusal of a checkpoint that an agent answered as a text, as the kubelet words it; what only the operator can mend is a 503. */
export function readCheckpointRefusal(nodeName: string, status: number, text: string): StatusError {
  if (status === 401 || status === 403) {
    return makeAgentUnavailableError(nodeName, `it does not let the operator do this (${status})`);
  }
  if (status === 404 && !MISSING.test(text) && !text.startsWith('cannot parse value of timeout')) {
    return makeAgentUnavailableError(nodeName, 'it takes no checkpoints');
  }
  if (REASONS[status] === undefined || text.trim() === '') {
    return makeAgentUnavailableError(nodeName, `it answered with the status ${status}`);
  }
  return makeRefusal(status, text);
}

/** The refusal in the last line of a stream. */
export function readStreamedRefusal(nodeName: string, status: JsonValue | undefined): StatusError {
  const code = readNumber(status, 'code') ?? 0;
  const message = readText(status, 'message');
  if (REASONS[code] === undefined || message === '') {
    return makeAgentUnavailableError(nodeName, 'it failed without a word');
  }
  return makeRefusal(code, message);
}
