import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as startRequest } from 'node:https';
import type { JsonObject } from '../../core/meta/json.ts';
import { formatMicroTime } from '../../core/time/time.ts';
import type { KeyedCertificate } from '../../platform/certificates/make-certificate.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { createSilentLogger, type Logger } from '../../platform/process/logger.ts';
import { buildFlowControl } from '../apiserver/flow-control/build-flow-control.ts';
import { startTestService, type TestAnswer, type TestRequest } from '../apiserver/start-test-service.ts';
import { createCheckpointHandlers } from './create-checkpoint-handlers.ts';
import { makeTestAuthority, startTestAgent, type TestAgent } from './start-test-agent.ts';

/** Answers one request in the place of an agent. */
export type ServeAgent = (request: IncomingMessage, response: ServerResponse) => void;

/** An answer that is read while it comes. */
export interface TestStream {
  readonly code: number;
  readonly headers: IncomingMessage['headers'];
  /** The next line, parsed; `undefined` at the end. */
  next(): Promise<unknown>;
  close(): void;
}

/** A service that asks agents, on which a pod `web` in the namespace `n` is bound to the node `a`; for tests. */
export interface AgentsService {
  readonly authority: KeyedCertificate;
  /** What agents are trusted by; the authority's certificate at first. */
  roots: string | undefined;
  send(method: string, path: string, options?: TestRequest): Promise<TestAnswer>;
  openStream(method: string, path: string): Promise<TestStream>;
  makePod(nodeName: string, name?: string, namespace?: string): Promise<void>;
  /** Writes the Lease of an agent on loopback, as renewed at this time. */
  announce(nodeName: string, port: number, namespace?: string, renewedMillis?: number): Promise<void>;
  /** Has the Lease of an agent tell of another port. */
  move(nodeName: string, port: number): Promise<void>;
  /** Starts a server in the place of a node's agent; it is ended with the service. */
  addAgent(serve: ServeAgent, names: readonly string[], authority?: KeyedCertificate): Promise<TestAgent>;
  /** The same, with a Lease. */
  startAgent(nodeName: string, serve: ServeAgent): Promise<TestAgent>;
  /** Removes what agents hold for a namespace, as a namespace that goes does. */
  removeAll(namespace: string): Promise<void>;
  endRemovals(): void;
  stop(): Promise<void>;
}

/** The domain of the service. */
export const testDomain = 'bailiwick.dev';
/** Path of what is about agents. */
export const agentsRoot = `/apis/node.${testDomain}/v1`;
/** Begins every token of the operator. */
export const testToken = 'secret-of-the-operator';
/** Name of the checkpoint that `makeRecord` tells of. */
export const recordName = 'web-app-2026-01-02t03-04-05.678z';

/** A checkpoint of the pod `web`, as agents tell of it. */
export function makeRecord(own: JsonObject = {}): JsonObject {
  return {
    ...{ name: recordName, namespace: 'n', podName: 'web', podUid: 'u-1', containerName: 'app', containerId: 'abc' },
    ...{ nodeName: 'a', archive: '/c/checkpoint.tar', sizeBytes: 7, pinned: false },
    ...{ startTime: '2026-01-02T03:04:05.678Z', completionTime: '2026-01-02T03:04:06.789Z' },
    ...own,
  };
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** Begins an answer of JSON lines, and leaves it open. */
export function sendLines(response: ServerResponse, ...lines: unknown[]): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  for (const line of lines) response.write(`${JSON.stringify(line)}\n`);
}

/** Starts such a service, silent unless it has a `logger`. `stop` ends all of it. */
export async function startAgentsService(logger: Logger = createSilentLogger()): Promise<AgentsService> {
  const authority = await makeTestAuthority();
  const agents: TestAgent[] = [];
  let handlers: ReturnType<typeof createCheckpointHandlers> | undefined;
  const service = await startTestService({
    logger,
    buildFlowControl: (parts) => buildFlowControl({ ...parts, clock: systemClock, domain: testDomain, totalSeats: 20 }),
    extensions: (resources) => {
      handlers = createCheckpointHandlers({
        ...{ domain: testDomain, clock: systemClock, namespace: 'system', allowsLoopback: true },
        logger,
        client: resources.clientFor({ username: 'operator', groups: [] }),
        trust: {
          readRoots: () => rig.roots,
          readToken: async (nodeName) => `${testToken}-${nodeName}`,
          replaceToken: async (nodeName, refused) =>
            refused === `${testToken}-${nodeName}` ? `${testToken}-${nodeName}-2` : undefined,
        },
      });
      return { handlers: handlers.handlers };
    },
  });
  const client = service.resources.clientFor({ username: 'operator', groups: [] });
  const rig: AgentsService = {
    authority,
    roots: authority.certificate,
    send: (method, path, options) => service.send(method, path, options),
    openStream: (method, path) => openStream(service.port, method, path),
    async makePod(nodeName, name = 'web', namespace = 'n') {
      const spec = { nodeName, containers: [{ name: 'app', image: 'i' }] };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
      await client.create({ resource: { group: '', version: 'v1', resource: 'pods' }, namespace }, pod);
    },
    async announce(nodeName, port, namespace = 'system', renewedMillis = Date.now()) {
      const lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: {
          name: namespace === 'kube-node-lease' ? nodeName : `bailiwick-agent-${nodeName}`,
          annotations: { [`node.${testDomain}/agent-endpoint`]: `https://127.0.0.1:${port}` },
        },
        spec: { holderIdentity: nodeName, leaseDurationSeconds: 40, renewTime: formatMicroTime(renewedMillis) },
      };
      const resource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
      await client.create({ resource, namespace }, lease);
    },
    async move(nodeName, port) {
      const resource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
      const reference = { resource, namespace: 'system', name: `bailiwick-agent-${nodeName}` };
      const annotations = { [`node.${testDomain}/agent-endpoint`]: `https://127.0.0.1:${port}` };
      await client.patch(reference, 'application/merge-patch+json', { metadata: { annotations } });
    },
    async addAgent(serve, names, signer = authority) {
      const agent = await startTestAgent({ authority: signer, names, serve });
      agents.push(agent);
      return agent;
    },
    async startAgent(nodeName, serve) {
      const agent = await rig.addAgent(serve, [nodeName]);
      await rig.announce(nodeName, agent.port);
      return agent;
    },
    removeAll: async (namespace) => handlers?.removeAll(namespace),
    endRemovals: () => handlers?.endRemovals(),
    async stop() {
      handlers?.close();
      await service.stop();
      for (const agent of agents) await agent.stop();
    },
  };
  await rig.makePod('a');
  return rig;
}

async function openStream(port: number, method: string, path: string): Promise<TestStream> {
  const request = startRequest({
    ...{ host: '127.0.0.1', port, method, path, rejectUnauthorized: false, agent: false },
    headers: { authorization: 'Bearer test' },
  });
  request.on('error', () => undefined);
  request.end();
  const [incoming] = (await once(request, 'response')) as [IncomingMessage];
  incoming.on('error', () => undefined);
  const lines = readLines(incoming);
  return {
    code: incoming.statusCode ?? 0,
    headers: incoming.headers,
    next: async () => {
      const line = await lines.next();
      return line.done === true ? undefined : (JSON.parse(line.value) as unknown);
    },
    close: () => void request.destroy(),
  };
}

async function* readLines(incoming: IncomingMessage): AsyncGenerator<string, void, void> {
  let rest = '';
  for await (const chunk of incoming) {
    rest += String(chunk);
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
