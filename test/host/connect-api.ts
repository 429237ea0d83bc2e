import { readFile } from 'node:fs/promises';
import { Agent, request as sendHttps } from 'node:https';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';

import { parse } from 'yaml';

/** An API service, and by what a client proves who it is; without anything it is nobody. */
export interface ApiAccess {
  readonly url: string;
  /** PEM of whom to trust; absent: whoever answers. */
  readonly ca?: string;
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  readonly token?: string;
}

/** What goes with a request; a header may be given more than once. */
export interface ApiRequestOptions {
  readonly body?: object;
  readonly headers?: OutgoingHttpHeaders;
}

/** A whole answer; `json` is `undefined` when it is not JSON. */
export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of any kind, looked into by tests
  readonly json: any;
}

/** A client that keeps its connections. */
export interface ApiClient {
  request(method: string, path: string, options?: ApiRequestOptions): Promise<ApiAnswer>;
  /** The answer with its body still to be read, for watches. Rejects with a RequestError when there is none. */
  open(method: string, path: string, options?: ApiRequestOptions): Promise<IncomingMessage>;
  close(): void;
}

/** A request that got no answer. */
export class RequestError extends Error {
  /** Whether it went over a connection that an earlier request had used. */
  readonly isReused: boolean;
  readonly code: string;

  constructor(cause: NodeJS.ErrnoException, isReused: boolean) {
    super(cause.message, { cause });
    this.code = cause.code ?? '';
    this.isReused = isReused;
  }
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Record<string, string> }[];
  readonly users: readonly { readonly user: Record<string, string> }[];
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Where the kubeconfig that an operator wrote leads, and as whom. */
export async function readApiAccess(kubeconfig: string): Promise<ApiAccess> {
  const { clusters, users } = parse(await readFile(kubeconfig, 'utf8')) as Kubeconfig;
  const decode = (text = ''): string => Buffer.from(text, 'base64').toString('utf8');
  const [cluster, user] = [clusters[0]?.cluster ?? {}, users[0]?.user ?? {}];
  return {
    url: cluster['server'] ?? '',
    ca: decode(cluster['certificate-authority-data']),
    clientCertificate: {
      certificate: decode(user['client-certificate-data']),
      key: decode(user['client-key-data']),
    },
  };
}

/** Makes a client; `close` ends its connections. */
export function connectApi({ url, ca, clientCertificate, token }: ApiAccess): ApiClient {
  const agent = new Agent({
    keepAlive: true,
    ...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
    ...(clientCertificate === undefined ? {} : { cert: clientCertificate.certificate, key: clientCertificate.key }),
  });
  const open: ApiClient['open'] = (method, path, { body, headers } = {}) => {
    const data = body === undefined ? undefined : JSON.stringify(body);
    const framing = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data ?? '') };
    return new Promise((resolve, reject) => {
      const sent = sendHttps(new URL(path, url), {
        ...{ method, agent },
        headers: {
          accept: 'application/json',
          ...(data === undefined ? {} : framing),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
      });
      sent.once('response', resolve);
      sent.on('error', (error) => reject(new RequestError(error, sent.reusedSocket)));
      sent.end(data);
    });
  };
  return {
    open,
    async request(method, path, options) {
      const answer = await open(method, path, options);
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString('utf8');
      return { status: answer.statusCode ?? 0, text, json: parseOrUndefined(text) };
    },
    close: () => agent.destroy(),
  };
}
