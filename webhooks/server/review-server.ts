import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { CertificateSource, ServingCertificate } from '../../platform/certificates/certificate-source.ts';
import { serveCertificate } from '../../platform/certificates/serve-certificate.ts';
import { type Clock, sleep } from '../../platform/process/clock.ts';
import { listenAt } from '../../platform/process/listen-at.ts';
import type { Logger } from '../../platform/process/logger.ts';
import { OpenConnections } from '../../platform/process/open-connections.ts';

/** What the server needs. */
export interface ReviewServerOptions {
  readonly first: ServingCertificate;
  readonly certificates: CertificateSource;
  readonly address: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly drainMillis: number;
  /** PEM; callers are then asked for a certificate, and may come without one. */
  readonly clientAuthority?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Go keeps idle connections for 90 s, and fails a call on one that was closed meanwhile. */
const keepAliveMillis = 120_000;
/** Go opens connections that it uses only later: Node counts these as requests that do not come, and answers the next real one with 408. */
const requestMillis = keepAliveMillis;

/** The HTTPS listener of the webhooks: HTTP/1.1 only, as hosts call it, and with the certificate of the moment. */
export class ReviewServer {
  readonly #options: ReviewServerOptions;
  readonly #server: Server;
  readonly #connections: OpenConnections;
  #isDraining = false;

  constructor(options: ReviewServerOptions) {
    this.#options = options;
    this.#server = createServer({
      cert: options.first.certificate,
      key: options.first.privateKey,
      ...(options.clientAuthority === undefined
        ? {}
        : { ca: options.clientAuthority, requestCert: true, rejectUnauthorized: false }),
      minVersion: 'TLSv1.2',
      keepAliveTimeout: keepAliveMillis,
      headersTimeout: requestMillis,
      requestTimeout: requestMillis,
    });
    this.#connections = new OpenConnections(this.#server);
    this.#server.on('tlsClientError', (error) => options.logger.debug({ err: error }, 'a TLS handshake failed'));
  }

  /** Whether the program is about to end. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Begins to answer by `listener`; resolves to the port. */
  async listen(listener: RequestListener): Promise<number> {
    const { address, port, certificates, clientAuthority } = this.#options;
    serveCertificate(this.#server, certificates, clientAuthority);
    this.#server.on('request', (request, response) => {
      if (this.#connections.begin(request, response)) listener(request, response);
    });
    return listenAt(this.#server, port, address);
  }

  /** Goes on answering for a while, so that callers come to know that it ends; then resolves when the last answer is given. */
  async close(): Promise<void> {
    this.#isDraining = true;
    await sleep(this.#options.clock, this.#options.drainMillis);
    await this.#connections.close(this.#server);
  }
}
