import { describe, expect, it } from 'vitest';
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
