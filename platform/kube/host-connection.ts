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
  /** How long the head of the answer may take; absent means 65 s, a little longer than an API server takes to give up. */
  readonly timeoutMillis?: number;
}

/** The answer as it comes in; `body` must be read to its end or destroyed. */
export interface HostAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
}

/** A way to the host's API server: keep-alive connections, its trust, and the credentials of this program, renewed as they change. */
export interface HostConnection {
  /** `https://address:port`, and a path where the host's API is below one; paths of requests are relative to it. */
  readonly serverUrl: string;
  /**
   * Whatever the host answers is an answer. Throws the signal's reason when that aborts, a HostUnreachableError when no answer came
   * (a GET that met a connection the host had closed is sent again first), and what reading the credentials throws.
   */
  send(request: HostRequest): Promise<HostAnswer>;
  /** Ends idle connections; requests under way are cut off. */
  close(): void;
}
