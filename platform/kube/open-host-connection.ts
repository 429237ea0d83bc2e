import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as requestTls } from 'node:https';
import { Readable } from 'node:stream';
import type { Clock } from '../process/clock.ts';
import type { Logger } from '../process/logger.ts';
import type { Registry } from '../process/metrics.ts';
import { request as requestPlain } from '../process/node-http.ts';
import { HostAgents } from './host-agents.ts';
import type { HostAnswer, HostConnection, HostRequest } from './host-connection.ts';
import type { HostCredentialSource, HostCredentials } from './host-credentials.ts';
import { HostRequestMetrics } from './host-request-metrics.ts';
import { HostUnreachableError } from './host-unreachable-error.ts';
import { readInClusterCredentials, serviceAccountFolder } from './in-cluster-credentials.ts';
import { readKubeconfigCredentials } from './kubeconfig-credentials.ts';

/** What a connection to the host needs. */
export interface HostConnectionOptions {
  /** File; absent means that this program runs in a pod. */
  readonly kubeconfig?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where requests are counted; absent means nowhere. */
  readonly metrics?: Registry;
  /** `program/version`; the host derives the field manager from what precedes the slash. */
  readonly userAgent: string;
}

const headMillis = 65_000;
const connectMillis = 30_000;
/** A peer that vanished without a word is noticed after this and ten probes, a second apart. */
const probeMillis = 10_000;
/** Idle connections that the host may have closed at once, when it restarts. */
const maxReusedFailures = 5;
const repeatable = new Set(['GET', 'HEAD']);

/** A failure on a connection that an earlier request had used: the host may have closed it before it read this one. */
class StaleConnection extends Error {}

/** Opens the way to the host that a kubeconfig, or a pod's service account, describes. Throws when that cannot be used; the host is not asked. */
export async function openHostConnection(options: HostConnectionOptions): Promise<HostConnection> {
  const { clock, logger } = options;
  const source =
    options.kubeconfig === undefined
      ? await readInClusterCredentials({ folder: serviceAccountFolder, environment: process.env, clock, logger })
      : await readKubeconfigCredentials({ file: options.kubeconfig, clock, logger });
  return connectHost(source, options);
}

/** A connection with the credentials of `source`. */
export function connectHost(
  source: HostCredentialSource,
  options: Omit<HostConnectionOptions, 'kubeconfig'>,
): HostConnection {
  return new KeepAliveConnection(source, options);
}

class KeepAliveConnection implements HostConnection {
  readonly serverUrl: string;
  readonly #server: URL;
  readonly #basePath: string;
  readonly #source: HostCredentialSource;
  readonly #agents: HostAgents;
  readonly #clock: Clock;
  readonly #userAgent: string;
  readonly #metrics: HostRequestMetrics | undefined;

  constructor(source: HostCredentialSource, options: Omit<HostConnectionOptions, 'kubeconfig'>) {
    this.serverUrl = source.server;
    this.#server = new URL(source.server);
    this.#basePath = this.#server.pathname.replace(/\/+$/, '');
    this.#source = source;
    this.#agents = new HostAgents({ isPlain: this.#server.protocol === 'http:', proxyUrl: source.proxyUrl });
    this.#clock = options.clock;
    this.#userAgent = options.userAgent;
    this.#metrics =
      options.metrics === undefined ? undefined : new HostRequestMetrics(options.metrics, this.#server.host);
  }

  async send(request: HostRequest): Promise<HostAnswer> {
    const credentials = await this.#source.read();
    const answer = await this.#sendCounted(request, credentials);
    if (answer.status !== 401 || request.credentials === 'none') return answer;
    this.#source.invalidate();
    if (request.body instanceof Readable) return answer;
    const renewed = await this.#source.read();
    if (renewed === credentials || renewed.headers['authorization'] === credentials.headers['authorization']) {
      return answer;
    }
    answer.body.destroy();
    return this.#sendCounted(request, renewed);
  }

  close(): void {
    this.#agents.close();
  }

  async #sendCounted(request: HostRequest, credentials: HostCredentials): Promise<HostAnswer> {
    for (let failures = 0; ; failures += 1) {
      const startMillis = performance.now();
      try {
        const answer = await this.#sendOnce(request, credentials);
        this.#metrics?.observe(request.method, answer.status, (performance.now() - startMillis) / 1000);
        return answer;
      } catch (error) {
        request.signal?.throwIfAborted();
        this.#metrics?.observe(request.method, undefined, (performance.now() - startMillis) / 1000);
        const isStale = error instanceof StaleConnection;
        if (isStale && failures < maxReusedFailures && isRepeatable(request)) continue;
        throw new HostUnreachableError(`no answer from ${this.serverUrl}`, { cause: isStale ? error.cause : error });
      }
    }
  }

  #sendOnce(request: HostRequest, credentials: HostCredentials): Promise<HostAnswer> {
    const { body, signal } = request;
    const kind = request.credentials ?? 'own';
    const send = this.#server.protocol === 'http:' ? requestPlain : requestTls;
    const { hostname } = this.#server;
    return new Promise((resolve, reject) => {
      const call = send({
        agent: this.#agents.find(credentials, kind),
        host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
        port: this.#server.port === '' ? (this.#server.protocol === 'http:' ? 80 : 443) : this.#server.port,
        method: request.method,
        path: `${this.#basePath}${request.path}`,
        headers: this.#composeHeaders(request, kind === 'own' ? credentials.headers : {}),
        ...(signal === undefined ? {} : { signal }),
      });
      const cancelTimers = this.#watchOver(call, request.timeoutMillis ?? headMillis);
      call.once('response', (message: IncomingMessage) => {
        cancelTimers();
        resolve({ status: message.statusCode ?? 0, headers: message.headers, body: message });
      });
      call.once('close', cancelTimers);
      // Stays for the life of the request: what happens after the head is the reader's, who sees it on the body.
      call.on('error', (error: NodeJS.ErrnoException) => {
        cancelTimers();
        const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
        reject(call.reusedSocket && isClosed ? new StaleConnection('', { cause: error }) : error);
      });
      if (body instanceof Readable) {
        body.once('error', (error) => call.destroy(error));
        body.pipe(call);
      } else {
        call.end(body);
      }
    });
  }

  /** Ends a request that waits too long for its connection or the head of its answer. Returns what ends the watching. */
  #watchOver(call: ClientRequest, timeoutMillis: number): () => void {
    const cancels = [
      this.#clock.schedule(timeoutMillis, () => call.destroy(new Error(`no answer within ${timeoutMillis} ms`))),
    ];
    call.once('socket', (socket) => {
      if (!socket.connecting) return;
      socket.setKeepAlive(true, probeMillis);
      const cancel = this.#clock.schedule(connectMillis, () => {
        call.destroy(new Error(`no connection within ${connectMillis} ms`));
      });
      socket.once('connect', cancel);
      cancels.push(cancel);
    });
    return () => {
      for (const cancel of cancels) cancel();
    };
  }

  #composeHeaders(request: HostRequest, own: Readonly<Record<string, string>>): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = { 'user-agent': this.#userAgent };
    for (const [name, value] of Object.entries(request.headers ?? {})) {
      headers[name.toLowerCase()] = typeof value === 'string' ? value : [...value];
    }
    Object.assign(headers, own);
    const { body } = request;
    // Node frames the body of a DELETE only when it is told how.
    if (body instanceof Readable) {
      if (headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked';
    } else if (body !== undefined) {
      headers['content-length'] = String(Buffer.byteLength(body));
    }
    return headers;
  }
}

function isRepeatable(request: HostRequest): boolean {
  return repeatable.has(request.method) && !(request.body instanceof Readable);
}
