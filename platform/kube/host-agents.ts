import type { Agent as PlainAgent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { Agent } from '../process/node-http.ts';
import type { HostCredentials, HostTls } from './host-credentials.ts';

/** An API server closes connections idle for 90 s, balancers before it mostly after 50 s or more: ours must be closed first. */
const idleMillis = 30_000;

const maxIdleConnections = 64;

function isSameTls(left: HostTls, right: HostTls): boolean {
  const same = (a: string | Buffer | undefined, b: string | Buffer | undefined): boolean => String(a) === String(b);
  return (
    same(left.ca, right.ca) &&
    same(left.cert, right.cert) &&
    same(left.key, right.key) &&
    left.servername === right.servername &&
    left.rejectUnauthorized === right.rejectUnauthorized
  );
}

/** Idle connections end now, the others with their request. */
function retire(agent: PlainAgent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

/** Pools of connections to the host: one that shows this program's client certificate, and one that shows none. */
export class HostAgents {
  readonly #isPlain: boolean;
  readonly #proxyUrl: string | undefined;
  readonly #all = new Set<PlainAgent>();
  #credentials: HostCredentials | undefined;
  #own: PlainAgent | undefined;
  #bare: PlainAgent | undefined;

  constructor(options: { readonly isPlain: boolean; readonly proxyUrl: string | undefined }) {
    this.#isPlain = options.isPlain;
    this.#proxyUrl = options.proxyUrl;
  }

  /** The pool for a request; new ones are made when the trust or the certificate has changed. */
  find(credentials: HostCredentials, kind: 'own' | 'none'): PlainAgent {
    const known = this.#credentials;
    if (known !== credentials) {
      if (known !== undefined && (known.agent !== credentials.agent || !isSameTls(known.tls, credentials.tls))) {
        if (this.#own !== undefined) retire(this.#own);
        if (this.#bare !== undefined) retire(this.#bare);
        this.#own = undefined;
        this.#bare = undefined;
      }
      this.#credentials = credentials;
    }
    if (kind === 'own') {
      this.#own ??= credentials.agent ?? this.#make(credentials.tls);
      return this.#own;
    }
    if (this.#bare === undefined) {
      const { cert, key: _key, ...trust } = credentials.tls;
      // An agent that the credentials bring shows their certificate, if they have one.
      this.#bare = cert === undefined && credentials.agent !== undefined ? credentials.agent : this.#make(trust);
    }
    return this.#bare;
  }

  /** Ends every connection. */
  close(): void {
    for (const agent of this.#all) agent.destroy();
    this.#own?.destroy();
  }

  #make(tls: HostTls): PlainAgent {
    const common = {
      keepAlive: true,
      maxFreeSockets: maxIdleConnections,
      timeout: idleMillis,
      proxyEnv:
        this.#proxyUrl === undefined ? process.env : { HTTPS_PROXY: this.#proxyUrl, HTTP_PROXY: this.#proxyUrl },
    };
    const agent = this.#isPlain ? new Agent(common) : new TlsAgent({ ...common, ...tls });
    // Only agents with connections left need to be ended; a retired one that is idle has none.
    for (const old of this.#all) if (Object.keys(old.sockets).length === 0 && old !== this.#own) this.#all.delete(old);
    this.#all.add(agent);
    return agent;
  }
}
