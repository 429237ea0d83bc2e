import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { makeEndSignal } from './end-signal.ts';
import { sendChunks } from './send-chunks.ts';

const ends: (() => void)[] = [];

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Sends a body to one client, which begins to read when it is told to. */
async function send(body: AsyncIterable<Buffer>, stallMillis: number) {
  const sent = Promise.withResolvers<void>();
  const server = createServer((_, response: ServerResponse) => {
    const signal = makeEndSignal(response, new AbortController().signal);
    sendChunks(response, body, signal, stallMillis).then(sent.resolve, sent.reject);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, agent: false });
  const [incoming] = (await once(request, 'response')) as [IncomingMessage];
  incoming.on('error', () => undefined);
  ends.push(() => {
    request.destroy();
    server.close();
  });
  return { sent: sent.promise, incoming };
}

async function* makeChunks(count: number, onEnd: () => void): AsyncGenerator<Buffer, void, void> {
  try {
    for (let index = 0; index < count; index++) yield Buffer.alloc(1 << 20);
  } finally {
    onEnd();
  }
}

it('cuts off a client that takes nothing, and ends what it was sent from', async () => {
  let isOver = false;
  const { sent, incoming } = await send(
    makeChunks(10_000, () => (isOver = true)),
    200,
  );
  incoming.pause();
  await sent;
  expect(isOver).toBe(true);
});

it('sends all to a client that takes it', async () => {
  const { sent, incoming } = await send(
    makeChunks(20, () => undefined),
    30_000,
  );
  let size = 0;
  for await (const chunk of incoming) size += (chunk as Buffer).length;
  await sent;
  expect(size).toBe(20 << 20);
});
