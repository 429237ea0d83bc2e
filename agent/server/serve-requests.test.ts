import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { createSilentLogger } from '../../platform/process/logger.ts';
import { createMetricsRegistry } from '../../platform/process/metrics.ts';
import type { AccessAnswer } from '../access/request-guard.ts';
import { RequestMetrics } from './request-metrics.ts';
import type { Route } from './route.ts';
import { sendText } from './send-answer.ts';
import { serveRequests } from './serve-requests.ts';

const somebody: AccessAnswer = { user: { username: 'somebody', groups: [] } };
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(routes: readonly Route[], options: { answer?: AccessAnswer; maxRequests?: number } = {}) {
  const { answer = somebody, ...rest } = options;
  const registry = createMetricsRegistry();
  const listener = serveRequests({
    ...{ routes, guard: { check: async () => answer }, logger: createSilentLogger() },
    ...{ metrics: new RequestMetrics(registry), ...rest },
  });
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = (path: string) => send({ host: '127.0.0.1', port, path, agent: false });
  const ask = async (path: string) => {
    const sent = open(path).end();
    const [message] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: message.statusCode, body: await text(message) };
  };
  return { open, ask, registry };
}

describe('serveRequests', () => {
  it('refuses what the guard refuses, in its words', async () => {
    const routes: Route[] = [{ path: '/a', handle: async ({ response }) => sendText(response, 200, 'yes') }];
    const { ask } = await serve(routes, { answer: { refusal: { status: 403, message: 'Forbidden (x)\n' } } });
    expect(await ask('/a')).toEqual({ status: 403, body: 'Forbidden (x)\n' });
    expect(await ask('/b')).toEqual({ status: 404, body: '404 page not found\n' });
  });

  it('answers 500 for what is thrown, and goes on', async () => {
    const routes: Route[] = [
      {
        path: '/a/{name}',
        async handle({ response, parameters, query }) {
          if (parameters['name'] === 'bad') throw new Error('secret');
          sendText(response, 200, query.get('x') ?? '');
        },
      },
    ];
    const { ask } = await serve(routes);
    expect(await ask('/a/bad')).toEqual({ status: 500, body: 'internal server error\n' });
    expect(await ask('/a/good?x=%2F')).toEqual({ status: 200, body: '/' });
  });

  it('serves so many at once, and no more', async () => {
    const held: (() => void)[] = [];
    const routes: Route[] = [
      {
        path: '/a',
        async handle({ response }) {
          await new Promise<void>((resolve) => held.push(resolve));
          sendText(response, 200, 'late');
        },
      },
    ];
    const { ask } = await serve(routes, { maxRequests: 2 });
    const first = [ask('/a'), ask('/a')];
    await expect.poll(() => held.length).toBe(2);
    expect((await ask('/a')).status).toBe(429);
    for (const release of held.splice(0)) release();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
    const next = ask('/a');
    await expect.poll(() => held.length).toBe(1);
    held[0]?.();
    expect((await next).status).toBe(200);
  });

  it('tells a route that its caller has gone, and counts it', async () => {
    const gone = Promise.withResolvers<void>();
    const routes: Route[] = [
      {
        path: '/a',
        async handle({ signal, response }) {
          response.flushHeaders();
          await once(signal, 'abort');
          gone.resolve();
        },
      },
    ];
    const { open, registry } = await serve(routes);
    const sent = open('/a').end();
    sent.on('error', () => undefined);
    await once(sent, 'response');
    sent.destroy();
    await gone.promise;
    expect(await registry.metrics()).toContain('bailiwick_agent_http_requests_total{method="GET",path="a",code="0"} 1');
  });
});
