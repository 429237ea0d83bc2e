import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as sendRequest, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { createSilentLogger, type Logger } from '../../platform/process/logger.ts';
import { createMetricsRegistry } from '../../platform/process/metrics.ts';
import { openSqliteStore, type SqliteStore } from '../../platform/store/sqlite-store.ts';
import { makeCertificate } from '../../platform/certificates/make-certificate.ts';
import type { AuditServices } from './audit/request-audit.ts';
import type { Authorizer } from './authz/authorizer.ts';
import { buildApiService } from './build-api-service.ts';
import type { FlowControlParts } from './flow-control/build-flow-control.ts';
import type { FlowControl } from './flow-control/flow-control.ts';
import { EmbeddedResources, type PipelineExtensions } from './pipeline/embedded-resources.ts';

/** An answer as a test sees it. */
export interface TestAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body; undefined when it is no JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  readonly body: any;
}

/** What a test may send beside method and path. */
export interface TestRequest {
  /** A value is sent as JSON, a string as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An API service over a store of its own, for tests. */
export interface TestService {
  readonly port: number;
  readonly resources: EmbeddedResources;
  readonly store: SqliteStore;
  send(method: string, path: string, options?: TestRequest): Promise<TestAnswer>;
  /** Opens a watch; resolves once its answer has begun. */
  watch(path: string): Promise<TestWatch>;
  stop(): Promise<void>;
}

/** A watch under way. */
export interface TestWatch {
  readonly code: number;
  /** The next frame; `undefined` when the stream has ended. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  next(): Promise<any>;
  close(): void;
}

const allowAll: Authorizer = { authorize: async () => ({ allowed: true, reason: '' }) };

/** Starts a service on a free port, where `Bearer test` is a user `tester`. `stop` removes all of it. */
export async function startTestService(
  options: {
    readonly domain?: string;
    /** What is installed, or makes it over the service's pipeline. */
    readonly extensions?: PipelineExtensions | ((resources: EmbeddedResources) => PipelineExtensions);
    readonly authorizer?: Authorizer;
    readonly logger?: Logger;
    readonly audits?: AuditServices;
    /** How long `stop` lets requests under way take; absent means 1 s. */
    readonly drainMillis?: number;
    /** Made for the service's store and metrics; absent: every request is served at once. */
    readonly buildFlowControl?: (parts: Pick<FlowControlParts, 'metrics' | 'stored'>) => FlowControl;
  } = {},
): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'apiserver-'));
  const store = await openSqliteStore({ file: join(folder, 'store.db') });
  const registry = buildKindRegistry(options.domain ?? 'bailiwick.dev');
  const resources = new EmbeddedResources({ store, registry, now: Date.now });
  const { extensions = {} } = options;
  resources.install(typeof extensions === 'function' ? extensions(resources) : extensions);
  const metrics = createMetricsRegistry();
  const flowControl = options.buildFlowControl?.({ metrics, stored: { store, registry } });
  const now = Date.now();
  const tls = await makeCertificate({
    commonName: 'localhost',
    purpose: 'server',
    subjectNames: ['localhost', '127.0.0.1'],
    notBeforeMillis: now - 60_000,
    notAfterMillis: now + 3_600_000,
  });
  const service = buildApiService({
    resources,
    authenticator: {
      authenticate: async ({ authorization }) =>
        authorization === 'Bearer test'
          ? { authenticated: true, user: { username: 'tester', groups: ['system:authenticated'] } }
          : { authenticated: false },
    },
    authorizer: options.authorizer ?? allowAll,
    audits: options.audits,
    tls,
    logger: options.logger ?? createSilentLogger(),
    metrics,
    flowControl,
    port: 0,
    drainMillis: options.drainMillis ?? 1000,
  });
  const port = await service.listen();
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const base: RequestOptions = { host: '127.0.0.1', port, agent };
  const headers = { authorization: 'Bearer test', 'user-agent': 'tester/1.0' };
  const unread = new Set<Promise<TestAnswer>>();
  return {
    port,
    resources,
    store,
    send: (method, path, request) => {
      const answer = send({ ...base, method, path }, headers, request);
      unread.add(answer);
      const forget = (): boolean => unread.delete(answer);
      void answer.then(forget, forget);
      return answer;
    },
    watch: (path) => openWatch({ ...base, method: 'GET', path, headers }),
    stop: async () => {
      await service.close();
      // What was sent before the end may not have arrived yet.
      await Promise.allSettled(unread);
      agent.destroy();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function send(
  options: RequestOptions,
  common: Readonly<Record<string, string>>,
  request: TestRequest = {},
): Promise<TestAnswer> {
  const { body } = request;
  const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const headers = {
    ...common,
    ...(payload === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
    ...request.headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = sendRequest({ ...options, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ code: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parseBody(text) });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function openWatch(options: RequestOptions): Promise<TestWatch> {
  return new Promise((resolve, reject) => {
    const outgoing = sendRequest(options, (incoming) => {
      const frames: unknown[] = [];
      let rest = '';
      const state = { ended: false };
      let wake: () => void = () => undefined;
      incoming.on('data', (chunk: Buffer) => {
        const lines = (rest + chunk.toString('utf8')).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) frames.push(JSON.parse(line));
        wake();
      });
      incoming.on('close', () => {
        state.ended = true;
        wake();
      });
      incoming.on('error', () => undefined);
      resolve({
        code: incoming.statusCode ?? 0,
        next: async () => {
          while (frames.length === 0 && !state.ended) {
            await new Promise<void>((resolveNext) => {
              wake = resolveNext;
            });
          }
          return frames.shift();
        },
        close: () => void outgoing.destroy(),
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
