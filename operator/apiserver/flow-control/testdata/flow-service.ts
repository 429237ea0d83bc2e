import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, vi } from 'vitest';
import type { AuthorizationAttributes } from '../../../../core/meta/authorization-attributes.ts';
import type { FlowSchema } from '../../../../kinds/flowcontrol/flow-schema/schema.ts';
import { planFlowConfiguration } from '../../../../kinds/flowcontrol/plan-flow-configuration.ts';
import type { PriorityLevelConfiguration } from '../../../../kinds/flowcontrol/priority-level-configuration/schema.ts';
import { systemClock } from '../../../../platform/process/clock.ts';
import { makeDefaultAuditPolicy } from '../../../../platform/audit/audit-policy.ts';
import { AuditMetrics } from '../../audit/audit-metrics.ts';
import { startTestService, type TestAnswer, type TestService } from '../../start-test-service.ts';
import type { CreateHandler } from '../../subresource-handler.ts';
import { buildFlowControl } from '../build-flow-control.ts';
import type { FlowControl } from '../flow-control.ts';

type Queuing = { queues: number; handSize: number; queueLengthLimit: number };

function makeLevel(name: string, queuing?: Queuing): PriorityLevelConfiguration {
  const limitResponse = queuing === undefined ? { type: 'Reject' } : { type: 'Queue', queuing };
  // As much as all others together, so that it has seats among them.
  const limited = { nominalConcurrencyShares: 5, lendablePercent: 0, borrowingLimitPercent: 1, limitResponse };
  const metadata = { name, uid: `uid-of-${name}` };
  const object = { apiVersion: 'flowcontrol.apiserver.bailiwick.dev/v1', kind: 'PriorityLevelConfiguration', metadata };
  return { ...object, spec: { type: 'Limited', limited }, status: {} };
}

function makeSchema(name: string, level: string, path: string): FlowSchema {
  const subjects = [{ kind: 'Group', group: { name: '*' } }];
  const resource = { verbs: ['*'], apiGroups: ['*'], resources: [path], namespaces: ['*'], clusterScope: true };
  const spec = {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: 100,
    distinguisherMethod: { type: 'ByNamespace' },
    rules: [{ subjects, resourceRules: [resource] }],
  };
  const object = { apiVersion: 'flowcontrol.apiserver.bailiwick.dev/v1', kind: 'FlowSchema' };
  return { ...object, metadata: { name, uid: `uid-of-${name}` }, spec, status: {} };
}

/** A binding of a pod. */
export const binding = {
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name: 'p' },
  target: { kind: 'Node', name: 'n' },
};
/** Where bindings are created, which a FlowService holds. */
export const bindings = '/api/v1/namespaces/n/pods/p/binding';
/** Of an answer: the uid of the FlowSchema. */
export const schemaHeader = 'x-kubernetes-pf-flowschema-uid';
/** Of an answer: the uid of the priority level. */
export const levelHeader = 'x-kubernetes-pf-prioritylevel-uid';

/** A request that is served until it is released. */
export interface Held {
  readonly answer: Promise<TestAnswer>;
  release(): void;
}

/** Resolves when `check` no longer throws. */
export function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: 20_000 });
}

/** A service whose bindings are answered when a test says so, at a level with one seat. */
export class FlowService {
  readonly service: TestService;
  readonly flowControl: FlowControl;
  readonly log: Record<string, unknown>[];
  readonly audited: { stage: string; annotations?: Record<string, string> }[];
  /** Releases what is held, and holds nothing any more. */
  readonly open: () => void;
  readonly #releases: (() => void)[];
  readonly #answers: Promise<TestAnswer>[] = [];
  #stopped: Promise<void> | undefined;

  private constructor(
    parts: Pick<FlowService, 'service' | 'flowControl' | 'log' | 'audited' | 'open'>,
    releases: (() => void)[],
  ) {
    this.service = parts.service;
    this.flowControl = parts.flowControl;
    this.log = parts.log;
    this.audited = parts.audited;
    this.open = parts.open;
    this.#releases = releases;
  }

  static async start({ queuing, mayList = true }: { queuing?: Queuing; mayList?: boolean } = {}): Promise<FlowService> {
    const releases: (() => void)[] = [];
    const gate = { isOpen: false };
    const log: FlowService['log'] = [];
    const audited: FlowService['audited'] = [];
    let flowControl: FlowControl | undefined;
    const handler: CreateHandler = {
      type: 'create',
      target: { group: '', version: 'v1', resource: 'pods', subresource: 'binding' },
      bodyApiVersion: 'v1',
      bodyKind: 'Binding',
      bodySchema: { type: 'object', preserveUnknown: true },
      handle: async () => {
        if (!gate.isOpen) await new Promise<void>((resolve) => releases.push(resolve));
        return { code: 201, object: { kind: 'Status', apiVersion: 'v1', status: 'Success' } };
      },
    };
    const service = await startTestService({
      // Tests end what they hold; on a busy machine that takes its time.
      drainMillis: 20_000,
      extensions: { handlers: [handler] },
      authorizer: {
        authorize: async (_user, attributes: AuthorizationAttributes) => {
          const isAboutFlows = attributes.type === 'resource' && attributes.group.startsWith('flowcontrol');
          return { allowed: mayList || !isAboutFlows, reason: '' };
        },
      },
      logger: pino({ level: 'debug' }, { write: (line) => void log.push(JSON.parse(line) as Record<string, unknown>) }),
      audits: {
        policy: makeDefaultAuditPolicy('bailiwick.dev'),
        log: { write: (event) => void audited.push(event) },
        metrics: new AuditMetrics(new Registry()),
        now: Date.now,
      },
      buildFlowControl: (parts) => {
        flowControl = buildFlowControl({ ...parts, clock: systemClock, domain: 'bailiwick.dev', totalSeats: 2 });
        return flowControl;
      },
    });
    if (flowControl === undefined) throw new Error('the service has no flow control');
    const schemas = [makeSchema('bindings', 'narrow', 'pods/binding'), makeSchema('lost', 'nowhere', 'secrets')];
    flowControl.configure(planFlowConfiguration(schemas, [makeLevel('narrow', queuing)], 'bailiwick.dev'));
    const open = (): void => {
      gate.isOpen = true;
      for (const release of releases) release();
    };
    return new FlowService({ service, flowControl, log, audited, open }, releases);
  }

  /** Sends a request that is held once it is served. */
  send(path = bindings, auditId?: string): Promise<TestAnswer> {
    const headers: Record<string, string> = auditId === undefined ? {} : { 'audit-id': auditId };
    const answer = this.service.send('POST', path, { body: binding, headers });
    this.#answers.push(answer);
    return answer;
  }

  /** Begins a request; resolves when its handler runs, which it does until it is released. */
  async hold(path = bindings): Promise<Held> {
    const index = this.#releases.length;
    const answer = this.send(path);
    await eventually(() => expect(this.#releases.length).toBeGreaterThan(index));
    return { answer, release: () => this.#releases[index]?.() };
  }

  /** Waits until so many requests wait at the level. */
  async awaitWaiting(count: number): Promise<void> {
    await eventually(() => expect(this.level()?.waiting).toBe(count));
  }

  /** The level with one seat, as it is. */
  level() {
    return this.flowControl.dispatcher.dump().find(({ name }) => name === 'narrow');
  }

  /** Begins to shut the service down; resolves when that is done. */
  shutDown(): Promise<void> {
    this.#stopped ??= this.service.stop();
    return this.#stopped;
  }

  async stop(): Promise<void> {
    this.open();
    await Promise.allSettled(this.#answers);
    await this.shutDown();
  }
}
