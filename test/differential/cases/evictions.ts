import { create, patch, read, remove, type DifferentialCase, type DifferentialStep } from '../differential-case.ts';
import { collections, makeBudget } from './api-objects.ts';

const { budgets, pods } = collections;
const budget = `${budgets}/b`;
const conditions = (ready: boolean) => [{ type: 'Ready', status: ready ? 'True' : 'False' }];
const ready = { phase: 'Running', conditions: conditions(true) };
const unready = { phase: 'Running', conditions: conditions(false) };

/** Creates a pod and gives it a status. */
function makePods(status: object, ...names: string[]): DifferentialStep[] {
  return names.flatMap((name) => [
    create(
      pods,
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, labels: { app: 'web' } },
        spec: { containers: [{ name: 'c', image: 'example.com/c' }] },
      },
      { compares: 'status' },
    ),
    patch('merge', `${pods}/${name}/status`, { status }, { compares: 'status' }),
  ]);
}

/** Creates the budget of these pods, and says in the place of a controller what it allows. */
function makeAllowing(status: object, spec: object = {}): DifferentialStep[] {
  const whole = { selector: { matchLabels: { app: 'web' } }, minAvailable: 2, ...spec };
  return [
    create(budgets, makeBudget('b', whole), { compares: 'status' }),
    patch('merge', `${budget}/status`, {
      status: {
        observedGeneration: 1,
        disruptionsAllowed: 1,
        currentHealthy: 3,
        desiredHealthy: 2,
        expectedPods: 3,
        ...status,
      },
    }),
  ];
}

function evict(name: string, options?: object, query = ''): DifferentialStep {
  const more = options === undefined ? {} : { deleteOptions: options };
  return create(`${pods}/${name}/eviction${query}`, { metadata: { name }, ...more });
}

/** As clients of some years ago send it. */
const olderEviction = { apiVersion: 'policy/v1beta1', kind: 'Eviction', metadata: { name: 'a' } };

/** Under which name a budget is charged is the servers' own affair. */
const ignores = ['metadata.managedFields'];
const readBudget = read(budget, { ignores });
const exhausted = { disruptionsAllowed: 0, currentHealthy: 2 };
const tooFew = { disruptionsAllowed: 0, currentHealthy: 1 };
const pending = Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`p${i}`, '2026-01-31T12:00:00Z']));

/** Evictions under budgets. Nobody counts on either server: the budgets say what a case gives them. */
export const evictionCases: readonly DifferentialCase[] = [
  {
    name: 'evictions-within-a-budget',
    steps: [
      ...makePods(ready, 'a', 'b', 'c'),
      ...makeAllowing({}),
      evict('a', undefined, '?dryRun=All'),
      evict('a', { dryRun: ['All'] }),
      evict('a', { dryRun: ['All'] }, '?dryRun=All'),
      evict('a', { dryRun: ['All', 'All'] }, '?dryRun=All'),
      readBudget,
      evict('a'),
      readBudget,
      read(`${pods}/a`),
      evict('b'),
      evict('b', undefined, '?dryRun=All'),
      evict('b', { gracePeriodSeconds: 0 }),
      readBudget,
      read(`${pods}/b`, { ignores }),
    ],
  },
  {
    name: 'evictions-of-several-pods',
    steps: [
      ...makePods(ready, 'a', 'b', 'c'),
      ...makeAllowing({ disruptionsAllowed: 2, disruptedPods: { z: '2026-01-31T12:00:00Z' } }),
      evict('a'),
      evict('b', { gracePeriodSeconds: 5, propagationPolicy: 'Background' }),
      evict('c'),
      readBudget,
      create(`${pods}/none/eviction`, { metadata: { name: 'none' } }),
    ],
  },
  {
    name: 'evictions-under-a-budget-not-counted',
    steps: [
      ...makePods(ready, 'a'),
      ...makePods(unready, 'u'),
      ...makeAllowing({ observedGeneration: 0 }),
      evict('a'),
      evict('u'),
      patch('merge', `${budget}/status`, { status: { observedGeneration: 1 } }),
      patch('merge', budget, { spec: { minAvailable: 1 } }),
      evict('a'),
      readBudget,
    ],
  },
  {
    name: 'evictions-of-unhealthy-pods',
    steps: [
      ...makePods(unready, 'u', 'v', 'w', 'x'),
      ...makeAllowing(exhausted),
      evict('u'),
      readBudget,
      patch('merge', `${budget}/status`, { status: tooFew }),
      evict('v'),
      patch('merge', budget, { spec: { unhealthyPodEvictionPolicy: 'IfHealthyBudget' } }),
      evict('v'),
      patch('merge', `${budget}/status`, { status: { observedGeneration: 2 } }),
      evict('v'),
      patch('merge', `${budget}/status`, { status: { disruptionsAllowed: 1 } }),
      evict('v'),
      readBudget,
      patch('merge', budget, { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } }, { ignores }),
      evict('w', undefined, '?dryRun=All'),
      evict('w'),
      patch('merge', `${budget}/status`, { status: { currentHealthy: 0, desiredHealthy: 0 } }, { ignores }),
      patch('merge', budget, { spec: { unhealthyPodEvictionPolicy: null } }, { ignores }),
      evict('x'),
      readBudget,
    ],
  },
  {
    name: 'evictions-that-ask-no-budget',
    steps: [
      ...makePods({ phase: 'Succeeded' }, 'succeeded'),
      ...makePods({ phase: 'Failed', conditions: conditions(true) }, 'failed'),
      ...makePods({ phase: 'Pending' }, 'pending'),
      ...makePods(ready, 'leaving', 'other'),
      ...makeAllowing(exhausted),
      patch('merge', `${pods}/leaving`, { metadata: { finalizers: ['example.com/hold'] } }, { compares: 'status' }),
      remove(`${pods}/leaving`, { gracePeriodSeconds: 0 }, { compares: 'status' }),
      patch('merge', `${pods}/other`, { metadata: { labels: { app: 'other' } } }, { compares: 'status' }),
      evict('succeeded'),
      evict('failed'),
      evict('pending', { preconditions: { resourceVersion: '1' } }),
      evict('pending'),
      evict('leaving'),
      evict('other'),
      readBudget,
      read(pods, { compares: 'status' }),
      patch('merge', `${pods}/leaving`, { metadata: { finalizers: null } }, { compares: 'status' }),
    ],
  },
  {
    name: 'evictions-and-what-selects',
    steps: [
      ...makePods(ready, 'a', 'b'),
      ...makeAllowing(exhausted, { selector: undefined }),
      evict('a', undefined, '?dryRun=All'),
      patch('merge', budget, { spec: { selector: {} } }),
      patch('merge', `${budget}/status`, { status: { observedGeneration: 2 } }),
      evict('a', undefined, '?dryRun=All'),
      patch('merge', budget, {
        spec: { selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] } },
      }),
      patch('merge', `${budget}/status`, { status: { observedGeneration: 3 } }),
      evict('a'),
      readBudget,
    ],
  },
  {
    name: 'evictions-with-preconditions',
    steps: [
      ...makePods(ready, 'a', 'b'),
      ...makeAllowing({ disruptionsAllowed: 2 }),
      // Whether a charge is left behind by these is another matter: `eviction-preconditions` in docs/deviations.md.
      evict('a', { preconditions: { uid: 'other' } }, '?dryRun=All'),
      evict('a', { preconditions: { resourceVersion: '1' } }, '?dryRun=All'),
      evict('a', { preconditions: { uid: '{{1.metadata.uid}}' } }, '?dryRun=All'),
      evict('a', { preconditions: { uid: '{{1.metadata.uid}}', resourceVersion: '{{2.metadata.resourceVersion}}' } }),
      readBudget,
      patch('merge', `${budget}/status`, { status: { disruptionsAllowed: 0, disruptedPods: null } }),
      evict('b', { preconditions: { uid: 'other' } }),
      evict('b', { preconditions: { resourceVersion: '1' } }),
    ],
  },
  {
    name: 'evictions-with-empty-preconditions',
    steps: [
      ...makePods(ready, 'a', 'b'),
      evict('a', { preconditions: {} }, '?dryRun=All'),
      evict('a', { preconditions: { uid: '' } }, '?dryRun=All'),
      evict('a', { preconditions: { resourceVersion: '' } }, '?dryRun=All'),
      evict('a', { preconditions: { uid: '' } }),
      evict('a', { preconditions: { resourceVersion: '' } }),
      evict('b', { preconditions: {} }),
    ],
  },
  {
    name: 'evictions-of-an-older-version',
    steps: [
      ...makePods(ready, 'a', 'b'),
      ...makeAllowing({}),
      create(`${pods}/a/eviction?dryRun=All`, olderEviction),
      create(`${pods}/a/eviction`, { ...olderEviction, deleteOptions: { gracePeriodSeconds: 0 } }),
      create(`${pods}/b/eviction`, { ...olderEviction, metadata: { name: 'b' } }),
      readBudget,
    ],
  },
  {
    name: 'evictions-of-a-budget-out-of-order',
    steps: [
      ...makePods(ready, 'a'),
      create(budgets, makeBudget('b', { selector: {}, minAvailable: 2 }), { compares: 'status' }),
      patch(
        'merge',
        `${budget}/status`,
        { status: { observedGeneration: 1, disruptionsAllowed: 5, disruptedPods: pending } },
        { compares: 'status' },
      ),
      evict('a'),
      evict('a', undefined, '?dryRun=All'),
    ],
  },
  {
    name: 'evictions-that-are-none',
    steps: [
      ...makePods(ready, 'a'),
      create(`${pods}/a/eviction`, { metadata: { name: 'b' } }),
      create(`${pods}/a/eviction`, { metadata: {} }),
      create(`${pods}/a/eviction`, {}),
      create(`${pods}/a/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'a', namespace: 'other' },
      }),
      create(`${pods}/a/eviction`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }),
      create(`${pods}/a/eviction`, { apiVersion: 'policy/v2', kind: 'Eviction', metadata: { name: 'a' } }),
      create(`${pods}/a/eviction?fieldValidation=Strict`, { ...olderEviction, foo: 1 }),
      create(`${pods}/a/eviction?fieldValidation=Warn`, { ...olderEviction, metadata: { name: 'b' }, foo: 1 }),
      create(`${pods}/a/eviction`, { ...olderEviction, deleteOptions: { gracePeriodSeconds: 'x' } }),
      create(`${pods}/a/eviction?fieldValidation=Strict`, { metadata: { name: 'a' }, foo: 1 }),
      evict('a', { ignoreStoreReadErrorWithClusterBreakingPotential: true }),
      evict('a', { gracePeriodSeconds: 'x' }),
      evict('a', { propagationPolicy: 'Sometimes' }, '?dryRun=All'),
      evict('a', { propagationPolicy: 'Orphan', orphanDependents: true }, '?dryRun=All'),
      evict('a', { orphanDependents: true }, '?dryRun=All'),
      evict('a', undefined, '?dryRun=Some'),
      evict('a', { dryRun: ['Some'] }),
      create(`${pods}/a/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } }),
      read(`${pods}/a`),
    ],
  },
];
