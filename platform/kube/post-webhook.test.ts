import type { AddressInfo } from 'node:net';
import { createServer } from 'node:https';
import { describe, expect, it } from 'vitest';
import { makeCertificate } from '../certificates/make-certificate.ts';
import { postWebhook } from './post-webhook.ts';

describe('a webhook that no connection can be made to', () => {
  it.for<[string, string, RegExp]>([
    ['a port beyond all', 'https://127.0.0.1:99999/', /^dial tcp: address 99999: invalid port$/],
    ['a port beyond all, with nothing after it', 'https://127.0.0.1:65536', /^dial tcp: address 65536: invalid port$/],
    ['no URL', 'https://[::zz/', /Invalid URL/],
    ['another protocol', 'http://127.0.0.1:1/', /not supported/],
    ['nobody there', 'https://127.0.0.1:1/', /^dial tcp 127\.0\.0\.1:1: connect: connection refused$/],
    ['nobody there, and a port in the path', 'https://127.0.0.1:1/a:99999', /^dial tcp 127\.0\.0\.1:1: connect/],
  ])('is a fault: %s', async ([, url, expected]) => {
    const answer = await postWebhook({ url, body: '{}', timeoutMillis: 5_000, maxAnswerBytes: 1_000 });
    expect(answer).toEqual({ fault: expect.stringMatching(expected) as string });
  });
});

describe('connections to a webhook', () => {
  it('are kept for the next call, and made anew when the webhook has closed them', async () => {
    const pair = await makeCertificate({
      ...{ commonName: 'hook', purpose: 'server', subjectNames: ['127.0.0.1'] },
      ...{ notBeforeMillis: Date.now() - 60_000, notAfterMillis: Date.now() + 600_000 },
    });
    const server = createServer({ cert: pair.certificate, key: pair.privateKey }, (asked, answer) => {
      asked.resume().on('end', () => answer.end('{}'));
    });
    let connections = 0;
    server.on('secureConnection', () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const call = {
      ...{ url: `https://127.0.0.1:${port}/`, authorities: pair.certificate, body: '{}' },
      ...{ timeoutMillis: 5000, maxAnswerBytes: 1000 },
    };
    for (let turn = 0; turn < 5; turn += 1) expect(await postWebhook(call)).toEqual({ text: '{}' });
    expect(connections).toBe(1);
    server.closeAllConnections();
    for (let turn = 0; turn < 5; turn += 1) expect(await postWebhook(call)).toEqual({ text: '{}' });
    // The first call finds it closed and has one of its own.
    expect(connections).toBeLessThanOrEqual(3);
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  });
});
