import type { IncomingMessage } from 'node:http';
import { parseJson } from '../../core/decode/parse-json.ts';
import type { JsonValue } from '../../core/meta/json.ts';
import { systemMonotonicClock, type MonotonicClock } from '../../platform/process/monotonic-clock.ts';
import { AgentFault } from './agent-failure.ts';

const IDLE_MILLIS = 30_000;
const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 64 * 1024;
/** What an agent may tell at once, and then each second: an honest one tells some lines of a hundred bytes a second at most. */
const BURST_BYTES = 80 * 1024;
const BYTES_PER_SECOND = 4 * 1024;
/** What a line counts besides its own bytes. */
const LINE_BYTES = 128;

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

/** Charges what an agent tells against what it may. */
class TellingAllowance {
  readonly #clock: MonotonicClock;
  #left = BURST_BYTES;
  #sinceNanos: number;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
    this.#sinceNanos = clock.nowNanos();
  }

  /** Throws an AgentFault when it tells too much. */
  charge(bytes: number): void {
    const now = this.#clock.nowNanos();
    this.#left = Math.min(BURST_BYTES, this.#left + ((now - this.#sinceNanos) / 1e9) * BYTES_PER_SECOND) - bytes;
    this.#sinceNanos = now;
    if (this.#left < 0) throw new AgentFault('it tells more than anybody can follow');
  }
}

/**
 * The lines of a body, each of them JSON; empty ones are passed over. Throws an AgentFault, also when there are more of them than an honest
 * agent tells.
 */
export async function* readJsonLines(
  body: IncomingMessage,
  clock = systemMonotonicClock,
): AsyncGenerator<JsonValue, void, void> {
  const allowance = new TellingAllowance(clock);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of readChunks(body)) {
    allowance.charge(chunk.length);
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      if (end > MAX_LINE_BYTES) throw new AgentFault('a line of its answer is too long');
      allowance.charge(LINE_BYTES);
      const line = rest.subarray(0, end);
      rest = rest.subarray(end + 1);
      if (line.length > 0) yield parseAgentJson(line);
    }
    if (rest.length > MAX_LINE_BYTES) throw new AgentFault('a line of its answer is too long');
  }
  if (rest.length > 0) yield parseAgentJson(rest);
}
