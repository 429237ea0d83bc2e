import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFlowRules } from './compile-flow-rules.ts';
import { explainFlow, type FlowExplanation } from './explain-flow.ts';
import { distinguishFlow, FlowClassifier } from './flow-classifier.ts';
import type { FlowRequest, FlowUser } from './flow-request.ts';
import { everyRequest, groupSubject } from './rule-parts.ts';
import type { FlowSchema, FlowSubject, PolicyRules } from './schema.ts';

const getPod: FlowRequest = {
  ...{ isResourceRequest: true, path: '/api/v1/namespaces/team/pods/a', verb: 'get', apiGroup: '' },
  ...{ resource: 'pods', subresource: '', namespace: 'team' },
};
const getUrl: FlowRequest = {
  ...{ isResourceRequest: false, path: '/healthz', verb: 'get', apiGroup: '' },
  ...{ resource: '', subresource: '', namespace: '' },
};
const ann: FlowUser = { username: 'ann', groups: ['devs', 'system:authenticated'] };
const account: FlowUser = { username: 'system:serviceaccount:team:builder', groups: ['system:serviceaccounts'] };

function makeSchema(name: string, rules: readonly PolicyRules[], method?: string): FlowSchema {
  return {
    apiVersion: 'flowcontrol.apiserver.example.org/v1',
    kind: 'FlowSchema',
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: 'level' },
      matchingPrecedence: 100,
      ...(method === undefined ? {} : { distinguisherMethod: { type: method } }),
      rules: [...rules],
    },
    status: {},
  };
}

/** Beside what a list names, a hundred names that nobody has; `*` stands alone. */
function lengthen(list: readonly string[]): string[] {
  return list.includes('*') ? [...list] : [...Array.from({ length: 100 }, (_, i) => `/nobody-${i}`), ...list];
}

const catchAll = makeSchema('catch-all', []);

function takes(user: FlowUser, request: FlowRequest, rules: PolicyRules): boolean {
  const classifier = new FlowClassifier([makeSchema('a', [rules]), catchAll]);
  return classifier.classify(user, request).metadata.name === 'a';
}

describe('subjects', () => {
  it.for<[subject: FlowSubject, user: FlowUser, isOne: boolean]>([
    [{ kind: 'User', user: { name: 'ann' } }, ann, true],
    [{ kind: 'User', user: { name: 'an' } }, ann, false],
    [{ kind: 'User', user: { name: '*' } }, ann, true],
    [{ kind: 'Group', group: { name: 'devs' } }, ann, true],
    [{ kind: 'Group', group: { name: 'ops' } }, ann, false],
    [{ kind: 'Group', group: { name: '*' } }, { username: '', groups: [] }, true],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'team', name: 'builder' } }, account, true],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'team', name: '*' } }, account, true],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'tea', name: '*' } }, account, false],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'team', name: 'build' } }, account, false],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'team', name: '*' } }, ann, false],
    [{ kind: 'User', user: { name: 'system:serviceaccount:team:builder' } }, account, true],
    [{ kind: 'User' }, ann, false],
    [{ kind: 'Group' }, ann, false],
    [{ kind: 'ServiceAccount' }, account, false],
    [{ kind: 'Robot' }, ann, false],
  ])('%j', ([subject, user, isOne]) => {
    expect(takes(user, getPod, { subjects: [subject], ...everyRequest })).toBe(isOne);
    expect(takes(user, getUrl, { subjects: [subject], ...everyRequest })).toBe(isOne);
  });
});

describe('rules for resources', () => {
  const whole = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] };
  it.for<[rule: object, request: Partial<FlowRequest>, matches: boolean]>([
    [{}, {}, true],
    [{ verbs: ['get', 'list'] }, {}, true],
    [{ verbs: ['list'] }, {}, false],
    [{ apiGroups: [''] }, {}, true],
    [{ apiGroups: ['apps'] }, {}, false],
    [{ resources: ['pods', 'nodes'] }, {}, true],
    [{ resources: ['pods'] }, { subresource: 'status' }, false],
    [{ resources: ['pods/status'] }, { subresource: 'status' }, true],
    [{ resources: ['nodes'] }, {}, false],
    [{ namespaces: ['team'] }, {}, true],
    [{ namespaces: ['other'] }, {}, false],
    [{}, { namespace: '' }, false],
    [{ clusterScope: true }, { namespace: '' }, true],
    [{ clusterScope: true, namespaces: null }, { namespace: '' }, true],
    [{ clusterScope: true, namespaces: null }, {}, false],
    [{ clusterScope: true, namespaces: ['other'] }, { namespace: '' }, true],
    [{ namespaces: ['team'], resources: ['nodes'] }, {}, false],
  ])('%j and %j', ([rule, request, matches]) => {
    const rules = { subjects: [groupSubject('devs')], resourceRules: [{ ...whole, ...rule }] };
    expect(takes(ann, { ...getPod, ...request }, rules)).toBe(matches);
    expect(takes(ann, getUrl, rules)).toBe(false);
    const long = Object.fromEntries(
      Object.entries({ ...whole, ...rule }).map(([field, value]) => [
        field,
        Array.isArray(value) ? lengthen(value) : value,
      ]),
    ) as typeof whole;
    const longRules = { subjects: [groupSubject('devs')], resourceRules: [long] };
    expect(takes(ann, { ...getPod, ...request }, longRules)).toBe(matches);
  });
});

describe('rules for other URLs', () => {
  it.for<[url: string, path: string, matches: boolean]>([
    ['*', '/healthz', true],
    ['/healthz', '/healthz', true],
    ['/healthz', '/healthz/etcd', true],
    ['/healthz', '/healthzz', false],
    ['/healthz/*', '/healthz/etcd', true],
    ['/healthz/*', '/healthz', false],
    ['/', '/healthz', true],
  ])('%s and %s', ([url, path, matches]) => {
    const nonResourceRules = [{ verbs: ['get'], nonResourceURLs: [url] }];
    expect(takes(ann, { ...getUrl, path }, { subjects: [groupSubject('devs')], nonResourceRules })).toBe(matches);
    const long = [{ verbs: ['get'], nonResourceURLs: lengthen([url]) }];
    expect(takes(ann, { ...getUrl, path }, { subjects: [groupSubject('devs')], nonResourceRules: long })).toBe(matches);
    expect(takes(ann, { ...getUrl, path, verb: 'post' }, { subjects: [groupSubject('devs')], nonResourceRules })).toBe(
      false,
    );
  });
});

describe('distinguishFlow', () => {
  it.for<[method: string | undefined, flow: string]>([
    ['ByUser', 'ann'],
    ['ByNamespace', 'team'],
    [undefined, ''],
  ])('%s', ([method, flow]) => {
    expect(distinguishFlow(makeSchema('a', [], method), ann, getPod)).toBe(flow);
  });
});

describe('explainFlow', () => {
  const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['team'] };
  it.for<[request: Partial<FlowRequest>, user: FlowUser, outcome: object]>([
    [{}, ann, { outcome: 'Selected' }],
    [{}, account, { rules: [{ field: 'spec.rules[0]', mismatch: 'subjects' }] }],
    [{ verb: 'list' }, ann, { rules: [{ field: 'spec.rules[0]', mismatch: 'verbs' }] }],
    [{ resource: 'nodes' }, ann, { rules: [{ field: 'spec.rules[0]', mismatch: 'resources' }] }],
    [{ apiGroup: 'apps' }, ann, { rules: [{ field: 'spec.rules[0]', mismatch: 'apiGroups' }] }],
    [{ namespace: '' }, ann, { rules: [{ field: 'spec.rules[0]', mismatch: 'clusterScope' }] }],
    [{ namespace: 'other' }, ann, { rules: [{ field: 'spec.rules[0]', mismatch: 'namespaces' }] }],
    [getUrl, ann, { rules: [{ field: 'spec.rules[0]', mismatch: 'nonResourceRules' }] }],
  ])('%j', ([request, user, outcome]) => {
    const far = { ...rule, verbs: ['create'] };
    const rules = [{ subjects: [groupSubject('devs')], resourceRules: [far, rule] }];
    expect(explainFlow([makeSchema('a', rules)], user, { ...getPod, ...request })[0]).toMatchObject(outcome);
  });

  it('names a request for a URL that only resources match, and a URL that none does', () => {
    const nonResourceRules = [{ verbs: ['get'], nonResourceURLs: ['/livez'] }];
    const schema = makeSchema('a', [{ subjects: [groupSubject('devs')], nonResourceRules }]);
    expect(explainFlow([schema], ann, getPod)[0]).toMatchObject({ rules: [{ mismatch: 'resourceRules' }] });
    expect(explainFlow([schema], ann, getUrl)[0]).toMatchObject({ rules: [{ mismatch: 'nonResourceURLs' }] });
  });

  it('tells of schemas that match too, and are asked later', () => {
    const rules = [{ subjects: [groupSubject('devs')], ...everyRequest }];
    const outcomes = explainFlow([makeSchema('a', []), makeSchema('b', rules), makeSchema('c', rules)], ann, getPod);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['NotMatched', 'Selected', 'Preceded']);
  });
});

describe('FlowClassifier', () => {
  it('throws without catch-all where nothing matches', () => {
    expect(() => new FlowClassifier([]).classify(ann, getPod)).toThrow('no flow schema matches');
  });

  const name = fc.constantFrom('a', 'b', '*');
  const list: fc.Arbitrary<string[]> = fc.oneof(
    fc.constant<string[]>(['*']),
    fc.subarray(['a', 'b', 'c', 'a/b'], { minLength: 1 }),
  );
  const subject: fc.Arbitrary<FlowSubject> = fc.oneof(
    name.map((user) => ({ kind: 'User', user: { name: user } })),
    name.map((group) => ({ kind: 'Group', group: { name: group } })),
    fc.tuple(fc.constantFrom('a', 'ab'), name).map(([namespace, one]) => ({
      kind: 'ServiceAccount',
      serviceAccount: { namespace, name: one },
    })),
  );
  const others: FlowSubject[] = Array.from({ length: 70 }, (_, i) => ({ kind: 'User', user: { name: `other-${i}` } }));
  const rules: fc.Arbitrary<PolicyRules> = fc.record({
    subjects: fc
      .tuple(fc.array(subject, { minLength: 1, maxLength: 3 }), fc.constantFrom([], others))
      .map((lists) => lists.flat()),
    resourceRules: fc.array(
      fc.record({ verbs: list, apiGroups: list, resources: list, clusterScope: fc.boolean(), namespaces: list }),
      { maxLength: 3 },
    ),
    nonResourceRules: fc.array(
      fc.record({ verbs: list, nonResourceURLs: fc.subarray<string>(['*', '/a', '/a/*', '/b'], { minLength: 1 }) }),
      { maxLength: 2 },
    ),
  });
  const word = fc.constantFrom('a', 'b', 'c');
  const request: fc.Arbitrary<FlowRequest> = fc.record({
    isResourceRequest: fc.boolean(),
    path: fc.constantFrom('/a', '/a/b', '/ab', '/b', '/'),
    verb: word,
    apiGroup: word,
    resource: word,
    subresource: fc.constantFrom('', 'b'),
    namespace: fc.constantFrom('', 'a', 'b', 'c'),
  });
  const user: fc.Arbitrary<FlowUser> = fc.record({
    username: fc.constantFrom(
      'a',
      'b',
      'system:serviceaccount:a:a',
      'system:serviceaccount:ab:b',
      'system:serviceaccount:a',
    ),
    groups: fc.subarray(['a', 'b', 'c']),
  });

  it('takes the first schema that an explanation finds to match', () => {
    fc.assert(
      fc.property(fc.array(fc.array(rules, { maxLength: 3 }), { maxLength: 6 }), user, request, (all, who, what) => {
        const schemas = [...all.map((one, i) => makeSchema(`schema-${i}`, one)), catchAll];
        const explained: FlowExplanation[] = explainFlow(schemas, who, what);
        const selected = explained.find(({ outcome }) => outcome === 'Selected')?.schema ?? catchAll;
        expect(new FlowClassifier(schemas).classify(who, what)).toBe(selected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('compiles a schema of 1 MB in steps that grow with its size, and not with subjects times rules', () => {
    const many = 9_000;
    const numbers = Array.from({ length: many }, (_, i) => i);
    const whole = { verbs: ['*'], apiGroups: [''], resources: ['*'] };
    const subjects = numbers.map((i) => ({ kind: 'User', user: { name: `u${i}` } }));
    const resourceRules = numbers.map((i) => ({ ...whole, namespaces: [`n${i}`] }));
    const schemas = [makeSchema('large', [{ subjects, resourceRules }]), catchAll];
    expect(JSON.stringify(schemas).length).toBeGreaterThan(1_000_000);
    const compiling = compileFlowRules(schemas);
    let steps = 0;
    let step = compiling.next();
    for (; step.done !== true && steps <= 4 * many; step = compiling.next()) steps += 1;
    if (step.done !== true) throw new Error('it takes more steps than the schema has parts');
    const classifier = new FlowClassifier(schemas, step.value);
    const find = (username: string, namespace: string): string | undefined =>
      classifier.classify({ username, groups: [] }, { ...getPod, namespace }).metadata.name;
    expect(find('u8999', 'n0')).toBe('large');
    expect(find('u0', 'n8999')).toBe('large');
    expect(find('u0', 'n9000')).toBe('catch-all');
    expect(find('u9000', 'n0')).toBe('catch-all');
  });

  it('does not walk through a long list for each request', () => {
    let looks = 0;
    const watch = (names: string[]): string[] =>
      new Proxy(names, { get: (of, key) => ((looks += 1), Reflect.get(of, key) as unknown) });
    const long = Array.from({ length: 10_000 }, (_, i) => `/path-${i}`);
    const nonResourceRules = [{ verbs: ['*'], nonResourceURLs: watch(long) }];
    const resourceRules = [{ verbs: ['*'], apiGroups: ['*'], namespaces: ['team'], resources: watch(long) }];
    const subjects = [groupSubject('devs')];
    const classifier = new FlowClassifier([makeSchema('a', [{ subjects, nonResourceRules, resourceRules }]), catchAll]);
    for (const request of [getUrl, getPod]) {
      classifier.classify(ann, request);
      looks = 0;
      expect(classifier.classify(ann, request)).toBe(catchAll);
      expect(looks).toBeLessThan(20);
    }
  });

  it('does not look at the rules of others', () => {
    const tenants = 5_000;
    let looks = 0;
    const watch = <T extends object>(rule: T): T =>
      new Proxy(rule, { get: (of, key) => ((looks += 1), Reflect.get(of, key)) });
    const whole = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    const schemas = Array.from({ length: tenants }, (_, i) => {
      const resourceRules = [watch({ ...whole, namespaces: [`tenant-${i}`] })];
      const subjects = [groupSubject(i % 2 === 0 ? 'system:authenticated' : `tenant-${i}`)];
      return makeSchema(`tenant-${i}`, [{ subjects, resourceRules }]);
    });
    const classifier = new FlowClassifier([...schemas, catchAll]);
    looks = 0;
    for (const i of [4_998, 4_999]) {
      const groups = ['system:authenticated', `tenant-${i}`];
      const found = classifier.classify({ username: 'ann', groups }, { ...getPod, namespace: `tenant-${i}` });
      expect(found.metadata.name).toBe(`tenant-${i}`);
    }
    expect(looks).toBeLessThan(20);
  });
});
