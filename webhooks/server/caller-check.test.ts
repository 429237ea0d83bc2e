import { Agent, request as sendHttps } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KeyedCertificate, makeCertificate } from '../../platform/certificates/make-certificate.ts';
import type { ServingCertificate } from '../../platform/certificates/certificate-source.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { createSilentLogger } from '../../platform/process/logger.ts';
import { type CallerRules, isAllowedCaller } from './caller-check.ts';
import { ReviewServer } from './review-server.ts';

const validity = { notBeforeMillis: Date.now() - 60_000, notAfterMillis: Date.now() + 3_600_000 };

describe('isAllowedCaller', () => {
  const clients = new Map<string, KeyedCertificate | undefined>([['nobody', undefined]]);
  let authority: KeyedCertificate;
  let server: ReviewServer;
  let port: number;
  let rules: CallerRules | undefined;
  let serve: (certificate: ServingCertificate) => void = () => undefined;
  let trusted: string;

  async function makeServing(): Promise<ServingCertificate> {
    const made = await makeCertificate({
      commonName: 'w',
      purpose: 'server',
      subjectNames: ['127.0.0.1'],
      ...validity,
    });
    return { ...made, bundle: made.certificate, serialNumber: '1', notAfterMillis: validity.notAfterMillis };
  }

  beforeAll(async () => {
    authority = await makeCertificate({ commonName: 'ca', purpose: 'authority', ...validity });
    const other = await makeCertificate({ commonName: 'other', purpose: 'authority', ...validity });
    clients.set('host', await makeCertificate({ commonName: 'host', purpose: 'client', ...validity }, authority));
    clients.set('guest', await makeCertificate({ commonName: 'guest', purpose: 'client', ...validity }, authority));
    clients.set('forged host', await makeCertificate({ commonName: 'host', purpose: 'client', ...validity }, other));
    const first = await makeServing();
    trusted = first.certificate;
    server = new ReviewServer({
      ...{ first, address: '127.0.0.1', port: 0, drainMillis: 0, clock: systemClock, logger: createSilentLogger() },
      clientAuthority: authority.certificate,
      certificates: {
        current: () => first,
        subscribe: (listener) => {
          serve = listener;
          return () => undefined;
        },
      },
    });
    port = await server.listen((request, response) => response.end(String(isAllowedCaller(request, rules))));
  });

  afterAll(() => server.close());

  function ask(client: string): Promise<string> {
    const pair = clients.get(client);
    const agent = new Agent({ ca: trusted, ...(pair && { cert: pair.certificate, key: pair.privateKey }) });
    return new Promise((resolve, reject) => {
      const call = sendHttps({ host: '127.0.0.1', port, agent }, (message) => {
        message.on('data', (chunk: Buffer) => resolve(chunk.toString()));
      });
      call.on('error', reject);
      call.end();
    });
  }

  const rows: [string, string[] | undefined, string][] = [
    ['nobody', undefined, 'true'],
    ['nobody', [], 'false'],
    ['host', [], 'true'],
    ['host', ['a', 'host'], 'true'],
    ['guest', ['host'], 'false'],
    ['forged host', ['host'], 'false'],
    ['forged host', [], 'false'],
  ];

  it.for(rows)('%s, of %j: %s', async ([client, names, allowed]) => {
    rules = names === undefined ? undefined : { authority: authority.certificate, names };
    expect(await ask(client)).toBe(allowed);
  });

  it('asks the same after a new certificate is served', async () => {
    const next = await makeServing();
    serve(next);
    trusted = next.certificate;
    rules = { authority: authority.certificate, names: ['host'] };
    expect([await ask('host'), await ask('guest')]).toEqual(['true', 'false']);
  });
});
