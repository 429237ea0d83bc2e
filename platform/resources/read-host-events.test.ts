import * as fc from 'fast-check';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/meta/json.ts';
import { readHostEvents } from './read-host-events.ts';

function bodyOf(chunks: readonly Buffer[], fault?: Error): IncomingMessage {
  async function* give(): AsyncGenerator<Buffer> {
    yield* chunks;
    if (fault !== undefined) throw fault;
  }
  return Readable.from(give()) as unknown as IncomingMessage;
}

async function readAll(body: IncomingMessage): Promise<JsonObject[]> {
  const events: JsonObject[] = [];
  for await (const event of readHostEvents(body)) events.push(event);
  return events;
}

describe('readHostEvents', () => {
  it('reads the same events however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ type: fc.string({ unit: 'grapheme' }) }), { maxLength: 8 }),
        fc.array(fc.nat(400), { maxLength: 20 }),
        async (events, cuts) => {
          const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
          const places = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].toSorted(
            (a, b) => a - b,
          );
          const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
          expect(await readAll(bodyOf(chunks))).toEqual(events);
        },
      ),
    );
  });

  it('ends where the connection breaks, without the event that is not whole', async () => {
    const body = bodyOf([Buffer.from('{"type":"ADDED"}\n{"type":"MOD')], new Error('ECONNRESET'));
    expect(await readAll(body)).toEqual([{ type: 'ADDED' }]);
  });

  it('keeps integers that a number cannot hold', async () => {
    expect(await readAll(bodyOf([Buffer.from('{"a":9007199254740993}\n')]))).toEqual([{ a: 9007199254740993n }]);
  });

  it.for(['no json\n', '[1]\n', '"text"\n'])('refuses %j', async (line) => {
    await expect(readAll(bodyOf([Buffer.from(line)]))).rejects.toThrow();
  });

  it('ends the connection when its reader leaves', async () => {
    const body = bodyOf([Buffer.from('{"a":1}\n{"a":2}\n')]);
    for await (const event of readHostEvents(body)) {
      expect(event).toEqual({ a: 1 });
      break;
    }
    expect(body.destroyed).toBe(true);
  });
});
