import type { IncomingMessage, ServerResponse } from 'node:http';
import { Registry } from 'prom-client';

import type { UserInfo } from '../../core/meta/user-info.ts';
import { planFlowConfiguration } from '../../kinds/flowcontrol/plan-flow-configuration.ts';
import { planKeptFlowSchemas, planKeptPriorityLevels } from '../../kinds/flowcontrol/plan-kept-objects.ts';
import { buildFlowControl } from '../../operator/apiserver/flow-control/build-flow-control.ts';
import { NameAudience } from '../../operator/apiserver/flow-control/name-audience.ts';
import { passFlowControl, type FlowControlServices } from '../../operator/apiserver/flow-control/pass-flow-control.ts';
import type { Exchange } from '../../operator/apiserver/http/exchange.ts';
import { parseRequestInfo, type RequestInfo } from '../../operator/apiserver/request-info.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { systemMonotonicClock } from '../../platform/process/monotonic-clock.ts';

const domain = 'k8s.io';
const authenticated = 'system:authenticated';

const users: readonly UserInfo[] = [
  { username: 'jane', groups: ['developers', authenticated] },
  { username: 'system:node:node-1', groups: ['system:nodes', authenticated] },
  { username: 'system:kube-scheduler', groups: [authenticated] },
  {
    username: 'system:serviceaccount:team-a:builder',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:team-a', authenticated],
  },
  {
    username: 'system:serviceaccount:kube-system:job-controller',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', authenticated],
  },
];

const requests: readonly (readonly [method: string, url: string])[] = [
  ['GET', '/api/v1/namespaces/team-a/pods/web-0'],
  ['GET', '/api/v1/namespaces/team-a/configmaps?limit=500'],
  ['POST', '/api/v1/namespaces/team-a/pods'],
  ['PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler'],
  ['PATCH', '/api/v1/nodes/node-1/status'],
  ['GET', '/healthz'],
];

/** The objects that every server has, as if they were stored. */
function planConfiguration() {
  let number = 0;
  const store = <T extends { metadata: { uid?: string } }>(object: T): T => {
    number += 1;
    return {
      ...object,
      metadata: { ...object.metadata, uid: `00000000-0000-0000-0000-${String(number).padStart(12, '0')}` },
    };
  };
  const schemas = planKeptFlowSchemas([], domain).flatMap((write) =>
    write.action === 'create' ? [store(write.object)] : [],
  );
  const levels = planKeptPriorityLevels([], domain).flatMap((write) =>
    write.action === 'create' ? [store(write.object)] : [],
  );
  return planFlowConfiguration(schemas, levels, domain);
}

/** As much of an answer as flow control touches. */
class SilentResponse {
  readonly headers = new Map<string, string>();
  readonly destroyed = false;
  setHeader(name: string, value: string): void {
    this.headers.set(name, value);
  }
}

function makeExchange(user: UserInfo, info: RequestInfo, query: URLSearchParams): Exchange {
  return {
    request: { headers: {} } as IncomingMessage,
    response: new SilentResponse() as unknown as ServerResponse,
    ...{ info, query, user, auditId: 'a' },
    warnings: new Set(),
    auditAnnotations: new Map(),
    signal: new AbortController().signal,
  };
}

/** What flow control costs a request that finds its seat free. */
export interface RequestCost {
  /** Microseconds of processor time. */
  readonly micros: number;
  readonly requests: number;
}

/** Measures it, over requests of several users at the levels that every server has, without anything else of a request. */
export function measureCost(count: number): RequestCost {
  const flowControl = buildFlowControl({ clock: systemClock, metrics: new Registry(), domain, totalSeats: 600 });
  flowControl.configure(planConfiguration());
  const authorizer = { authorize: async () => ({ allowed: true, reason: '' }) };
  const audience = new NameAudience({ authorizer, domain, clock: systemMonotonicClock });
  const services: FlowControlServices = { flowControl, audience, noteWaiting: () => undefined };
  const combinations = users.flatMap((user) =>
    requests.map(([method, url]) => {
      const [path = '', text = ''] = url.split('?');
      const query = new URLSearchParams(text);
      return { user, info: parseRequestInfo(method, path, query), query };
    }),
  );
  const times = { elapsedMillis: 0, timeoutMillis: 60_000 };
  const run = (requestCount: number, isGuarded: boolean): number => {
    const before = process.cpuUsage();
    for (let turn = 0; turn < requestCount; turn += 1) {
      const { user, info, query } = combinations[turn % combinations.length]!;
      const exchange = makeExchange(user, info, query);
      if (!isGuarded) continue;
      if (passFlowControl(services, exchange, times) !== undefined) throw new Error('a request had to wait');
      exchange.flow?.end();
    }
    const { user: inProgram, system } = process.cpuUsage(before);
    return inProgram + system;
  };
  // What runs for the first time is compiled while it runs.
  run(count / 4, true);
  run(count / 4, false);
  const guarded = run(count, true);
  return { micros: (guarded - run(count, false)) / count, requests: count };
}
