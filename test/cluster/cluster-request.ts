import type { IncomingHttpHeaders } from 'node:http';
import { request as sendRequest } from 'node:https';

/** Where a request goes, whom it trusts and who makes it. */
export interface ClusterAccess {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

/** A string or bytes are sent as they are, anything else as JSON. */
export interface ClusterRequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without the administrator's token. */
  readonly anonymous?: boolean;
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
}

/** What came back; `body` is parsed where the content is JSON, and text otherwise. */
export interface ClusterAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // The answers of an API are as varied as its kinds; a test asserts what it expects.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** Makes one request over a connection of its own. Throws only when no answer came. */
export function requestCluster(
  access: ClusterAccess,
  method: string,
  path: string,
  options: ClusterRequestOptions,
): Promise<ClusterAnswer> {
  const { body, clientCertificate } = options;
  const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const data = raw ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const call = sendRequest(
      new URL(path, access.url),
      {
        method,
        ca: access.ca,
        agent: false,
        ...(clientCertificate ? { cert: clientCertificate.certificate, key: clientCertificate.key } : {}),
        headers: {
          ...(options.anonymous || clientCertificate ? {} : { authorization: `Bearer ${access.token}` }),
          accept: 'application/json',
          ...(data === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(data)) }),
          ...options.headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const json = (answer.headers['content-type'] ?? '').includes('json') && text !== '';
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: json ? (JSON.parse(text) as unknown) : text,
          });
        });
      },
    );
    call.on('error', reject);
    call.end(data);
  });
}
