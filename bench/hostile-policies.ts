import { Agent, request as sendRequest } from 'node:https';
import { loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

import { findPercentile } from '../test/host/figures.ts';
import { startService, type Service } from '../test/service/start-service.ts';

const group = 'admissionregistration.bailiwick.dev';
const delayGoalMillis = 50;
const probeMillis = 10;
const idleSeconds = 5;

/** A policy that asks for too much work. */
interface Attack {
  readonly name: string;
  /** Policies of the same expressions, each with a binding. */
  readonly policies: number;
  readonly expressions: readonly string[];
}

const items = '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]';
/** As many items as its digits multiply to. */
const thousand = `${items}.map(a, ${items}.map(b, ${items}.map(c, a + b + c)))`;
const tenThousand = `${items}.map(a, ${items}.map(b, ${items}.map(c, ${items}.map(d, a + b + c + d))))`;
/** A list in which one item is shared by as many places as two to the power of its depth. */
const shared = `[[1]]${'.map(x, [x, x])'.repeat(24)}`;
const attacks: readonly Attack[] = [
  { name: 'catastrophic pattern', policies: 1, expressions: ["!object.data['text'].matches('(a|aa|a?a|(a+)+)+$')"] },
  {
    name: 'comprehension, five deep',
    policies: 1,
    expressions: [
      'object.data.all(a, object.data.all(b, object.data.all(c, object.data.all(d, object.data.all(e, a + b + c + d + e != "none")))))',
    ],
  },
  {
    name: 'five deep over lists of 10,000',
    policies: 1,
    expressions: [
      `variables.items.all(a, variables.items.all(b, variables.items.all(c, variables.items.all(d, variables.items.all(e, a.size() + b.size() + c.size() + d.size() + e.size() > 0)))))`,
    ],
  },
  {
    name: 'concatenation of 1 MB in a loop',
    policies: 1,
    expressions: [
      `${items}.all(a, ${items}.all(b, (object.data['text'] + object.data['text'] + string(a + b)) != 'none'))`,
    ],
  },
  {
    name: '50 bindings of 9.9 M each',
    policies: 50,
    // 9,895,000 units of cost together.
    expressions: [
      ...Array.from({ length: 12 }, () => `[0, 1, 2, 3].all(x, ${tenThousand}.size() == 10)`),
      `[0, 1, 2, 3].all(x, ${thousand}.size() == 10)`,
    ],
  },
  { name: 'equality of lists that share their items', policies: 1, expressions: [`${shared} == ${shared}`] },
];

function makePolicy(name: string, { expressions }: Attack): unknown {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
  return {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      variables: [{ name: 'items', expression: "object.data['list'].split(',')" }],
      validations: expressions.map((expression) => ({ expression })),
    },
  };
}

async function requestOk(service: Service, method: string, path: string, body?: unknown): Promise<void> {
  const answer = await service.request(method, path, body === undefined ? {} : { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
}

/** Asks for health every so often, each time from the moment it was due; resolves to the delays when `until` is settled. */
async function probe(service: Service, agent: Agent, until: Promise<unknown>): Promise<number[]> {
  const delays: Promise<number>[] = [];
  const over = new AbortController();
  const end = (): void => over.abort();
  void until.then(end, end);
  for (let dueMillis = performance.now(); !over.signal.aborted; dueMillis += probeMillis) {
    const leftMillis = dueMillis - performance.now();
    if (leftMillis > 0) await wait(leftMillis);
    delays.push(
      new Promise((resolve, reject) => {
        const call = sendRequest(new URL('/livez', service.url), { agent, rejectUnauthorized: false }, (answer) => {
          answer.resume();
          answer.once('end', () => resolve(performance.now() - dueMillis));
        });
        call.once('error', reject);
        call.end();
      }),
    );
  }
  return Promise.all(delays);
}

const service = await startService();
const agent = new Agent({ keepAlive: true });
try {
  const [text, list] = ['a'.repeat(500_000), Array.from({ length: 10_000 }, (_, i) => i % 10).join(',')];
  const data: Record<string, string> = { text, list };
  for (let i = 0; i < 30; i += 1) data[`key-${i}`] = 'value';
  const idle = await probe(service, agent, wait(idleSeconds * 1000));
  const idleMost = Math.max(...idle);
  console.log(`load ${loadavg()[0]?.toFixed(1)}; a health request every ${probeMillis} ms`);
  console.log(`idle: p50 ${findPercentile(idle, 0.5).toFixed(1)} ms, most ${idleMost.toFixed(1)} ms`);
  for (const attack of attacks) {
    for (let i = 0; i < attack.policies; i += 1) {
      const metadata = { name: `attack-${i}` };
      const spec = { policyName: metadata.name, validationActions: ['Deny'] };
      const path = `/apis/${group}/v1/validatingadmission`;
      await requestOk(service, 'POST', `${path}policies`, makePolicy(metadata.name, attack));
      await requestOk(service, 'POST', `${path}policybindings`, { metadata, spec });
    }
    const begin = performance.now();
    const attacked = service.request('POST', '/api/v1/namespaces/default/configmaps', {
      body: { metadata: { name: 'victim' }, data },
    });
    const delays = await probe(service, agent, attacked);
    const answer = await attacked;
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    const most = Math.max(...delays);
    const isMet = most - idleMost <= delayGoalMillis;
    if (!isMet) process.exitCode = 1;
    const figures = `most ${most.toFixed(1)} ms, p50 ${findPercentile(delays, 0.5).toFixed(1)} ms of ${delays.length}`;
    console.log(`${isMet ? 'met ' : 'MISSED'} ${attack.name}: ${figures}; answered in ${seconds} s`);
    console.log(`      ${answer.status} ${String(answer.json?.message ?? '').slice(0, 220)}`);
    await requestOk(service, 'DELETE', `/apis/${group}/v1/validatingadmissionpolicybindings`);
    await requestOk(service, 'DELETE', `/apis/${group}/v1/validatingadmissionpolicies`);
    await requestOk(service, 'DELETE', '/api/v1/namespaces/default/configmaps');
  }
} finally {
  agent.destroy();
  await service.stop();
}
