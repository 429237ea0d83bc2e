import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Logger } from 'pino';
import { makeInternalError } from '../../../core/errors/make-status-error.ts';
import { formatHttpDate } from '../../../core/time/format-date.ts';
import { toAuthorityOption, type TlsMaterial } from '../../../platform/certificates/serve-tls.ts';
import { listenAt } from '../../../platform/process/listen-at.ts';
import { OpenConnections } from '../../../platform/process/open-connections.ts';

export interface HttpsListenerOptions {
  readonly tls: TlsMaterial;
  /** Serves one request to its end. Should not reject: the answer is a bare 500 then. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly logger: Logger;
  /** Loopback unless given. */
  readonly address?: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** How long requests under way may take at shutdown, in milliseconds; absent means 10 s. */
  readonly drainMillis?: number;
}

/** Listens for HTTP/1.1 over TLS. */
export interface HttpsListener {
  readonly server: Server;
  /** Aborts when the listener begins to close: watches end by it. */
  readonly closing: AbortSignal;
  /** Starts to listen; resolves to the port. Rejects when the address is taken. */
  listen(): Promise<number>;
  /** Refuses new requests, waits for requests under way, closes the listener. Never rejects. */
  close(): Promise<void>;
}

const DEFAULT_DRAIN_MILLIS = 10_000;
/** Go's client keeps idle connections for 90 s; a server that closes earlier fails its next POST. */
const KEEP_ALIVE_MILLIS = 120_000;
const HEADERS_TIMEOUT_MILLIS = 32_000;
const REQUEST_TIMEOUT_MILLIS = 120_000;
const MAX_HEADER_BYTES = 64 * 1024;

/** The second that was formatted last: many answers are given within one. */
let formatted = { seconds: 0, text: '' };

function formatNow(): string {
  const seconds = Math.floor(Date.now() / 1000);
  if (formatted.seconds !== seconds) formatted = { seconds, text: formatHttpDate(seconds * 1000) };
  return formatted.text;
}

async function drain(server: Server, connections: OpenConnections, drainMillis: number): Promise<void> {
  const closed = connections.close(server);
  const timer = setTimeout(() => connections.destroy(), drainMillis);
  await closed;
  clearTimeout(timer);
}

/** Says no more than that it failed, or breaks off an answer that has begun. */
function answerFault(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  const { status } = makeInternalError('the request could not be served; see the log');
  response.writeHead(500, { 'Content-Type': 'application/json', Connection: 'close' }).end(JSON.stringify(status));
}

/** Builds a listener; nothing listens yet. */
export function buildHttpsListener(options: HttpsListenerOptions): HttpsListener {
  const { logger, tls } = options;
  const closing = new AbortController();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    // Node's own way to write it reads the data of all time zones.
    response.setHeader('Date', formatNow());
    if (!connections.begin(request, response)) return;
    options.serve(request, response).catch((error: unknown) => {
      logger.error({ err: error }, 'a request was not served to its end');
      answerFault(response);
    });
  };
  const server = createServer(
    {
      cert: tls.certificate,
      key: tls.privateKey,
      ...(tls.clientAuthority === undefined
        ? {}
        : { ca: toAuthorityOption(tls.clientAuthority), requestCert: true, rejectUnauthorized: false }),
      ALPNProtocols: ['http/1.1'],
      keepAlive: true,
      keepAliveTimeout: KEEP_ALIVE_MILLIS,
      handshakeTimeout: HEADERS_TIMEOUT_MILLIS,
      headersTimeout: HEADERS_TIMEOUT_MILLIS,
      requestTimeout: REQUEST_TIMEOUT_MILLIS,
      maxHeaderSize: MAX_HEADER_BYTES,
      noDelay: true,
    },
    answer,
  );
  const connections = new OpenConnections(server);
  server.on('tlsClientError', (error) => logger.debug({ err: error }, 'a TLS handshake failed'));
  let isListening = false;
  return {
    server,
    closing: closing.signal,
    listen: async () => {
      const port = await listenAt(server, options.port, options.address ?? '127.0.0.1');
      isListening = true;
      return port;
    },
    close: async () => {
      closing.abort();
      if (!isListening) return;
      isListening = false;
      await drain(server, connections, options.drainMillis ?? DEFAULT_DRAIN_MILLIS);
    },
  };
}
