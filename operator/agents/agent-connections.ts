import { X509Certificate } from 'node:crypto';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request as startRequest } from 'node:https';
import { isIP } from 'node:net';
import type { DetailedPeerCertificate, PeerCertificate, TLSSocket } from 'node:tls';
import type { Logger } from '../../platform/process/logger.ts';
import type { AgentTrust } from '../agent-trust/agent-trust.ts';
import {
  AgentFault,
  AgentHang,
  describeAbort,
  describeConnectionFault,
  makeAgentUnavailableError,
} from './agent-failure.ts';
import { AgentFaultLog } from './agent-fault-log.ts';
import type { AgentEndpoint } from './plan-agent-endpoint.ts';

/** A request to an agent. */
export interface AgentRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long connecting and the head of the answer may take, in milliseconds. */
  readonly headMillis: number;
  /** Aborts the request, and the body of its answer. */
  readonly signal: AbortSignal;
}

/** The head of an agent's answer; its body must be read or destroyed. */
export interface AgentAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
}

const CONNECT_MILLIS = 5_000;
const IDLE_MILLIS = 20_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_IDLE_SOCKETS = 256;

/** Whether a certificate is of the node by its alternative names alone, written out. */
function namesNode(raw: Buffer, nodeName: string): boolean {
  const certificate = new X509Certificate(raw);
  if (isIP(nodeName) !== 0 && certificate.checkIP(nodeName) !== undefined) return true;
  return certificate.checkHost(nodeName, { subject: 'never', wildcards: false }) !== undefined;
}

/** Talks to node agents over TLS. Nothing is sent, a token least of all, before the agent has shown that it is the one of its node. */
export class AgentConnections {
  readonly #trust: AgentTrust;
  readonly #userAgent: string;
  readonly #faults: AgentFaultLog;
  readonly #pool = new Agent({
    keepAlive: true,
    timeout: IDLE_MILLIS,
    maxTotalSockets: Number.POSITIVE_INFINITY,
    maxFreeSockets: MAX_IDLE_SOCKETS,
    // A session that is resumed shows no certificate again.
    maxCachedSessions: 0,
  });

  constructor(options: { readonly trust: AgentTrust; readonly userAgent: string; readonly logger: Logger }) {
    this.#trust = options.trust;
    this.#userAgent = options.userAgent;
    this.#faults = new AgentFaultLog(options.logger);
  }

  /** Sends a request and resolves to the head of its answer. Throws a StatusError (503) that names the node when there is none. */
  async send(endpoint: AgentEndpoint, wanted: AgentRequest): Promise<AgentAnswer> {
    const { nodeName } = endpoint;
    const roots = this.#trust.readRoots();
    if (roots === undefined) throw makeAgentUnavailableError(nodeName, 'no authority of agents is known yet');
    try {
      let token = '';
      const answer = await this.#exchange(endpoint, wanted, roots, async () => {
        token = await explainToken(this.#trust.readToken(nodeName));
        return token;
      });
      this.#faults.forget(nodeName);
      if (answer.status !== 401) return answer;
      // Whoever is refused so has been given nothing, and done nothing.
      const other = await explainToken(this.#trust.replaceToken(nodeName, token));
      if (other === undefined) return answer;
      answer.body.destroy();
      return await this.#exchange(endpoint, wanted, roots, async () => other);
    } catch (error) {
      if (wanted.signal.aborted) throw makeAgentUnavailableError(nodeName, describeAbort(wanted.signal));
      const fault = makeAgentUnavailableError(nodeName, describeConnectionFault(error), error);
      this.#faults.note(nodeName, fault);
      throw fault;
    }
  }

  /** Closes idle connections; others end with their requests. */
  close(): void {
    this.#pool.destroy();
  }

  #open(
    { nodeName, address, port }: AgentEndpoint,
    { method, path, headers }: AgentRequest,
    ca: string,
  ): ClientRequest {
    const isNamed = isIP(nodeName) === 0;
    return startRequest({
      host: address,
      port,
      method,
      path,
      ca,
      // Connections are shared by server name; a node that is called like an address has none.
      ...(isNamed ? { servername: nodeName, agent: this.#pool } : { servername: '', agent: false }),
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      checkServerIdentity: (_: string, certificate: PeerCertificate | DetailedPeerCertificate) =>
        namesNode(certificate.raw, nodeName) ? undefined : new AgentFault('its certificate is not one of the node'),
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: { ...headers, 'User-Agent': this.#userAgent },
    });
  }

  async #exchange(
    endpoint: AgentEndpoint,
    wanted: AgentRequest,
    roots: string,
    readToken: () => Promise<string>,
  ): Promise<AgentAnswer> {
    const request = this.#open(endpoint, wanted, roots);
    const { signal, headMillis } = wanted;
    const giveUp = (): void => void request.destroy(new AgentFault('the request was given up'));
    const late = (): void => void request.destroy(new AgentHang());
    let timer = setTimeout(late, CONNECT_MILLIS);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    request.once('close', () => signal.removeEventListener('abort', giveUp));
    try {
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        request.once('response', resolve);
        request.on('error', reject);
      });
      // It is awaited below, and may fail before.
      answered.catch(() => undefined);
      await Promise.race([waitUntilTrusted(request), answered]);
      request.setHeader('Authorization', `Bearer ${await readToken()}`);
      clearTimeout(timer);
      timer = setTimeout(late, headMillis);
      request.end();
      const body = await answered;
      return { status: body.statusCode ?? 0, headers: body.headers, body };
    } catch (error) {
      request.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

async function explainToken<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw new AgentFault('no token for it could be had', { cause: error });
  }
}

/** Resolves when the connection of a request is one to an agent that is trusted; never when it is not. */
function waitUntilTrusted(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    request.once('socket', (socket: TLSSocket) => {
      if (socket.authorized) resolve();
      else socket.once('secureConnect', () => resolve());
    });
  });
}
