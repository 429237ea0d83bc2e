import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimitRange } from '../../kinds/core/limit-range/schema.ts';
import type { ResourceQuota } from '../../kinds/core/resource-quota/schema.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { buildReleaseNames } from '../../platform/release/release-names.ts';
import { planLimitNeeds } from '../limits/plan-limit-needs.ts';
import { planObjectNeeds } from '../objects/plan-object-needs.ts';
import { UsageEvaluators } from '../quota/usage-evaluators.ts';
import { planQuotaNeeds } from './plan-quota-needs.ts';
import { listFurtherConfigurations, planRegistrations, type RegistrationFacts } from './plan-registrations.ts';
import type { WebhookConfiguration, WebhookEntry, WebhookRule } from './webhook-configuration.ts';
import type { WebhookNeed } from './webhook-need.ts';

const domain = 'example.org';
const registry = buildKindRegistry(domain);
const evaluators = new UsageEvaluators(registry.kinds);
const namespace = 'bailiwick';
const names = buildReleaseNames('rel', namespace);

const base: RegistrationFacts = {
  ...{ names, namespace, domain, needs: [], enforcement: 'Enforce', release: 'rel', caBundle: 'PEM' },
  ...{ webhooksUrl: undefined, namespaces: [], owner: undefined, present: {} },
};

function makeQuota(where: string, hard: Record<string, string>, spec: object = {}): ResourceQuota {
  const metadata = { name: 'q', namespace: where, uid: `q-${where}` };
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard, ...spec }, status: {} };
}

function makeRange(where: string, limits: object[]): LimitRange {
  const metadata = { name: 'l', namespace: where, uid: `l-${where}` };
  return { apiVersion: 'v1', kind: 'LimitRange', metadata, spec: { limits } } as LimitRange;
}

function planNeeds(quotas: readonly ResourceQuota[], ranges: readonly LimitRange[]) {
  return [...planLimitNeeds(ranges), ...planQuotaNeeds(quotas, evaluators, registry), ...planObjectNeeds(registry)];
}

/** A write as a host's dispatcher sees it. */
interface Write {
  readonly namespace?: string;
  readonly group: string;
  /** With its subresource. */
  readonly resource: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly username?: string;
  readonly groups?: readonly string[];
}

/** Whether a host would call the entry, by Kubernetes' rules for namespaces, rules and conditions. */
function isCalled(entry: WebhookEntry, write: Write): boolean {
  const { username = 'someone', groups = ['system:authenticated'] } = write;
  const isRuled = entry.rules.some(
    ({ operations, apiGroups, resources }) =>
      operations.includes(write.operation) && apiGroups.includes(write.group) && resources.includes(write.resource),
  );
  const isSelected =
    write.namespace === undefined ||
    entry.namespaceSelector.matchExpressions.every(
      ({ operator, values = [] }) => values.includes(write.namespace ?? '') === (operator === 'In'),
    );
  const [own, server, nodes] = entry.matchConditions.map(({ expression }) => expression);
  const isExempt =
    own?.includes(`"${username}"`) === true ||
    server?.includes(`"${username}"`) === true ||
    (nodes?.includes('system:nodes') === true && groups.includes('system:nodes'));
  return isRuled && isSelected && !isExempt;
}

function listCalled(facts: Partial<RegistrationFacts>, write: Write): string[] {
  const { entries } = planRegistrations({ ...base, ...facts });
  return [...entries.mutating, ...entries.validating].filter((entry) => isCalled(entry, write)).map(({ name }) => name);
}

const pods = { group: '', resource: 'pods', operation: 'CREATE' } as const;

describe('planQuotaNeeds', () => {
  const podRules = ['pods: CREATE pods, UPDATE pods/resize'];

  it.for<[string, ResourceQuota[], string[]]>([
    ['no quota', [], []],
    ['a quota without limits', [makeQuota('a', {})], []],
    ['pods', [makeQuota('a', { pods: '1' })], podRules],
    ['compute resources', [makeQuota('a', { 'limits.cpu': '1' })], podRules],
    [
      'a scope that an update can change',
      [makeQuota('a', { pods: '1' }, { scopes: ['Terminating'] })],
      ['pods: CREATE,UPDATE pods, UPDATE pods/resize'],
    ],
    [
      'storage',
      [makeQuota('a', { 'requests.storage': '1Gi' })],
      ['persistentvolumeclaims: CREATE,UPDATE persistentvolumeclaims'],
    ],
    ['node ports', [makeQuota('a', { 'services.nodeports': '1' })], ['services: CREATE,UPDATE services']],
    [
      'counts, also of kinds that are not known here',
      [makeQuota('a', { 'count/deployments.apps': '1', 'count/widgets.example.com': '1', secrets: '1' })],
      [
        'deployments.apps: CREATE apps/deployments',
        'secrets: CREATE secrets',
        'widgets.example.com: CREATE example.com/widgets',
      ],
    ],
    [
      'own kinds, as the host calls them',
      [makeQuota('a', { resourcequotas: '1' })],
      [`resourcequotas.core.${domain}: CREATE core.${domain}/resourcequotas`],
    ],
    ['what nothing counts', [makeQuota('a', { 'count/events': '1' })], []],
    [
      'what could not name an entry',
      [makeQuota('a', { 'count/Odd_Things': '1' })],
      ['other-resources: CREATE Odd_Things'],
    ],
  ])('%s', ([, quotas, expected]) => {
    const shown = planQuotaNeeds(quotas, evaluators, registry).map(({ name, rules }) => {
      const texts = rules.map(
        ({ operations, apiGroups, resources }) =>
          `${operations.join()} ${[...apiGroups, ...resources].filter((part) => part !== '').join('/')}`,
      );
      return `${name.replace(/\.quota$/, '')}: ${texts.join(', ')}`;
    });
    expect(shown).toEqual(expected);
  });

  it('asks about a resource only where a quota counts it', () => {
    const needs = planQuotaNeeds(
      [makeQuota('a', { pods: '1' }), makeQuota('b', { secrets: '1' }), makeQuota('c', { pods: '1', secrets: '1' })],
      evaluators,
      registry,
    );
    expect(needs.map(({ name, namespaces }) => [name, [...(namespaces ?? [])].toSorted()])).toEqual([
      ['pods.quota', ['a', 'c']],
      ['secrets.quota', ['b', 'c']],
    ]);
  });

  it('lets those share an entry whose names would be too long below the domain', () => {
    const long = buildKindRegistry(`${'a'.repeat(60)}.${'b'.repeat(60)}.example.org`);
    const quotas = [makeQuota('a', { pods: '1', 'count/resourcequotas': '1' })];
    const needs = planQuotaNeeds(quotas, new UsageEvaluators(long.kinds), long);
    expect(needs.map(({ name }) => name)).toEqual(['pods.quota', 'other-resources.quota']);
  });

  it('lets the rest share an entry when a great deal is counted', () => {
    const hard = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`count/things${i}.example.com`, '1']));
    const needs = planQuotaNeeds([makeQuota('a', hard)], evaluators, registry);
    expect([needs.length, needs.at(-1)?.name, needs.at(-1)?.rules.length]).toEqual([17, 'other-resources.quota', 24]);
  });
});

describe('planLimitNeeds', () => {
  it.for<[string, object[], string[]]>([
    ['nothing', [], []],
    [
      'defaults',
      [{ type: 'Container', default: { cpu: '1' } }],
      ['defaults.limits pods,pods/resize', 'limits pods,pods/resize'],
    ],
    ['bounds only', [{ type: 'Pod', max: { cpu: '1' } }], ['limits pods,pods/resize']],
    ['claims', [{ type: 'PersistentVolumeClaim', min: { storage: '1' } }], ['limits persistentvolumeclaims']],
    ['a type that nothing bounds', [{ type: 'example.com/thing' }], []],
  ])('%s', ([, limits, expected]) => {
    const needs = planLimitNeeds([makeRange('a', limits)]);
    expect(needs.map(({ name, rules }) => `${name} ${rules.flatMap(({ resources }) => resources).join()}`)).toEqual(
      expected,
    );
  });
});

describe('planRegistrations', () => {
  const needs = planNeeds(
    [makeQuota('a', { pods: '1' })],
    [makeRange('b', [{ type: 'Container', default: { cpu: '1' } }])],
  );

  it('registers each need as an entry of its own', () => {
    const { writes, entries } = planRegistrations({ ...base, needs });
    expect(writes.map(({ action, type, object }) => [action, type, object.metadata.name])).toEqual([
      ['create', 'mutating', 'bailiwick.rel'],
      ['create', 'validating', 'bailiwick.rel'],
    ]);
    const show = (entry: WebhookEntry) => [
      entry.name,
      entry.failurePolicy,
      entry.sideEffects,
      entry.clientConfig.service?.path,
    ];
    expect([...entries.mutating, ...entries.validating].map(show)).toEqual([
      ['defaults.limits.example.org', 'Fail', 'None', '/mutate/limits'],
      ['defaults.objects.example.org', 'Ignore', 'None', '/mutate/objects'],
      ['limits.example.org', 'Fail', 'None', '/validate/limits'],
      ['pods.quota.example.org', 'Fail', 'NoneOnDryRun', '/validate/quota'],
      ['objects.example.org', 'Ignore', 'None', '/validate/objects'],
    ]);
    expect(entries.mutating.map(({ reinvocationPolicy }) => reinvocationPolicy)).toEqual(['IfNeeded', 'Never']);
    expect(entries.validating[1]?.clientConfig).toEqual({
      service: { namespace: 'bailiwick', name: 'rel-webhooks', path: '/validate/quota', port: 443 },
      caBundle: Buffer.from('PEM').toString('base64'),
    });
  });

  it.for(['corp', domain, 'a.b.example.org'])('gives each entry a name of three words at least below %s', (own) => {
    const needs = planNeeds([makeQuota('a', { pods: '1' })], [makeRange('a', [{ type: 'Container' }])]);
    const { entries } = planRegistrations({ ...base, domain: own, needs });
    const all = [...entries.mutating, ...entries.validating].map(({ name }) => name);
    expect(all.length).toBeGreaterThan(3);
    expect(all.filter((name) => name.split('.').length < 3 || !name.endsWith(`.${own}`))).toEqual([]);
    expect(new Set(all).size).toBe(all.length);
  });

  it('calls a URL where there is one', () => {
    const { entries } = planRegistrations({ ...base, needs, webhooksUrl: 'https://127.0.0.1:1/' });
    expect(entries.validating[0]?.clientConfig.url).toBe('https://127.0.0.1:1/validate/limits');
  });

  it('lets everything pass in an audit when nobody can be asked', () => {
    const { entries } = planRegistrations({ ...base, needs, enforcement: 'Audit' });
    expect(new Set([...entries.mutating, ...entries.validating].map(({ failurePolicy }) => failurePolicy))).toEqual(
      new Set(['Ignore']),
    );
  });

  it('waits for the authorities, and leaves what there is as it is until then', () => {
    expect(planRegistrations({ ...base, needs, caBundle: undefined })).toMatchObject({
      writes: [],
      waitsFor: 'caBundle',
    });
  });

  const wanted = planRegistrations({ ...base, needs });
  const present = {
    mutating: wanted.writes[0]?.object as WebhookConfiguration,
    validating: wanted.writes[1]?.object as WebhookConfiguration,
  };

  it.for<[string, Partial<RegistrationFacts>, string[]]>([
    ['nothing when all is as it should be', {}, []],
    [
      'nothing for fields of hosts to come',
      {
        present: {
          ...present,
          mutating: {
            ...present.mutating,
            webhooks: present.mutating.webhooks?.map((entry) => ({ ...entry, novelty: 1 })),
          },
        },
      },
      [],
    ],
    [
      'nothing for empty lists, which a host leaves out',
      {
        present: {
          ...present,
          mutating: {
            ...present.mutating,
            webhooks: present.mutating.webhooks?.map(({ matchConditions, ...entry }) =>
              matchConditions.length === 0 ? (entry as WebhookEntry) : { ...entry, matchConditions },
            ),
          },
        },
      },
      [],
    ],
    [
      'what somebody changed',
      {
        present: {
          ...present,
          validating: {
            ...present.validating,
            webhooks:
              present.validating.webhooks?.map((entry) => ({ ...entry, failurePolicy: 'Ignore' as const })) ?? [],
          },
        },
      },
      ['update validating'],
    ],
    [
      'what somebody narrowed',
      {
        present: {
          ...present,
          mutating: {
            ...present.mutating,
            webhooks: present.mutating.webhooks?.map((entry) => ({
              ...entry,
              objectSelector: { matchLabels: { a: 'b' } },
            })),
          } as unknown as WebhookConfiguration,
        },
      },
      ['update mutating'],
    ],
    [
      'an entry that somebody removed',
      { present: { ...present, validating: { ...present.validating, webhooks: [] } } },
      ['update validating'],
    ],
    ['a configuration that somebody removed', { present: { mutating: present.mutating } }, ['create validating']],
    ['new authorities', { caBundle: 'PEM 2' }, ['update mutating', 'update validating']],
    [
      'what is filled in before what is judged, whichever is not there at all',
      { present: { mutating: { ...present.mutating, webhooks: [] } } },
      ['update mutating', 'create validating'],
    ],
    [
      'an owner',
      { owner: { apiVersion: 'v1', kind: 'ClusterRole', name: 'o', uid: 'u' } },
      ['update mutating', 'update validating'],
    ],
    ['nothing that is needed', { needs: [] }, ['delete validating', 'delete mutating']],
    ['decisions that are off', { enforcement: 'Off' }, ['delete validating', 'delete mutating']],
    [
      'decisions that are off, without authorities',
      { enforcement: 'Off', caBundle: undefined },
      ['delete validating', 'delete mutating'],
    ],
  ])('writes %s', ([, facts, expected]) => {
    const { writes } = planRegistrations({ ...base, needs, present, ...facts });
    expect(writes.map(({ action, type }) => `${action} ${type}`)).toEqual(expected);
  });

  it('keeps what others wrote into the metadata', () => {
    const metadata = {
      ...present.mutating.metadata,
      resourceVersion: '7',
      uid: 'u',
      annotations: { a: 'b' },
      labels: { mine: 'yes' },
    };
    const facts = { present: { ...present, mutating: { ...present.mutating, metadata } } };
    const { writes } = planRegistrations({ ...base, needs, ...facts });
    expect(writes[0]?.object.metadata).toMatchObject({
      resourceVersion: '7',
      uid: 'u',
      annotations: { a: 'b' },
      labels: { mine: 'yes', 'app.kubernetes.io/instance': 'rel' },
    });
  });

  describe('with entries of one name', () => {
    const rules: readonly WebhookRule[] = [
      { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: '*' },
    ];
    const makeNeed = (configuration: number): WebhookNeed => ({
      ...{ type: 'validating', name: 'one', path: `/${configuration}`, failurePolicy: 'Fail', rules, configuration },
      ...{ namespaces: undefined, sideEffects: 'None', timeoutSeconds: 10, isSparing: true },
      namespaceSelector: [{ key: 'team', operator: 'Exists' }],
      objectSelector: [{ key: 'a', operator: 'In', values: ['b'] }],
      matchConditions: [{ name: 'last', expression: 'true' }],
    });
    const all = [0, 1, 2, 3].map(makeNeed);
    const show = (facts: Partial<RegistrationFacts>): string[] =>
      planRegistrations({ ...base, ...facts }).writes.map(({ action, object }) => `${action} ${object.metadata.name}`);
    const further = planRegistrations({ ...base, needs: all })
      .writes.map(({ object }) => object)
      .filter(({ metadata }) => metadata.name !== 'bailiwick.rel');

    it('writes a configuration for each, the one that replicas look at last', () => {
      expect(show({ needs: all })).toEqual([
        'create bailiwick.rel.2',
        'create bailiwick.rel.3',
        'create bailiwick.rel.4',
        'create bailiwick.rel',
      ]);
      expect(further.map(({ metadata }) => metadata.name)).toEqual(listFurtherConfigurations(names));
    });

    it('writes what others let go of before they do', () => {
      const present = { further };
      expect(show({ needs: [makeNeed(0), makeNeed(1)], present })).toEqual([
        'create bailiwick.rel',
        'delete bailiwick.rel.3',
        'delete bailiwick.rel.4',
      ]);
      expect(show({ needs: all, enforcement: 'Off', present })).toEqual([
        'delete bailiwick.rel.2',
        'delete bailiwick.rel.3',
        'delete bailiwick.rel.4',
      ]);
    });

    it('asks for labels and conditions besides what is always left out', () => {
      const [entry] = planRegistrations({ ...base, needs: [makeNeed(0)] }).entries.validating;
      expect(entry?.namespaceSelector.matchExpressions).toEqual([
        { key: 'team', operator: 'Exists' },
        {
          ...{ key: 'kubernetes.io/metadata.name', operator: 'NotIn' },
          values: ['bailiwick', 'kube-node-lease', 'kube-system'],
        },
      ]);
      expect(entry?.objectSelector).toEqual({ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] });
      expect(entry?.matchConditions.map(({ name }) => name)).toEqual([
        'not-own-accounts',
        'not-the-api-server',
        'not-nodes',
        'last',
      ]);
    });
  });

  const many = Array.from({ length: 600 }, (_, i) => `n${i}`);

  it('names those that it leaves out when it governs too many, the oldest first', () => {
    const facts = {
      needs: planNeeds(
        many.map((name) => makeQuota(name, { pods: '1' })),
        [],
      ),
      namespaces: ['network-system', ...many, ...Array.from({ length: 600 }, (_, i) => `free${i}`)],
    };
    expect(listCalled(facts, { ...pods, namespace: 'n599' })).toEqual(['pods.quota.example.org']);
    expect(listCalled(facts, { ...pods, namespace: 'network-system' })).toEqual([]);
    expect(listCalled(facts, { ...pods, namespace: 'free0' })).toEqual([]);
    expect(listCalled(facts, { ...pods, namespace: 'kube-system' })).toEqual([]);
    const [entry] = planRegistrations({ ...base, ...facts }).entries.validating;
    expect(entry?.namespaceSelector.matchExpressions.map(({ values }) => values?.length)).toEqual([500]);
  });

  describe('for any objects', () => {
    const places = fc.constantFrom('a', 'b', 'c', 'kube-system', 'kube-node-lease', 'default', namespace);
    const hards = fc.subarray([
      'pods',
      'cpu',
      'services',
      'requests.storage',
      'count/deployments.apps',
      'secrets',
      'resourcequotas',
    ]);
    const quotas = fc
      .array(fc.tuple(places, hards), { maxLength: 8 })
      .map((list) =>
        list.map(([where, hard]) => makeQuota(where, Object.fromEntries(hard.map((name) => [name, '1'])))),
      );
    const items = fc.constantFrom<object>(
      { type: 'Container', default: { cpu: '1' } },
      { type: 'Pod', max: { cpu: '1' } },
      { type: 'PersistentVolumeClaim', max: { storage: '1' } },
    );
    const ranges = fc
      .array(fc.tuple(places, fc.array(items, { maxLength: 3 })), { maxLength: 8 })
      .map((list) => list.map(([where, limits]) => makeRange(where, limits)));
    const writes = fc.record({
      namespace: places,
      operation: fc.constantFrom('CREATE', 'UPDATE', 'DELETE'),
      target: fc.constantFrom(
        ...(['/pods', '/pods/resize', '/pods/status', '/services', '/persistentvolumeclaims', '/secrets'] as const),
        ...(['apps/deployments', `core.${domain}/resourcequotas`, '/events', 'coordination.k8s.io/leases'] as const),
      ),
    });
    const facts = fc.record({ quotas, ranges, mode: fc.constantFrom('Enforce' as const, 'Audit' as const) });

    function read({
      namespace: where,
      operation,
      target,
    }: {
      namespace: string;
      operation: string;
      target: string;
    }): Write {
      const slash = target.indexOf('/');
      return {
        namespace: where,
        operation: operation as Write['operation'],
        group: target.slice(0, slash),
        resource: target.slice(slash + 1),
      };
    }

    it('never asks about what a host needs to live, nor for those who keep it and us alive', () => {
      fc.assert(
        fc.property(facts, writes, fc.nat(4), (given, write, who) => {
          const plan = { needs: planNeeds(given.quotas, given.ranges), enforcement: given.mode };
          const asked = read(write);
          const spared = ['kube-system', 'kube-node-lease', namespace];
          if (spared.includes(write.namespace) || write.target === '/pods/status' || write.operation === 'DELETE') {
            expect(listCalled(plan, asked)).toEqual([]);
          }
          const someone = [
            { username: `system:serviceaccount:${namespace}:rel-operator` },
            { username: `system:serviceaccount:${namespace}:rel-webhooks` },
            { username: 'system:apiserver' },
            { username: 'system:node:n1', groups: ['system:nodes'] },
          ][who];
          // None of them makes pods or claims where limits are, but for mirrors of static pods.
          const limits = ['defaults.limits.example.org', 'limits.example.org'];
          if (someone === undefined) return;
          expect(listCalled(plan, { ...asked, ...someone }).filter((name) => !limits.includes(name))).toEqual([]);
        }),
      );
    });

    it('asks about everything that is governed, and in no namespace where nothing is', () => {
      fc.assert(
        fc.property(facts, writes, (given, write) => {
          const { namespace: where } = write;
          const isSpared = ['kube-system', 'kube-node-lease', namespace].includes(where);
          const called = listCalled(
            { needs: planNeeds(given.quotas, given.ranges), enforcement: given.mode },
            read(write),
          );
          const counted = given.quotas
            .filter(({ metadata }) => metadata.namespace === where)
            .flatMap(({ spec }) => Object.keys(spec.hard ?? {}));
          const types = given.ranges
            .filter(({ metadata }) => metadata.namespace === where)
            .flatMap(({ spec }) => (spec.limits ?? []).map(({ type }) => type));
          const key = `${write.operation} ${write.target}`;
          const charged: Record<string, string[]> = {
            'CREATE /pods': ['pods', 'cpu'],
            'UPDATE /pods/resize': ['pods', 'cpu'],
            'CREATE /services': ['services'],
            'UPDATE /services': ['services'],
            'CREATE /persistentvolumeclaims': ['requests.storage'],
            'UPDATE /persistentvolumeclaims': ['requests.storage'],
            'CREATE /secrets': ['secrets'],
            'CREATE apps/deployments': ['count/deployments.apps'],
            [`CREATE core.${domain}/resourcequotas`]: ['resourcequotas'],
          };
          const bounded: Record<string, string[]> = {
            'CREATE /pods': ['Container', 'Pod'],
            'UPDATE /pods/resize': ['Container', 'Pod'],
            'CREATE /persistentvolumeclaims': ['PersistentVolumeClaim'],
            'UPDATE /persistentvolumeclaims': ['PersistentVolumeClaim'],
          };
          const isCharged = charged[key]?.some((name) => counted.includes(name)) === true;
          expect(called.some((name) => name.endsWith('.quota.example.org'))).toBe(!isSpared && isCharged);
          if (!isSpared && bounded[key]?.some((type) => types.includes(type)) === true)
            expect(called).toContain('limits.example.org');
          if (!isSpared && key === 'CREATE /pods' && types.includes('Container'))
            expect(called).toContain('defaults.limits.example.org');
          const has = (name: string): boolean => called.includes(`${name}.example.org`);
          if (types.length === 0) expect([has('limits'), has('defaults.limits')]).toEqual([false, false]);
        }),
      );
    });
  });
});
