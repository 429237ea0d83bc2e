import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject } from '../../core/meta/json.ts';
import { parseHostJson } from './read-host-answer.ts';

/** Etcd holds no object near this size. */
const maxEventBytes = 64 * 1024 * 1024;
const newline = 0x0a;

/**
 * The events of a watch, one JSON object a line, as their bytes come in, whatever the chunks. Ends when the body does, or breaks off:
 * to a watcher that is the same. Throws when a line is no JSON object, or has no end.
 */
export async function* readHostEvents(body: IncomingMessage): AsyncGenerator<JsonObject> {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      let chunk: Buffer;
      try {
        const next = await chunks.next();
        if (next.done === true) return;
        chunk = next.value;
      } catch {
        return;
      }
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const piece = chunk.subarray(start, end);
        const line = kept.length === 0 ? piece : Buffer.concat([...kept, piece]);
        kept = [];
        keptBytes = 0;
        start = end + 1;
        if (line.length > 0) yield parseEvent(line);
      }
      if (start === chunk.length) continue;
      kept.push(chunk.subarray(start));
      keptBytes += chunk.length - start;
      if (keptBytes > maxEventBytes) throw new Error(`an event of the host is larger than ${maxEventBytes} bytes`);
    }
  } finally {
    body.destroy();
  }
}

function parseEvent(line: Buffer): JsonObject {
  const event = parseHostJson(line.toString('utf8'));
  if (!isJsonObject(event)) throw new Error('an event of the host is no JSON object');
  return event;
}
