import type { IncomingHttpHeaders } from 'node:http';
import { request as sendRequest } from 'node:https';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { makeCertificate } from '../../../platform/certificates/make-certificate.ts';
import { createSilentLogger } from '../../../platform/process/logger.ts';
import { buildHttpsListener, type HttpsListener } from './https-listener.ts';

const hourMillis = 3_600_000;
let listener: HttpsListener;
let port: number;

interface Answer {
  readonly code: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function send(path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    sendRequest({ port, path, host: '127.0.0.1', rejectUnauthorized: false }, (response) => {
      const { statusCode: code, headers } = response;
      text(response).then((body) => resolve({ code, headers, text: body }), reject);
    })
      .on('error', reject)
      .end();
  });
}

beforeAll(async () => {
  const now = Date.now();
  const tls = await makeCertificate({
    ...{ commonName: 'listener', purpose: 'server', subjectNames: ['127.0.0.1'] },
    ...{ notBeforeMillis: now - hourMillis, notAfterMillis: now + hourMillis },
  });
  listener = buildHttpsListener({
    ...{ tls, logger: createSilentLogger(), port: 0 },
    serve: async (request, response) => {
      if (request.url === '/half') response.write('half');
      else response.setHeader('Content-Encoding', 'gzip');
      if (request.url !== '/') throw new Error('on purpose');
      response.removeHeader('Content-Encoding');
      response.end('served');
    },
  });
  port = await listener.listen();
});
afterAll(() => listener?.close());

it('answers a request that fails in an unforeseen way with a bare Status, and serves others', async () => {
  const answer = await send('/fault');
  expect(answer).toMatchObject({ code: 500, headers: { 'content-type': 'application/json', connection: 'close' } });
  expect(answer.headers).not.toHaveProperty('content-encoding');
  expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status', reason: 'InternalError', code: 500 });
  expect(answer.text).not.toContain('on purpose');
  expect(await send('/')).toMatchObject({ code: 200, text: 'served' });
});

it('breaks off an answer that has begun', async () => {
  await expect(send('/half')).rejects.toThrow(/aborted|ECONNRESET|terminated/);
});

it('tells the time as of the second', async () => {
  const before = Math.floor(Date.now() / 1000) * 1000;
  const { date = '' } = (await send('/')).headers;
  expect(date).toMatch(/^(Sun|Mon|Tue|Wed|Thu|Fri|Sat), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
  expect(Date.parse(date)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(date)).toBeLessThanOrEqual(Date.now());
});
