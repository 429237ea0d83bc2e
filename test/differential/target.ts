import { Agent, request as sendHttps } from 'node:https';
import type { IncomingMessage } from 'node:http';

/** A server that cases are played at. */
export interface Target {
  readonly name: string;
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** Sends a request and resolves when the head of the answer is there; rejects only when there is none. */
  open(request: TargetRequest): Promise<IncomingMessage>;
  /** Ends the server and removes what it kept. */
  stop(): Promise<void>;
}

/** A request as it goes out; `anonymous` means without the administrator's token. */
export interface TargetRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly anonymous: boolean;
}

/** What a target is made of. */
export interface TargetAccess {
  readonly name: string;
  readonly url: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string;
  /** Bearer token of an administrator. */
  readonly token: string;
  stop(): Promise<void>;
}

/** A target over connections that stay open; `stop` closes them first. */
export function connectTarget({ name, url, ca, token, stop }: TargetAccess): Target {
  const agent = new Agent({ keepAlive: true, ca });
  return {
    name,
    url,
    open: ({ method, path, headers, body, anonymous }) =>
      new Promise((resolve, reject) => {
        const identity = anonymous ? {} : { authorization: `Bearer ${token}` };
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
        const sent = sendHttps(
          new URL(path, url),
          { method, agent, headers: { ...identity, ...length, ...headers } },
          resolve,
        );
        sent.on('error', reject);
        sent.end(body);
      }),
    stop: async () => {
      agent.destroy();
      await stop();
    },
  };
}
