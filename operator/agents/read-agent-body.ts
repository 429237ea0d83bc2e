import type { IncomingMessage } from 'node:http';
import { parseJson } from '../../core/decode/parse-json.ts';
import type { JsonValue } from '../../core/meta/json.ts';
import { AgentFault } from './agent-failure.ts';

const IDLE_MILLIS = 30_000;
const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 64 * 1024;

/** Chunks of an agent's answer. An agent that falls silent for too long, or breaks off, is given up with an AgentFault. */
export async function* readChunks(body: IncomingMessage, idleMillis = IDLE_MILLIS): AsyncGenerator<Buffer, void, void> {
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const expect = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      isLate = true;
      body.destroy();
    }, idleMillis);
  };
  try {
    expect();
    for await (const chunk of body) {
      clearTimeout(timer);
      yield chunk as Buffer;
      // Only the agent's own silence counts, not how long its answer takes on its way from here.
      expect();
    }
  } catch {
    // What is told below says all.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  if (isLate) throw new AgentFault('it fell silent in the middle of its answer');
  if (!body.complete) throw new AgentFault('its answer was broken off');
}

/** The whole body, of so many bytes at most. Throws an AgentFault. */
export async function readAgentBody(body: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readChunks(body)) {
    size += chunk.length;
    if (size > maxBytes) throw new AgentFault('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A body that is JSON, of so many bytes at most. Throws an AgentFault. */
export async function readAgentJson(body: IncomingMessage, maxBytes: number): Promise<JsonValue> {
  return parseAgentJson(await readAgentBody(body, maxBytes));
}

function parseAgentJson(bytes: Buffer): JsonValue {
  const parsed = parseJson(bytes);
  if ('fault' in parsed) throw new AgentFault('its answer is no JSON');
  return parsed.value;
}

/** The lines of a body, each of them JSON; empty ones are passed over. Throws an AgentFault. */
export async function* readJsonLines(body: IncomingMessage): AsyncGenerator<JsonValue, void, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of readChunks(body)) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      if (end > MAX_LINE_BYTES) throw new AgentFault('a line of its answer is too long');
      const line = rest.subarray(0, end);
      rest = rest.subarray(end + 1);
      if (line.length > 0) yield parseAgentJson(line);
    }
    if (rest.length > MAX_LINE_BYTES) throw new AgentFault('a line of its answer is too long');
  }
  if (rest.length > 0) yield parseAgentJson(rest);
}
