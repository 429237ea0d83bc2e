import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as sendRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Cluster } from '../cluster/start-cluster.ts';

/** What is renamed: resources of a group of Kubernetes, which the cluster has under another group. */
export interface Renaming {
  readonly group: string;
  readonly hostGroup: string;
  readonly resources: readonly string[];
}

/** A server before a cluster for clients that know a kind only by Kubernetes' own group. */
export interface RenamingProxy {
  /** For the administrator. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** Replaces a text in a stream of lines. */
class LineReplacer extends Transform {
  readonly #replace: (text: string) => string;
  #rest = '';

  constructor(replace: (text: string) => string) {
    super({ decodeStrings: true });
    this.#replace = replace;
  }

  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#rest += chunk.toString('latin1');
    const end = this.#rest.lastIndexOf('\n') + 1;
    if (end > 0) this.push(Buffer.from(this.#replace(this.#rest.slice(0, end)), 'latin1'));
    this.#rest = this.#rest.slice(end);
    done();
  }

  override _flush(done: () => void): void {
    if (this.#rest !== '') this.push(Buffer.from(this.#replace(this.#rest), 'latin1'));
    done();
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function forward(
  cluster: Cluster,
  renaming: Renaming,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { group, hostGroup, resources } = renaming;
  const prefix = `/apis/${group}/v1/`;
  const { url = '/', method = 'GET' } = request;
  const [, resource = ''] = /^(?:namespaces\/[^/?]+\/)?([^/?]*)/.exec(url.slice(prefix.length)) ?? [];
  const isRenamed = url.startsWith(prefix) && resources.includes(resource);
  const path = isRenamed ? `/apis/${hostGroup}/v1/${url.slice(prefix.length)}` : url;
  const sent = await readBody(request);
  const body = isRenamed
    ? Buffer.from(sent.toString('latin1').replaceAll(`${group}/v1`, `${hostGroup}/v1`), 'latin1')
    : sent;
  const { host: _host, 'content-length': _length, connection: _connection, ...headers } = request.headers;
  const call = sendRequest(
    new URL(path, cluster.url),
    {
      method,
      ca: cluster.ca,
      headers: {
        ...headers,
        authorization: `Bearer ${cluster.token}`,
        ...(body.length > 0 ? { 'content-length': body.length } : {}),
        // Whoever takes a text apart must be given one.
        ...(isRenamed ? { accept: 'application/json', 'accept-encoding': 'identity' } : {}),
      },
    },
    (answer) => {
      const { 'content-length': _answered, connection: _kept, ...answered } = answer.headers;
      response.writeHead(answer.statusCode ?? 500, answered);
      response.flushHeaders();
      if (!isRenamed) answer.pipe(response);
      else answer.pipe(new LineReplacer((text) => text.replaceAll(hostGroup, group))).pipe(response);
    },
  );
  call.on('error', () => response.destroy());
  response.on('close', () => call.destroy());
  call.end(body);
}

/** Starts the proxy on a free port of loopback; it acts as the cluster's administrator, whoever asks. */
export async function startRenamingProxy(cluster: Cluster, renaming: Renaming): Promise<RenamingProxy> {
  const server = createServer((request, response) => {
    forward(cluster, renaming, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-proxy-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const context = { name: 'proxy', context: { cluster: 'proxy', user: 'proxy' } };
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'proxy', contexts: [context] },
    clusters: [{ name: 'proxy', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'proxy', user: {} }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  return {
    kubeconfig,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
