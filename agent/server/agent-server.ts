import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { CertificateSource } from '../../platform/certificates/certificate-source.ts';
import {
  type ClientAuthoritySource,
  followTls,
  readTls,
  toAuthorityOption,
  type TlsNegotiation,
} from '../../platform/certificates/serve-tls.ts';
import { type Clock, sleep } from '../../platform/process/clock.ts';
import { listenAt } from '../../platform/process/listen-at.ts';
import type { Logger } from '../../platform/process/logger.ts';
import { OpenConnections } from '../../platform/process/open-connections.ts';

/** What the server needs. */
export interface AgentServerOptions {
  readonly address: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly certificates: CertificateSource;
  readonly authorities: ClientAuthoritySource;
  readonly negotiation: TlsNegotiation;
  /** How long answers under way may still take once it ends. */
  readonly drainMillis: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Go keeps idle connections for 90 s, and fails a request on one that was closed meanwhile. */
const keepAliveMillis = 120_000;
/** Go opens connections that it uses only later: Node counts these as requests that do not come. */
const requestMillis = keepAliveMillis;
const handshakeMillis = 15_000;
const maxConnections = 512;
const maxHeaderBytes = 64 * 1024;

/** The agent's HTTPS listener: HTTP/1.1, with the certificate and the authorities of the moment. */
export class AgentServer {
  readonly #options: AgentServerOptions;
  readonly #server: Server;
  readonly #connections: OpenConnections;
  #unfollow: (() => void) | undefined;

  constructor(options: AgentServerOptions) {
    this.#options = options;
    const { certificate, privateKey, clientAuthority } = readTls(options.certificates, options.authorities);
    this.#server = createServer({
      ...options.negotiation,
      cert: certificate,
      key: privateKey,
      ...(clientAuthority === undefined
        ? {}
        : { ca: toAuthorityOption(clientAuthority), requestCert: true, rejectUnauthorized: false }),
      handshakeTimeout: handshakeMillis,
      keepAliveTimeout: keepAliveMillis,
      headersTimeout: requestMillis,
      requestTimeout: requestMillis,
      maxHeaderSize: maxHeaderBytes,
    });
    this.#server.maxConnections = maxConnections;
    this.#connections = new OpenConnections(this.#server);
    this.#server.on('tlsClientError', (error) => options.logger.debug({ err: error }, 'a TLS handshake failed'));
  }

  /** Whether new connections are taken. */
  get isListening(): boolean {
    return this.#server.listening;
  }

  /** Begins to answer by `listener`; resolves to the port. */
  async listen(listener: RequestListener): Promise<number> {
    const { address, port, certificates, authorities, negotiation } = this.#options;
    this.#unfollow = followTls(this.#server, certificates, authorities, negotiation);
    this.#server.on('request', (request, response) => {
      if (this.#connections.begin(request, response)) listener(request, response);
    });
    return listenAt(this.#server, port, address);
  }

  /** Takes no more requests; resolves when the last answer is given, or its time is up. */
  async close(): Promise<void> {
    this.#unfollow?.();
    const closed = this.#connections.close(this.#server);
    const done = new AbortController();
    const late = sleep(this.#options.clock, this.#options.drainMillis, done.signal).then(() => 'late' as const);
    if ((await Promise.race([closed, late])) === 'late') this.#connections.destroy();
    done.abort();
    await closed;
  }
}
