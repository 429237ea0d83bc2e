import type { FlowRequest, FlowUser } from '../../kinds/flowcontrol/flow-schema/flow-request.ts';
import type { FlowSchema, FlowSubject, PolicyRules } from '../../kinds/flowcontrol/flow-schema/schema.ts';
import type {
  PriorityLevelConfiguration,
  PriorityLevelSpec,
} from '../../kinds/flowcontrol/priority-level-configuration/schema.ts';
import type { Random } from '../cel/generator/random.ts';
import type { DemandStep, FlowOracleRequest } from '../oracle/flow-oracle-protocol.ts';

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
const users = [
  'ann',
  'bob',
  'system:serviceaccount:ns-1:a',
  'system:serviceaccount:ns-1:b',
  'system:serviceaccount:ns-12:a',
];
const groups = ['system:authenticated', 'system:unauthenticated', 'system:masters', 'devs', 'ops'];
const namespaces = ['ns-1', 'ns-12', 'ns-2'];
const accounts = ['a', 'b'];
const apiGroups = ['', 'apps', 'batch'];
const resources = ['pods', 'pods/status', 'nodes', 'jobs', 'deployments/scale'];
const verbs = ['get', 'list', 'watch', 'create', 'update', 'delete'];
const ruleUrls = ['/healthz', '/healthz/*', '/metrics', '/', '/debug/*', '/debug/pprof/'];
const paths = [
  '/healthz',
  '/healthz/etcd',
  '/healthzz',
  '/metrics',
  '/',
  '/debug',
  '/debug/pprof',
  '/debug/pprof/heap',
];

function some<T>(random: Random, items: readonly T[]): T[] {
  const found = items.filter(() => random.chance(0.4));
  return found.length === 0 ? [random.pick(items)] : found;
}

function someOrAll(random: Random, items: readonly string[], all = 0.35): string[] {
  return random.chance(all) ? ['*'] : some(random, items);
}

function generateSubject(random: Random): FlowSubject {
  switch (random.below(3)) {
    case 0:
      return { kind: 'User', user: { name: random.pick([...users, '*']) } };
    case 1:
      return { kind: 'Group', group: { name: random.pick([...groups, ...groups, '*']) } };
    default: {
      const name = random.pick([...accounts, '*']);
      return { kind: 'ServiceAccount', serviceAccount: { namespace: random.pick(namespaces), name } };
    }
  }
}

function generateRules(random: Random): PolicyRules {
  const resourceRules = Array.from({ length: random.below(3) }, () => {
    const clusterScope = random.chance(0.4);
    return {
      verbs: someOrAll(random, verbs),
      apiGroups: someOrAll(random, apiGroups),
      resources: someOrAll(random, resources),
      ...(clusterScope ? { clusterScope } : {}),
      namespaces: clusterScope && random.chance(0.3) ? null : someOrAll(random, namespaces, 0.5),
    };
  });
  const nonResourceRules = Array.from({ length: random.below(2) }, () => ({
    verbs: someOrAll(random, verbs),
    nonResourceURLs: random.chance(0.2) ? ['*'] : some(random, ruleUrls),
  }));
  return {
    subjects: Array.from({ length: 1 + random.below(3) }, () => generateSubject(random)),
    resourceRules,
    nonResourceRules,
  };
}

function generateSchema(random: Random, name: string, levelNames: readonly string[]): FlowSchema {
  const method = random.pick(['ByUser', 'ByNamespace', '']);
  return {
    apiVersion,
    kind: 'FlowSchema',
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: random.pick([...levelNames, 'gone']) },
      matchingPrecedence: random.pick([2, 100, 100, 1000, 9999, 10_000]),
      ...(method === '' ? {} : { distinguisherMethod: { type: method } }),
      rules: Array.from({ length: random.below(4) }, () => generateRules(random)),
    },
    status: {},
  };
}

function generateLimited(random: Random): PriorityLevelSpec {
  const queues = random.pick([1, 2, 16, 64, 1000]);
  const queuing = { queues, handSize: 1 + random.below(Math.min(queues, 5)), queueLengthLimit: 10 };
  const borrowing = random.pick([0, 0, 1, 50, 400]);
  return {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: random.pick([0, 1, 5, 30, 100, 1000]),
      lendablePercent: random.pick([0, 0, 33, 50, 99, 100]),
      ...(borrowing === 0 ? {} : { borrowingLimitPercent: borrowing }),
      limitResponse: random.chance(0.7) ? { type: 'Queue', queuing } : { type: 'Reject' },
    },
  };
}

function generateLevel(random: Random, name: string): PriorityLevelConfiguration {
  const spec = generateLimited(random);
  // What no rule lets in, but what may have been stored by the rules of another version.
  if (random.chance(0.05)) delete spec.limited;
  return { apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name }, spec, status: {} };
}

function generateExempt(random: Random): PriorityLevelConfiguration {
  const exempt = { nominalConcurrencyShares: random.pick([0, 10, 100]), lendablePercent: random.pick([0, 50]) };
  const spec: PriorityLevelSpec = random.chance(0.9) ? { type: 'Exempt', exempt } : { type: 'Exempt' };
  return { apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name: 'exempt' }, spec, status: {} };
}

function generateRequest(random: Random): FlowRequest & FlowUser {
  const username = random.pick([...users, 'carl']);
  const who = { username, groups: some(random, groups) };
  const nowhere = { apiGroup: '', resource: '', subresource: '', namespace: '' };
  const verb = random.pick(verbs);
  if (random.chance(0.25)) return { ...who, ...nowhere, isResourceRequest: false, verb, path: random.pick(paths) };
  const [resource = '', subresource = ''] = random.pick(resources).split('/');
  return {
    ...who,
    ...{ isResourceRequest: true, path: '', verb, resource, subresource },
    apiGroup: random.pick(apiGroups),
    namespace: random.pick([...namespaces, '']),
  };
}

function generateSteps(random: Random, levelNames: readonly string[]): DemandStep[] {
  return Array.from({ length: 1 + random.below(3) }, () => ({
    seats: Object.fromEntries(some(random, levelNames).map((name) => [name, random.pick([0, 1, 7, 40, 300, 2000])])),
    millis: random.pick([0, 500, 3000, 10_000]),
  }));
}

/** A configuration with requests to classify and demands to divide seats by. */
export function generateFlowQuestion(
  random: Random,
): Required<Pick<FlowOracleRequest, 'schemas' | 'levels' | 'totalSeats' | 'requests' | 'periods'>> {
  const levels = Array.from({ length: random.below(6) }, (_, i) => generateLevel(random, `level-${i}`));
  if (random.chance(0.7)) levels.push(generateExempt(random));
  const names = ['exempt', 'catch-all', ...levels.map(({ metadata }) => metadata.name ?? '')];
  const schemas = Array.from({ length: random.below(9) }, (_, i) => generateSchema(random, `schema-${i}`, names));
  const wanting = names.filter((name) => levels.every(({ metadata, spec }) => metadata.name !== name || spec.limited));
  return {
    ...{ schemas, levels },
    totalSeats: random.pick([1, 10, 60, 600, 3000]),
    requests: Array.from({ length: 12 }, () => generateRequest(random)),
    periods: Array.from({ length: 2 }, () => generateSteps(random, wanting)),
  };
}
