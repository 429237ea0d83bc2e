import { request as sendRequest } from 'node:https';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { makeCertificate } from '../../../platform/certificates/make-certificate.ts';
import { createSilentLogger } from '../../../platform/process/logger.ts';
import { buildHttpsListener, type HttpsListener } from './https-listener.ts';

const hourMillis = 3_600_000;
let listener: HttpsListener;
let port: number;

function send(path: string): Promise<{ code: number | undefined; date: string | undefined }> {
  return new Promise((resolve, reject) => {
    sendRequest({ port, path, host: '127.0.0.1', rejectUnauthorized: false }, (response) => {
      response.resume().on('end', () => resolve({ code: response.statusCode, date: response.headers.date }));
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
      if (request.url === '/fault') throw new Error('on purpose');
      response.end('served');
    },
  });
  port = await listener.listen();
});
afterAll(() => listener?.close());

it('closes the connection of a request that fails in an unforeseen way, tells nothing of it, and serves others', async () => {
  await expect(send('/fault')).rejects.toThrow(/socket hang up|ECONNRESET/);
  expect(await send('/')).toMatchObject({ code: 200 });
});

it('tells the time as of the second', async () => {
  const before = Math.floor(Date.now() / 1000) * 1000;
  const { date = '' } = await send('/');
  expect(date).toMatch(/^(Sun|Mon|Tue|Wed|Thu|Fri|Sat), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
  expect(Date.parse(date)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(date)).toBeLessThanOrEqual(Date.now());
});
