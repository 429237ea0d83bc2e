import { create, read, type DifferentialCase } from '../differential-case.ts';
import { collections, makePod, makePolicy, readEach } from './api-objects.ts';

const { networkPolicies, pods } = collections;
const path = networkPolicies;
const five = ['a', 'b', 'c', 'd', 'e'].map((name, index) =>
  create(path, makePolicy(name, {}, { labels: { n: name, odd: index % 2 === 0 ? 'no' : 'yes' } })),
);
const third = 'resourceVersion={{3.metadata.resourceVersion}}';
const goesOn = 'continue={{7.metadata.continue}}';

/** A text of a query, which may hold placeholders. */
function quote(text: string): string {
  return encodeURIComponent(text).replaceAll('%7B%7B', '{{').replaceAll('%7D%7D', '}}');
}

function listBy(parameter: string, values: readonly string[], collection: string = path) {
  return readEach(values.map((value) => `${collection}?${parameter}=${quote(value)}`));
}

/** Lists: pages, versions and selectors. */
export const listCases: readonly DifferentialCase[] = [
  {
    name: 'list-pages',
    steps: [
      ...five,
      ...readEach([
        path,
        `${path}?limit=2`,
        `${path}?limit=2&${goesOn}`,
        `${path}?limit=2&continue={{8.metadata.continue}}`,
        `${path}?${goesOn}`,
        ...['5', '10', '0', '-1', 'x', '', '99999999999999999999'].map((limit) => `${path}?limit=${limit}`),
        `${path}?limit=2&continue=e30`,
        `${path}?limit=2&continue=%25`,
        `${path}?limit=2&${goesOn}&resourceVersion=5`,
        `${path}?${goesOn}&resourceVersionMatch=Exact`,
        `${path}?limit=1&labelSelector=odd%3Dyes`,
        `${path}?limit=1&fieldSelector=metadata.name%3Dc`,
      ]),
    ],
  },
  {
    name: 'list-versions',
    steps: [
      ...five,
      // From the cache, which may still be behind.
      read(`${path}?resourceVersion=0`, { until: ({ items }) => items?.length === 5 }),
      ...readEach(
        [
          ...[third, `${third}&resourceVersionMatch=Exact`, `${third}&resourceVersionMatch=NotOlderThan`],
          ...[`${third}&limit=2`, `${third}&limit=2&resourceVersionMatch=NotOlderThan`],
          ...[`${third}&limit=2&resourceVersionMatch=Exact`, 'resourceVersion=0&limit=2'],
          ...['resourceVersion=0&limit=2&resourceVersionMatch=NotOlderThan', 'resourceVersionMatch=Exact'],
          ...['resourceVersion=0&resourceVersionMatch=Exact', 'resourceVersion=1&resourceVersionMatch=foo'],
          ...[
            'resourceVersion=x',
            'resourceVersion=-1',
            'sendInitialEvents=true',
            'resourceVersion=&resourceVersionMatch=',
          ],
          ...['resourceVersionMatch=NotOlderThan&continue=abc', 'resourceVersion=99999999999999999999'],
          'resourceVersion=2&resourceVersionMatch=foo&sendInitialEvents=false',
        ].map((query) => `${path}?${query}`),
      ),
    ],
  },
  {
    name: 'get-versions',
    steps: [
      create(path, makePolicy('a')),
      ...readEach(
        ['0', '{{1.metadata.resourceVersion}}', '1', 'x', '99999999999999999999'].map(
          (version) => `${path}/a?resourceVersion=${version}`,
        ),
      ),
      ...readEach([`${path}/a?export=true`, `${path}/a?export=false`, `${path}/a?pretty=1`, `${path}/a?limit=x`]),
      read(`${path}/none?resourceVersion=0`),
    ],
  },
  {
    name: 'label-selectors',
    steps: [
      ...five,
      ...listBy('labelSelector', [
        ...['n=a', 'n==a', 'n!=a', 'n in (a,b)', 'n notin (a,b)', 'n', '!n', 'odd=yes,n!=b', 'n=', 'foo', '!foo'],
        ...['n=a,n=b', ' n = a ', 'n in ()', 'n in (', '=a', 'n=a b', 'n=a,', ',', 'n>1', 'n<x', 'n>x', 'a/b/c=d'],
        ...[`n=${'x'.repeat(70)}`, `${'x'.repeat(70)}=a`, 'n in (a b)', 'N in (a)', 'n=A_b', '(', 'n=a;b', '!n=a'],
        ...['n in (a,,b)', 'foo.bar/baz=x', 'n notin (,)'],
      ]),
    ],
  },
  {
    name: 'field-selectors',
    steps: [
      ...five,
      ...listBy('fieldSelector', [
        ...['metadata.name=a', 'metadata.name==a', 'metadata.name!=a', 'metadata.name=a,metadata.namespace={{ns}}'],
        ...[
          'metadata.namespace=other',
          'metadata.name=',
          'metadata.name',
          'metadata.uid=x',
          'spec.foo=bar',
          'foo',
          '=',
        ],
        ...['metadata.name=a\\,b', 'metadata.name=a\\b', 'a=b=c', ',', 'metadata.name=a,', 'metadata.name=A'],
        ...['metadata.name=a,metadata.name=b', 'metadata.labels=x'],
      ]),
    ],
  },
  {
    name: 'field-selectors-of-kinds',
    steps: [
      create(pods, makePod('a')),
      ...listBy(
        'fieldSelector',
        [
          ...['status.phase=Pending', 'status.phase!=Pending', 'spec.nodeName=', 'spec.nodeName=x', 'spec.foo=1'],
          ...['spec.restartPolicy=Always', 'spec.schedulerName=default-scheduler', 'spec.serviceAccountName=default'],
          ...['status.podIP=', 'status.nominatedNodeName=', 'spec.hostNetwork=false'],
        ],
        pods,
      ),
      ...readEach(
        [
          ['/api/v1/namespaces', 'status.phase=Active,metadata.name={{ns}}'],
          ['/api/v1/namespaces', 'name={{ns}}'],
          ['/api/v1/namespaces', 'metadata.namespace=1'],
          ['/api/v1/nodes', 'spec.unschedulable=true'],
          ['/api/v1/namespaces/{{ns}}/events', 'involvedObject.name=x'],
          ['/api/v1/namespaces/{{ns}}/secrets', 'type=None'],
          ['/api/v1/namespaces/{{ns}}/services', 'spec.type=ClusterIP'],
          ['/apis/batch/v1/namespaces/{{ns}}/jobs', 'status.successful=1'],
          ['/api/v1/namespaces/{{ns}}/resourcequotas', 'spec.x=1'],
          ['/apis/policy/v1/namespaces/{{ns}}/poddisruptionbudgets', 'spec.x=1'],
          ['/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas', 'spec.x=1'],
          ['/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', 'spec.x=1'],
          ['/apis/networking.k8s.io/v1/ingressclasses', 'metadata.namespace=x'],
        ].map(([collection = '', selector = '']) => `${collection}?fieldSelector=${quote(selector)}`),
      ),
    ],
  },
  {
    name: 'lists-of-nothing',
    steps: readEach([
      '/api/v1/namespaces/absent-namespace/configmaps',
      '/api/v1/namespaces/Bad_Name/configmaps',
      '/api/v1/pods?fieldSelector=metadata.namespace%3D{{ns}}',
      '/api/v1/podtemplates',
      `${path}?pretty=true`,
      `${path}?foo=bar`,
      `${path}?timeoutSeconds=x`,
      `${path}?watch=false`,
      `${path}?watch=0`,
      `${path}?timeout=1x`,
    ]),
  },
];
