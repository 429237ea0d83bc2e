import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { expect, it } from 'vitest';
import { readAuthenticationRequest } from './read-authentication-request.ts';

const headersDistinct = { 'x-one': ['a', 'b'] };
const notAfter = Date.parse('2030-01-01T00:00:00Z');

/** A request over a connection whose client showed a certificate, as far as it is read. */
function makeRequest(authorized: boolean): IncomingMessage {
  const authority = { fingerprint256: 'EF:01' };
  const socket = Object.assign(Object.create(TLSSocket.prototype) as TLSSocket, {
    authorized,
    getPeerCertificate: () => ({
      subject: { CN: ['first', 'last'], O: ['a', 'b'] },
      fingerprint256: 'AB:CD',
      valid_to: 'Jan  1 00:00:00 2030 GMT',
      issuerCertificate: Object.assign(authority, { issuerCertificate: authority }),
    }),
  });
  return { headers: {}, headersDistinct, url: '/version?a=b', socket } as unknown as IncomingMessage;
}

it('reads the last name and every organization of a certificate', () => {
  expect(readAuthenticationRequest(makeRequest(true), notAfter)).toMatchObject({
    path: '/version',
    headers: headersDistinct,
    clientCertificate: { commonName: 'last', organizations: ['a', 'b'], sha256: 'abcd', issuers: ['ef01'] },
  });
});

it('does not read a certificate that was not verified', () => {
  expect(readAuthenticationRequest(makeRequest(false), notAfter)).toMatchObject({
    path: '/version',
    headers: headersDistinct,
    clientCertificate: undefined,
  });
});

it('forgets a certificate that ends while its connection goes on', () => {
  const request = makeRequest(true);
  expect(readAuthenticationRequest(request, notAfter).clientCertificate).toBeDefined();
  expect(readAuthenticationRequest(request, notAfter + 1).clientCertificate).toBeUndefined();
});
