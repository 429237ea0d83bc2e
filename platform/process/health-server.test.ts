import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from './clock.ts';
import { startHealthServer } from './health-server.ts';
import type { HealthServer } from './health-server.ts';
import { createSilentLogger } from './logger.ts';
import { createMetricsRegistry } from './metrics.ts';

let server: HealthServer;
let faults: Record<string, string | Error | undefined>;

beforeEach(async () => {
  faults = {};
  const check = (name: string, readinessOnly: boolean) => ({
    name,
    readinessOnly,
    check: async () => {
      const fault = faults[name];
      if (fault instanceof Error) throw fault;
      return fault;
    },
  });
  server = await startHealthServer({
    ...{ address: '127.0.0.1', port: 0, clock: systemClock, logger: createSilentLogger() },
    checks: [check('host', false), check('leader/lease', true)],
    metrics: createMetricsRegistry(),
  });
});
afterEach(() => server.close());

async function get(path: string, method = 'GET') {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
  return [answer.status, await answer.text()] as const;
}

describe('startHealthServer', () => {
  it.for([
    ['/healthz', 200, 'ok'],
    ['/livez', 200, 'ok'],
    ['/readyz', 200, 'ok'],
    ['/readyz/leader/lease', 200, 'ok'],
    ['/livez/leader/lease', 404, '404 page not found\n'],
    ['/other', 404, '404 page not found\n'],
    ['/', 404, '404 page not found\n'],
    ['/livez?verbose', 200, '[+]ping ok\n[+]host ok\nlivez check passed\n'],
    ['/readyz?verbose=1', 200, '[+]ping ok\n[+]host ok\n[+]leader/lease ok\nreadyz check passed\n'],
  ] as const)('answers %s when all is well', async ([path, status, text]) => {
    expect(await get(path)).toEqual([status, text]);
  });

  it.for([
    ['/livez', 200, 'ok'],
    ['/readyz', 500, '[+]ping ok\n[+]host ok\n[-]leader/lease failed: reason withheld\nreadyz check failed\n'],
    ['/readyz?exclude=leader/lease', 200, 'ok'],
    [
      '/readyz?verbose&exclude=leader/lease&exclude=nothing',
      200,
      '[+]ping ok\n[+]host ok\n[+]leader/lease excluded: ok\nwarn: some health checks cannot be excluded: no matches for "nothing"\nreadyz check passed\n',
    ],
    ['/readyz/leader/lease', 500, 'internal server error: it is broken\n'],
  ] as const)('answers %s when a check of readiness fails', async ([path, status, text]) => {
    faults['leader/lease'] = 'it is broken';
    expect(await get(path)).toEqual([status, text]);
  });

  it('counts a check that throws as failed', async () => {
    faults['host'] = new Error('secret');
    const [status, text] = await get('/healthz');
    expect(status).toBe(500);
    expect(text).not.toContain('secret');
  });

  it('shows metrics', async () => {
    const [status, text] = await get('/metrics');
    expect(status).toBe(200);
    expect(text).toContain('process_cpu_seconds_total');
  });

  it('answers HEAD without a body, and refuses to be written to', async () => {
    expect(await get('/livez', 'HEAD')).toEqual([200, '']);
    expect((await get('/livez', 'POST'))[0]).toBe(405);
  });

  it('says when the port is taken', async () => {
    const options = {
      address: '127.0.0.1',
      port: server.port,
      checks: [],
      clock: systemClock,
      logger: createSilentLogger(),
    };
    await expect(startHealthServer(options)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
