import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificate } from '../../platform/certificates/make-certificate.ts';
import type { KeyedCertificate } from '../../platform/certificates/make-certificate.ts';

const HOUR = 3_600_000;

/** A server in the place of a node's agent, for tests of what agents may do to those who ask them. */
export interface TestAgent {
  readonly port: number;
  /** Requests that it got, as `METHOD path`, in order. */
  readonly requests: string[];
  /** Headers of the last of them. */
  lastHeaders: IncomingMessage['headers'];
  /** How many connections it ever had. */
  connections: number;
  stop(): Promise<void>;
}

/** Makes an authority that signs for one hour. */
export function makeTestAuthority(commonName = 'agents'): Promise<KeyedCertificate> {
  const now = Date.now();
  return makeCertificate({ commonName, purpose: 'authority', notBeforeMillis: now - HOUR, notAfterMillis: now + HOUR });
}

/** Starts a server on loopback with a certificate of these names. `stop` ends its connections, too. */
export async function startTestAgent(options: {
  readonly authority: KeyedCertificate;
  readonly names: readonly string[];
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
}): Promise<TestAgent> {
  const now = Date.now();
  const { certificate, privateKey } = await makeCertificate(
    {
      commonName: 'agent',
      purpose: 'server',
      subjectNames: options.names,
      notBeforeMillis: now - HOUR,
      notAfterMillis: now + HOUR,
    },
    options.authority,
  );
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    agent.requests.push(`${request.method} ${request.url}`);
    agent.lastHeaders = request.headers;
    response.on('error', () => undefined);
    options.serve(request, response);
  });
  server.on('connection', () => (agent.connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent: TestAgent = {
    port: (server.address() as AddressInfo).port,
    requests: [],
    lastHeaders: {},
    connections: 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return agent;
}
