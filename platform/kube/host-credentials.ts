import type { Agent } from 'node:http';

/** What a TLS connection to the host is made with; absent members are Node's defaults. */
export interface HostTls {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** What a request of this program is sent with. */
export interface HostCredentials {
  readonly tls: HostTls;
  /** `Authorization` and the like. */
  readonly headers: Readonly<Record<string, string>>;
  /** Makes the connections where Node's own agents cannot (SOCKS); absent means they can. */
  readonly agent?: Agent;
}

/** Where credentials come from, renewed as they change. */
export interface HostCredentialSource {
  /** `https://address:port`, with a path when the host's API is below one. */
  readonly server: string;
  /** Proxy to the host; absent means what the environment says (`HTTPS_PROXY`, `NO_PROXY`). */
  readonly proxyUrl?: string;
  /** Those of now; reads again what may have changed. Throws when there are none. */
  read(): Promise<HostCredentials>;
  /** Tells that the host refused them: the next `read` does not answer from memory, unless that is very fresh. */
  invalidate(): void;
}
