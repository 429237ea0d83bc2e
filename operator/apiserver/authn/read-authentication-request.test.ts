import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { expect, it } from 'vitest';
import { readAuthenticationRequest } from './read-authentication-request.ts';

const notAfter = Date.parse('2030-01-01T00:00:00Z');

/** A request over a connection whose client showed a certificate, as far as it is read. */
function makeRequest(authorized: boolean): IncomingMessage {
  const socket = Object.assign(Object.create(TLSSocket.prototype) as TLSSocket, {
    authorized,
    getPeerCertificate: () => ({
      subject: { CN: ['first', 'last'], O: ['a', 'b'] },
      fingerprint256: 'AB:CD',
      valid_to: 'Jan  1 00:00:00 2030 GMT',
    }),
  });
  return { headers: {}, url: '/version?a=b', socket } as unknown as IncomingMessage;
}

it('reads the last name and every organization of a certificate', () => {
  expect(readAuthenticationRequest(makeRequest(true), notAfter)).toEqual({
    path: '/version',
    clientCertificate: { commonName: 'last', organizations: ['a', 'b'], sha256: 'abcd' },
  });
});

it('does not read a certificate that was not verified', () => {
  expect(readAuthenticationRequest(makeRequest(false), notAfter)).toEqual({ path: '/version' });
});

it('forgets a certificate that ends while its connection goes on', () => {
  const request = makeRequest(true);
  expect(readAuthenticationRequest(request, notAfter)).toHaveProperty('clientCertificate');
  expect(readAuthenticationRequest(request, notAfter + 1)).toEqual({ path: '/version' });
});
