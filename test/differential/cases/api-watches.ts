import {
  create,
  patch,
  read,
  remove,
  update,
  type DifferentialCase,
  type DifferentialStep,
} from '../differential-case.ts';
import { collections, makePolicy } from './api-objects.ts';

const { ingressClasses, networkPolicies: path } = collections;
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const partial = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
const fromFirst = 'resourceVersion={{1.metadata.resourceVersion}}';
const fromSecond = 'resourceVersion={{2.metadata.resourceVersion}}';

const two = [create(path, makePolicy('a', {}, { labels: { x: 'y' } })), create(path, makePolicy('b'))];

function open(name: string, target: string, accept?: string): DifferentialStep {
  return read(target, { open: name, ...(accept === undefined ? {} : { headers: { accept } }) });
}

/** Texts of columns, which are our own, and ages, whose seconds begin when they like. */
const ignores = ['*.object.columnDefinitions.*.description', '*.object.rows.*.cells.2'];

/** Reads so many lines. */
function take(name: string, events: number): DifferentialStep {
  return { method: 'GET', path: '', read: { from: name, events }, ignores };
}

/** A watch of two objects: so many lines at first, and so many about a third one's life. */
function watchLife(name: string, query: string, first: number, events: number, accept?: string): DifferentialCase {
  return {
    name: `watch-${name}`,
    steps: [
      ...two,
      open('w', `${path}?watch=true&${query}`, accept),
      ...(first === 0 ? [] : [take('w', first)]),
      create(path, makePolicy('c', {}, { labels: { x: 'y' } })),
      patch('merge', `${path}/c`, { metadata: { labels: { x: 'z' } } }),
      patch('merge', `${path}/c`, { spec: { policyTypes: ['Egress'] } }),
      remove(`${path}/c`),
      take('w', events),
    ],
  };
}

/** What there is at first, and the mark behind it; later bookmarks come when the server likes. */
function watchInitial(name: string, query: string, accept?: string): DifferentialCase {
  const mark = '2.object.rows.*.object.metadata.resourceVersion';
  return {
    name: `watch-initial-${name}`,
    steps: [
      ...two,
      open('w', `${path}?watch=true&allowWatchBookmarks=true&${query}`, accept),
      { ...take('w', 3), ignores: [...ignores, mark] },
    ],
  };
}

function readBriefly(target: string, events: number, accept?: string): DifferentialStep {
  return read(target, {
    stream: { events },
    ...(accept === undefined ? {} : { headers: { accept } }),
  });
}

/** Watches: where they begin, what they select and show, how they end. */
export const watchCases: readonly DifferentialCase[] = [
  watchLife('from-now', '', 2, 4),
  watchLife('from-0', 'resourceVersion=0', 2, 4),
  watchLife('from-a-version', fromFirst, 1, 4),
  watchLife('by-label', 'labelSelector=x%3Dy', 1, 2),
  watchLife('by-label-from-a-version', `labelSelector=x%3Dy&${fromFirst}`, 0, 2),
  watchLife('by-name', 'fieldSelector=metadata.name%3Dc', 0, 4),
  watchLife('initial-without-bookmarks', initial, 2, 4),
  watchLife('initial-not-wanted', 'sendInitialEvents=false&resourceVersionMatch=NotOlderThan', 0, 4),
  watchLife('as-tables', '', 2, 4, table),
  watchLife('as-tables-from-a-version', fromFirst, 1, 4, table),
  watchLife('as-tables-of-objects', 'includeObject=Object', 2, 4, table),
  watchLife('as-tables-of-nothing', 'includeObject=None', 2, 4, table),
  watchLife('as-metadata', '', 2, 4, partial),
  watchInitial('as-they-are', initial),
  watchInitial('from-a-version', `${initial}&${fromFirst}`),
  watchInitial('as-tables', initial, table),
  watchInitial('as-metadata', initial, partial),
  {
    name: 'watch-nothing',
    steps: [
      readBriefly(`${path}?watch=true&${initial}&allowWatchBookmarks=true`, 1),
      readBriefly(`${path}?watch=true&timeoutSeconds=1`, 1),
      readBriefly(`${path}?watch=1&timeoutSeconds=1&timeout=5s`, 1),
      readBriefly(`${path}?watch&timeoutSeconds=1`, 1),
      readBriefly('/apis/networking.k8s.io/v1/watch/namespaces/{{ns}}/networkpolicies?timeoutSeconds=1', 1),
      readBriefly(`${path}/none?watch=true&timeoutSeconds=1`, 1),
    ],
  },
  {
    name: 'watch-options',
    steps: [
      ...[
        'sendInitialEvents=true',
        'sendInitialEvents=true&resourceVersionMatch=Exact',
        'resourceVersionMatch=NotOlderThan',
      ],
      ...[
        'resourceVersionMatch=foo&sendInitialEvents=true',
        'resourceVersion=x',
        'resourceVersion=-1',
        'labelSelector=(',
      ],
      ...['fieldSelector=foo%3Dbar', 'timeoutSeconds=x', 'resourceVersion=99999999999999999999', 'limit=x'],
      ...['resourceVersionMatch=NotOlderThan&continue=x', 'includeObject=foo&timeoutSeconds=1'],
      ...['resourceVersion=999999999&timeoutSeconds=1', `resourceVersion=999999999&${initial}`],
    ].map((query) => readBriefly(`${path}?watch=true&${query}`, 1)),
  },
  {
    name: 'watch-one-object',
    steps: [
      ...two,
      open('old', '/apis/networking.k8s.io/v1/watch/namespaces/{{ns}}/networkpolicies/a'),
      open('all', `/apis/networking.k8s.io/v1/watch/namespaces/{{ns}}/networkpolicies?${fromSecond}`),
      open('new', `${path}/a?watch=true`),
      patch('merge', `${path}/a`, { metadata: { labels: { x: 'z' } } }),
      remove(`${path}/b`),
      take('old', 2),
      take('all', 2),
      take('new', 2),
    ],
  },
  {
    name: 'watch-writes-without-effect',
    steps: [
      ...two,
      open('w', `${path}?watch=true&${fromSecond}`),
      patch('merge', `${path}/a`, {}),
      update(`${path}/a`, makePolicy('a', {}, { labels: { x: 'y' } })),
      patch('merge', `${path}/a?dryRun=All`, { metadata: { labels: { q: 'r' } } }),
      remove(`${path}/a?dryRun=All`),
      patch('merge', `${path}/a`, { metadata: { labels: { q: 'r' } } }),
      take('w', 1),
    ],
  },
  {
    name: 'watch-finalizers-and-collections',
    steps: [
      create(path, makePolicy('a', {}, { finalizers: ['x/y'] })),
      create(path, makePolicy('b')),
      open('w', `${path}?watch=true&${fromSecond}`),
      remove(`${path}/a`),
      patch('merge', `${path}/a`, { metadata: { finalizers: null } }),
      take('w', 2),
      remove(path, undefined, { compares: 'nothing' }),
      take('w', 1),
    ],
  },
  {
    name: 'watch-cluster-scoped',
    steps: [
      open('w', `${ingressClasses}?watch=1&fieldSelector=metadata.name%3D{{case}}`),
      create(ingressClasses, { metadata: { name: '{{case}}' }, spec: { controller: 'a.b/c' } }),
      remove(`${ingressClasses}/{{case}}`),
      take('w', 2),
    ],
  },
  {
    name: 'watch-paths',
    steps: [
      read('/api/v1/watch/foos'),
      read('/api/v1/watch/namespaces/{{ns}}/foos'),
      read('/api/v1/watch', { compares: 'status' }),
      create('/api/v1/watch/namespaces/{{ns}}/configmaps', {}),
      remove('/api/v1/watch/namespaces/{{ns}}/configmaps'),
      read('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?watch=true'),
      read('/api/v1/bindings?watch=1'),
      readBriefly(`${path}?watch=true&timeoutSeconds=1`, 1, 'application/json;stream=watch'),
      readBriefly(`${path}?watch=true&timeoutSeconds=1`, 1, '*/*'),
    ],
  },
];
