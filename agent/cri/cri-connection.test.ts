import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Server as GrpcServer, ServerCredentials, status, type handleUnaryCall } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { CriConnection } from './cri-connection.ts';
import { CriProtocol } from './cri-protocol.ts';
import { RuntimeFailure } from './runtime-failure.ts';

let folder: string;
let socketPath: string;
const protocol = await CriProtocol.load();
const closers: (() => void)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bailiwick-cri-'));
  socketPath = join(folder, 'runtime.sock');
});
afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await rm(folder, { recursive: true, force: true });
});

function connect(timeoutMillis = 2000): CriConnection {
  const connection = new CriConnection(protocol, { socketPath, timeoutMillis });
  closers.push(() => connection.close());
  return connection;
}

async function listen(onSocket: (socket: Socket) => void): Promise<Server> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return server;
}

/** A peer that speaks the protocol and answers `Version` as it is told to. */
async function serveVersion(answer: handleUnaryCall<object, object>): Promise<void> {
  const definition = loadSync(join(import.meta.dirname, 'protocol/api.proto'));
  const service = definition['runtime.v1.RuntimeService'];
  const server = new GrpcServer({ 'grpc.max_send_message_length': -1 });
  server.addService(service as Parameters<typeof server.addService>[0], { Version: answer });
  closers.push(() => server.forceShutdown());
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
}

async function catchFailure(call: Promise<unknown>): Promise<RuntimeFailure> {
  const error: unknown = await call.then(
    (answer) => new Error(`no failure but ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof RuntimeFailure) return error;
  throw error;
}

it('fails at once where nobody listens, and finds who does later', async () => {
  const connection = connect();
  const failure = await catchFailure(connection.call('RuntimeService', 'Version', {}));
  expect(failure.code).toBe('Unavailable');
  expect(failure.message).toContain('ENOENT');
  await serveVersion((_call, done) => done(null, { runtimeName: 'late' }));
  await expect
    .poll(() => connection.call('RuntimeService', 'Version', {}).catch(() => undefined))
    .toMatchObject({ runtimeName: 'late', runtimeVersion: '' });
});

it('gives up on a peer that never answers', async () => {
  await listen(() => undefined);
  const began = performance.now();
  const failure = await catchFailure(connect(300).call('RuntimeService', 'Version', {}));
  expect(failure.message).toBe('rpc error: code = DeadlineExceeded desc = context deadline exceeded');
  expect(performance.now() - began).toBeLessThan(15_000);
});

it.for([
  ['speaks another protocol', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['hangs up', (socket: Socket) => socket.destroy()],
  ['sends noise', (socket: Socket) => socket.write(Buffer.alloc(4096, 0xa5))],
] as const)('fails with a peer that %s', async ([, misbehave]) => {
  await listen((socket) => {
    misbehave(socket);
  });
  const failure = await catchFailure(connect().call('RuntimeService', 'Version', {}));
  expect(failure.code).toMatch(/^(Unavailable|Internal|DeadlineExceeded)$/);
});

it('takes answers of 16 MiB and no larger ones', async () => {
  let mebibytes = 15;
  await serveVersion((_call, done) => done(null, { runtimeName: 'x'.repeat(mebibytes * 1024 * 1024) }));
  const connection = connect(20_000);
  const answer = (await connection.call('RuntimeService', 'Version', {})) as { runtimeName: string };
  expect(answer.runtimeName).toHaveLength(15 * 1024 * 1024);
  mebibytes = 17;
  const failure = await catchFailure(connection.call('RuntimeService', 'Version', {}));
  expect(failure.code).toBe('ResourceExhausted');
});

it.for([
  [status.UNKNOWN, 'no such thing', 'rpc error: code = Unknown desc = no such thing'],
  [status.UNIMPLEMENTED, 'not here', 'rpc error: code = Unimplemented desc = not here'],
  [status.NOT_FOUND, '', 'rpc error: code = NotFound desc = '],
  [status.UNAUTHENTICATED, 'who?', 'rpc error: code = Unauthenticated desc = who?'],
  [status.CANCELLED, 'by the runtime', 'rpc error: code = Canceled desc = by the runtime'],
] as const)('words a refusal with code %i as Kubernetes does', async ([code, details, message]) => {
  await serveVersion((_call, done) => done({ code, details }));
  expect((await catchFailure(connect().call('RuntimeService', 'Version', {}))).message).toBe(message);
});

it.for([
  ['tells the runtime how much time it has', {}, true],
  ['keeps it to itself when asked to', { keepsDeadlineToItself: true }, false],
] as const)('%s', async ([, options, isTold]) => {
  await serveVersion((call, done) => done(null, { runtimeName: String(Number.isFinite(Number(call.getDeadline()))) }));
  const answer = await connect().call('RuntimeService', 'Version', {}, options);
  expect(answer).toMatchObject({ runtimeName: String(isTold) });
});

it('ends a call whose deadline the runtime does not know', async () => {
  const cancelled = Promise.withResolvers<void>();
  await serveVersion((call) => call.on('cancelled', () => cancelled.resolve()));
  const options = { timeoutMillis: 200, keepsDeadlineToItself: true };
  const failure = await catchFailure(connect().call('RuntimeService', 'Version', {}, options));
  expect(failure.message).toBe('rpc error: code = DeadlineExceeded desc = context deadline exceeded');
  await cancelled.promise;
});

it('knows no method that the protocol has not', async () => {
  await expect(connect().call('RuntimeService', 'Fly', {})).rejects.toThrow('no method RuntimeService.Fly');
});
