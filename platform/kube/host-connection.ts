import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** One HTTP request to the host's API server; `path` is absolute and holds the query. */
export interface HostRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array | Readable;
  /** `own` sends the connection's credentials, `none` only what `headers` hold (a caller's own token). Absent means `own`. */
  readonly credentials?: 'own' | 'none';
  readonly signal?: AbortSignal;
}

/** The answer as it comes in; `body` must be read to its end or destroyed. */
export interface HostAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
}

/** A way to the host's API server: keep-alive connections, its trust, and the credentials of this program, renewed as they change. */
export interface HostConnection {
  /** `https://address:port`, without a path. */
  readonly serverUrl: string;
  /** Throws only when no answer came; whatever the host answers is an answer. */
  send(request: HostRequest): Promise<HostAnswer>;
  /** Ends idle connections; requests under way are cut off. */
  close(): void;
}
