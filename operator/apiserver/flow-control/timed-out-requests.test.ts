import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../../platform/process/clock.ts';
import { startTestService, type TestService } from '../start-test-service.ts';
import { buildFlowControl } from './build-flow-control.ts';
import type { FlowControl } from './flow-control.ts';

const waitMillis = 20_000;
const path = '/api/v1/namespaces/n/configmaps';

let service: TestService;
let flowControl: FlowControl;
let sockets: TLSSocket[];
/** Requests are authorized when it resolves. */
let authorized: Promise<void>;
let log: { readonly level: number; readonly msg: string }[];

beforeEach(async () => {
  sockets = [];
  authorized = Promise.resolve();
  log = [];
  service = await startTestService({
    logger: pino({ level: 'debug' }, { write: (line) => void log.push(JSON.parse(line) as (typeof log)[number]) }),
    authorizer: {
      authorize: async () => {
        await authorized;
        return { allowed: true, reason: '' };
      },
    },
    buildFlowControl: (parts) => {
      flowControl = buildFlowControl({ ...parts, clock: systemClock, domain: 'bailiwick.dev', totalSeats: 20 });
      return flowControl;
    },
  });
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await service.stop();
});

/** Sends what is written here, and nothing after it. */
function open(method: string, target: string, headers: readonly string[] = [], body = ''): TLSSocket {
  const socket = connect({ host: '127.0.0.1', port: service.port, rejectUnauthorized: false });
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.write(formatRequest(method, target, headers, body));
  return socket;
}

function formatRequest(method: string, target: string, headers: readonly string[] = [], body = ''): string {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: x', 'Authorization: Bearer test', ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

const startsBody = ['Content-Type: application/json', 'Content-Length: 1000'];

function countExecuting(): number {
  return flowControl.dispatcher.dump().reduce((sum, { executing }) => sum + executing, 0);
}

function countDispatched(): number {
  return flowControl.dispatcher.dump().reduce((sum, { dispatched }) => sum + dispatched, 0);
}

async function expectExecuting(count: number): Promise<void> {
  await vi.waitFor(() => expect(countExecuting()).toBe(count), { timeout: waitMillis });
}

async function readAll(socket: TLSSocket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

async function storeMegabytes(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const data = { text: 'x'.repeat(1_000_000) };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `large-${i}` }, data };
    expect((await service.send('POST', path, { body })).code).toBe(201);
  }
}

it('a body that never comes holds its seats no longer than the time-out, and its connection is closed', async () => {
  const answers = ['300ms', '1s'].map((time) => readAll(open('POST', `${path}?timeout=${time}`, startsBody, '{')));
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 504 /);
  await expectExecuting(0);
  expect(countDispatched()).toBe(2);
});

it('a client that goes at its time-out leaves no seat taken', async () => {
  const socket = open('POST', `${path}?timeout=300ms`, startsBody, '{');
  await once(socket, 'data');
  socket.destroy();
  await expectExecuting(0);
});

it('a body that would be read after the time-out takes no seat either', async () => {
  let authorize: () => void = () => undefined;
  authorized = new Promise((resolve) => (authorize = resolve));
  const answer = readAll(open('POST', `${path}?timeout=300ms`, startsBody, '{'));
  expect(await answer).toMatch(/^HTTP\/1\.1 504 /);
  expect(countExecuting()).toBe(1);
  authorize();
  await expectExecuting(0);
});

it('a request whose time is over before it is known who sends it takes no seat, and is no failure', async () => {
  let authorize: () => void = () => undefined;
  authorized = new Promise((resolve) => (authorize = resolve));
  const socket = open('GET', `${path}?timeout=300ms`, ['Impersonate-User: ann']);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 504 /);
  authorize();
  await vi.waitFor(() => expect(log.map(({ msg }) => msg)).toContain('a request has ended'), { timeout: waitMillis });
  expect(log.filter(({ level }) => level >= 40)).toEqual([]);
  expect(countDispatched()).toBe(0);
});

it('an answer that nobody reads is broken off at the time-out', { timeout: 120_000 }, async () => {
  await storeMegabytes(20);
  const socket = open('GET', `${path}?timeout=6s`);
  const [start] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  expect(start.toString()).toMatch(/^HTTP\/1\.1 200 /);
  expect(countExecuting()).toBe(1);
  await expectExecuting(0);
});

it('a request behind another one on its connection leaves no seat taken when the client goes', async () => {
  await storeMegabytes(2);
  const socket = open('GET', `${path}?watch=1`);
  await once(socket, 'data');
  socket.write(formatRequest('GET', path));
  await expectExecuting(1);
  socket.destroy();
  await expectExecuting(0);
});
