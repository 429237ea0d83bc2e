import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createPlainServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../certificates/make-certificate.ts';
import type { Clock } from '../process/clock.ts';
import { systemClock } from '../process/clock.ts';
import { createSilentLogger } from '../process/logger.ts';
import { ManualClock } from '../process/manual-clock.ts';
import { createMetricsRegistry } from '../process/metrics.ts';
import type { HostConnection, HostRequest } from './host-connection.ts';
import type { HostCredentialSource, HostCredentials } from './host-credentials.ts';
import { HostUnreachableError } from './host-unreachable-error.ts';
import { readInClusterCredentials } from './in-cluster-credentials.ts';
import { readKubeconfigCredentials } from './kubeconfig-credentials.ts';
import { connectHost, openHostConnection } from './open-host-connection.ts';

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

let serverPair: Pair;
let clientPair: Pair;
let folder: string;
let cleanups: (() => unknown)[];

async function issue(commonName: string, purpose: 'server' | 'client'): Promise<Pair> {
  const now = Date.now();
  const made = await makeCertificate({
    commonName,
    purpose,
    subjectNames: ['localhost', '127.0.0.1'],
    notBeforeMillis: now - 60_000,
    notAfterMillis: now + 3_600_000,
  });
  return { certificate: made.certificate, key: made.privateKey };
}

beforeAll(async () => {
  [serverPair, clientPair] = await Promise.all([issue('localhost', 'server'), issue('someone', 'client')]);
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'host-connection-'));
  cleanups = [];
});
afterEach(async () => {
  for (const clean of cleanups.toReversed()) await clean();
  await rm(folder, { recursive: true, force: true });
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener) =>
  listen(
    createServer(
      { cert: serverPair.certificate, key: serverPair.key, requestCert: true, rejectUnauthorized: false },
      listener,
    ),
  );

interface Setting {
  readonly credentials?: Partial<HostCredentials>;
  readonly source?: Partial<HostCredentialSource>;
  readonly clock?: Clock;
  readonly metrics?: ReturnType<typeof createMetricsRegistry>;
}

function connectTo(port: number, { credentials, source, clock, metrics }: Setting = {}): HostConnection {
  const connection = connectHost(
    {
      server: `https://127.0.0.1:${port}`,
      read: async () => ({ tls: { ca: serverPair.certificate }, headers: {}, ...credentials }),
      invalidate: () => undefined,
      ...source,
    },
    {
      clock: clock ?? systemClock,
      logger: createSilentLogger(),
      userAgent: 'tester/1',
      ...(metrics === undefined ? {} : { metrics }),
    },
  );
  cleanups.push(() => connection.close());
  return connection;
}

async function sendText(connection: HostConnection, request: Partial<HostRequest> = {}) {
  const { status, headers, body } = await connection.send({ method: 'GET', path: '/', ...request });
  return { status, headers, text: await text(body) };
}

/** What a server saw of a request, in one line of JSON. */
async function describeRequest(request: IncomingMessage): Promise<string> {
  const { authorization = '', 'user-agent': agent = '', 'content-length': length = '' } = request.headers;
  const certificate = (request.socket as TLSSocket).getPeerCertificate();
  const user = certificate.subject?.CN ?? '';
  const { method, url } = request;
  return JSON.stringify({ method, url, authorization, agent, length, user, body: await text(request) });
}

const echo: RequestListener = (request, response) => {
  void describeRequest(request).then((line) => response.end(line));
};

describe('a connection to a host', () => {
  it('sends method, path, body and headers, and the credentials unless told not to', async () => {
    const port = await serve(echo);
    const tls = { ca: serverPair.certificate, cert: clientPair.certificate, key: clientPair.key };
    const connection = connectTo(port, { credentials: { tls, headers: { authorization: 'Bearer own' } } });
    const request = { method: 'DELETE', path: '/a?b=c', body: 'ä' };
    const own = JSON.parse((await sendText(connection, request)).text) as object;
    expect(own).toEqual({
      ...request,
      path: undefined,
      url: '/a?b=c',
      agent: 'tester/1',
      length: '2',
      authorization: 'Bearer own',
      user: 'someone',
    });
    const other = { ...request, credentials: 'none' as const, headers: { Authorization: 'Bearer theirs' } };
    expect(JSON.parse((await sendText(connection, other)).text)).toEqual({
      ...own,
      authorization: 'Bearer theirs',
      user: '',
    });
    const streamed = await sendText(connection, { method: 'POST', body: Readable.from(['a', 'b']) });
    expect(JSON.parse(streamed.text)).toMatchObject({ body: 'ab', length: '' });
  });

  it('uses one connection for one request after the other', async () => {
    let connections = 0;
    const server = createServer({ cert: serverPair.certificate, key: serverPair.key }, echo);
    server.on('secureConnection', () => (connections += 1));
    const connection = connectTo(await listen(server));
    for (let i = 0; i < 5; i += 1) expect((await sendText(connection)).status).toBe(200);
    expect(connections).toBe(1);
  });

  it('hands on every answer, and counts', async () => {
    const port = await serve((request, response) => {
      response.writeHead(Number(request.url?.slice(1))).end('text');
    });
    const metrics = createMetricsRegistry();
    const connection = connectTo(port, { metrics });
    for (const status of [200, 404, 503]) {
      expect(await sendText(connection, { path: `/${status}` })).toMatchObject({ status, text: 'text' });
    }
    const { values } = (await metrics.getSingleMetric('rest_client_requests_total')?.get()) ?? { values: [] };
    expect(values.map(({ labels, value }) => [labels['code'], labels['method'], value])).toEqual([
      ['200', 'GET', 1],
      ['404', 'GET', 1],
      ['503', 'GET', 1],
    ]);
    expect(await metrics.metrics()).toContain('rest_client_request_duration_seconds_count{verb="GET"');
  });

  it('sends a GET again that met a connection that was closed, and nothing else', async () => {
    const sockets = new Set<Socket>();
    let requests = 0;
    // Closes each connection with its second request unanswered, as a server does that ends an idle one at that moment.
    const port = await serve((request, response) => {
      requests += 1;
      if (sockets.has(request.socket)) {
        request.socket.destroy();
        return;
      }
      sockets.add(request.socket);
      response.end('fresh');
    });
    const connection = connectTo(port);
    expect((await sendText(connection)).text).toBe('fresh');
    expect((await sendText(connection)).text).toBe('fresh');
    expect(requests).toBe(3);
    await expect(sendText(connection, { method: 'POST', body: '{}' })).rejects.toThrow(HostUnreachableError);
    expect(requests).toBe(4);
  });

  it('says when there is nobody, or somebody whom it does not trust', async () => {
    const server = createPlainServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const refused = await sendText(connectTo(port)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HostUnreachableError);
    expect((refused as HostUnreachableError).cause).toMatchObject({ code: 'ECONNREFUSED' });
    const other = connectTo(await serve(echo), { credentials: { tls: { ca: clientPair.certificate } } });
    await expect(sendText(other)).rejects.toThrow(HostUnreachableError);
  });

  it('gives up on an answer that does not begin, not on one that goes on', async () => {
    const clock = new ManualClock();
    const arrived = Promise.withResolvers<void>();
    const port = await serve((request, response) => {
      if (request.url === '/silent') {
        arrived.resolve();
        return;
      }
      response.write('begun ');
      request.on('close', () => undefined);
      cleanups.push(() => response.end());
      setImmediate(() => response.end('ended'));
    });
    const connection = connectTo(port, { clock });
    const silent = sendText(connection, { path: '/silent', timeoutMillis: 500 });
    await arrived.promise;
    clock.advance(500);
    await expect(silent).rejects.toThrow(HostUnreachableError);
    const answer = await connection.send({ method: 'GET', path: '/', timeoutMillis: 500 });
    clock.advance(10_000);
    expect(await text(answer.body)).toBe('begun ended');
    expect(clock.pendingCount).toBe(0);
  });

  it('ends with its signal, before and while the answer comes', async () => {
    const port = await serve((_request, response) => response.write('begun'));
    const connection = connectTo(port);
    const reason = new Error('enough');
    await expect(sendText(connection, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const { body } = await connection.send({ method: 'GET', path: '/', signal: controller.signal });
    controller.abort();
    await expect(text(body)).rejects.toThrow();
  });

  it('takes new credentials when its own are refused, once', async () => {
    const port = await serve((request, response) => {
      response.writeHead(request.headers.authorization === 'Bearer new' ? 200 : 401).end();
    });
    let token = 'old';
    let refusals = 0;
    const source = {
      read: async () => ({ tls: { ca: serverPair.certificate }, headers: { authorization: `Bearer ${token}` } }),
      invalidate: () => {
        refusals += 1;
        token = refusals === 1 ? 'new' : 'bad';
      },
    };
    const connection = connectTo(port, { source });
    expect((await sendText(connection, { method: 'POST', body: '{}' })).status).toBe(200);
    expect(refusals).toBe(1);
    token = 'bad';
    expect((await sendText(connection)).status).toBe(401);
    expect((await sendText(connection, { credentials: 'none' })).status).toBe(401);
    expect(refusals).toBe(2);
  });

  it('trusts a new authority as soon as it has one', async () => {
    const tls = { ca: clientPair.certificate };
    let current: HostCredentials = { tls, headers: {} };
    const connection = connectTo(await serve(echo), { source: { read: async () => current } });
    await expect(sendText(connection)).rejects.toThrow(HostUnreachableError);
    current = { tls: { ca: serverPair.certificate }, headers: {} };
    expect((await sendText(connection)).status).toBe(200);
  });

  it('prepends the path below which the API is', async () => {
    const port = await serve(echo);
    const connection = connectTo(port, { source: { server: `https://127.0.0.1:${port}/k8s/c1/` } });
    expect(JSON.parse((await sendText(connection, { path: '/api?x=y' })).text)).toMatchObject({
      url: '/k8s/c1/api?x=y',
    });
  });
});

describe('credentials of a pod', () => {
  const write = async (token: string, ca = serverPair.certificate) => {
    await writeFile(join(folder, 'token'), `${token}\n`);
    await writeFile(join(folder, 'ca.crt'), ca);
  };
  const open = (clock: Clock, host = '127.0.0.1', port = '443') =>
    readInClusterCredentials({
      folder,
      clock,
      logger: createSilentLogger(),
      environment: { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port },
    });

  it.for([
    ['10.96.0.1', 'https://10.96.0.1:443'],
    ['fd00::1', 'https://[fd00::1]:443'],
  ] as const)('reach %s', async ([host, server]) => {
    await write('t');
    expect((await open(systemClock, host)).server).toBe(server);
  });

  it('are read again every minute, at once when they were refused, and kept while they cannot be read', async () => {
    const clock = new ManualClock();
    await write('one');
    const source = await open(clock);
    const token = async () => (await source.read()).headers['authorization'];
    await write('two');
    clock.advance(59_000);
    expect(await token()).toBe('Bearer one');
    clock.advance(1_000);
    expect(await token()).toBe('Bearer two');
    await write('three');
    source.invalidate();
    expect(await token()).toBe('Bearer two');
    clock.advance(1_000);
    source.invalidate();
    expect(await token()).toBe('Bearer three');
    await rm(join(folder, 'token'));
    clock.advance(60_000);
    expect(await token()).toBe('Bearer three');
  });

  it('are refused outside a pod, and without files', async () => {
    await expect(open(systemClock, '', '')).rejects.toThrow('this is no pod');
    await expect(open(systemClock)).rejects.toThrow('cannot be read');
  });
});

describe('a kubeconfig that changes', () => {
  it('is read again when its credentials are refused, and not all the time', async () => {
    const file = join(folder, 'kubeconfig');
    const write = (token: string) =>
      writeFile(
        file,
        JSON.stringify({
          clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
          users: [{ name: 'u', user: { token } }],
          contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
          'current-context': 'x',
        }),
      );
    const clock = new ManualClock();
    await write('one');
    const source = await readKubeconfigCredentials({ file, clock, logger: createSilentLogger() });
    const token = async () => (await source.read()).headers['authorization'];
    await write('two');
    source.invalidate();
    expect(await token()).toBe('Bearer one');
    clock.advance(10_000);
    source.invalidate();
    expect(await token()).toBe('Bearer two');
    await writeFile(file, 'broken');
    clock.advance(60_000);
    expect(await token()).toBe('Bearer two');
  });
});

describe('a kubeconfig', () => {
  const open = async (user: object, cluster: object, port: number) => {
    const file = join(folder, 'kubeconfig');
    await writeFile(
      file,
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}`, ...cluster } }],
        users: [{ name: 'u', user }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
    const options = { clock: systemClock, logger: createSilentLogger(), userAgent: 'tester/1' };
    const connection = await openHostConnection({ kubeconfig: file, ...options });
    cleanups.push(() => connection.close());
    return connection;
  };
  const encode = (value: string) => Buffer.from(value).toString('base64');
  const trust = () => ({ 'certificate-authority-data': encode(serverPair.certificate) });

  it.for<[string, () => object, string, string]>([
    ['a token', () => ({ token: 't' }), 'Bearer t', ''],
    ['a file with a token', () => ({ tokenFile: 'token' }), 'Bearer filed', ''],
    ['a password', () => ({ username: 'a', password: 'b' }), `Basic ${encode('a:b')}`, ''],
    [
      'a certificate',
      () => ({ 'client-certificate-data': encode(clientPair.certificate), 'client-key-data': encode(clientPair.key) }),
      '',
      'someone',
    ],
    [
      'files with a certificate',
      () => ({ 'client-certificate': 'client.crt', 'client-key': 'client.key' }),
      '',
      'someone',
    ],
    [
      'a program',
      () => ({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: join(folder, 'plugin'), args: ['x'] } }),
      'Bearer client.authentication.k8s.io/v1 x',
      '',
    ],
  ])('gives %s', async ([, user, authorization, name]) => {
    await writeFile(join(folder, 'token'), 'filed\n');
    await writeFile(join(folder, 'client.crt'), clientPair.certificate);
    await writeFile(join(folder, 'client.key'), clientPair.key);
    const answer = `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'"$version $1"'"}}`;
    const find = `version=$(printf %s "$KUBERNETES_EXEC_INFO" | sed 's/.*"apiVersion":"\\([^"]*\\)".*/\\1/')`;
    await writeFile(join(folder, 'plugin'), `#!/bin/sh\n${find}\necho '${answer}'\n`, { mode: 0o700 });
    const connection = await open(user(), trust(), await serve(echo));
    expect(JSON.parse((await sendText(connection)).text)).toMatchObject({ authorization, user: name });
  });

  it('may trust anybody, or one name only', async () => {
    const port = await serve(echo);
    expect((await sendText(await open({}, { 'insecure-skip-tls-verify': true }, port))).status).toBe(200);
    await expect(sendText(await open({}, {}, port))).rejects.toThrow(HostUnreachableError);
    const named = await open({}, { ...trust(), 'tls-server-name': 'localhost' }, port);
    expect((await sendText(named)).status).toBe(200);
    const misnamed = await open({}, { ...trust(), 'tls-server-name': 'elsewhere' }, port);
    await expect(sendText(misnamed)).rejects.toThrow(HostUnreachableError);
  });

  it('may lead through a proxy', async () => {
    const asked: string[] = [];
    const proxy = createPlainServer();
    proxy.on('connect', (request, socket: Socket) => {
      asked.push(request.url ?? '');
      const target = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(target).pipe(socket);
      });
      for (const end of [socket, target]) end.on('error', () => undefined);
      cleanups.push(
        () => target.destroy(),
        () => socket.destroy(),
      );
    });
    const port = await serve(echo);
    const proxyPort = await listen(proxy);
    const connection = await open({ token: 't' }, { ...trust(), 'proxy-url': `http://127.0.0.1:${proxyPort}` }, port);
    expect(JSON.parse((await sendText(connection)).text)).toMatchObject({ authorization: 'Bearer t' });
    expect(asked).toEqual([`127.0.0.1:${port}`]);
  });

  it('may be of a server without TLS', async () => {
    const port = await listen(createPlainServer((_request, response) => response.end('plain')));
    const connection = await open({}, { server: `http://127.0.0.1:${port}` }, port);
    expect((await sendText(connection)).text).toBe('plain');
  });

  it.for([
    ['is no file', undefined],
    ['is no YAML', ':\n\t- ]'],
    ['names no cluster', '{}'],
  ] as const)('that %s is refused by its name', async ([, content]) => {
    const file = join(folder, 'broken');
    if (content !== undefined) await writeFile(file, content);
    const options = { kubeconfig: file, clock: systemClock, logger: createSilentLogger(), userAgent: 'x' };
    await expect(openHostConnection(options)).rejects.toThrow(file);
  });
});
