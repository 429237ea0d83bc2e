import { read, type DifferentialCase, type DifferentialStep } from '../differential-case.ts';
import { collections, readEach } from './api-objects.ts';

const { configMaps, deployments, ingresses, pods } = collections;
const root = '/apis/networking.k8s.io/v1';
const authorization = '/apis/authorization.k8s.io/v1';

function call(method: string, path: string, compares: DifferentialStep['compares'] = 'all'): DifferentialStep {
  return { method, path, compares, ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}) };
}

/** Paths and methods that are served, and those that are not. */
export const pathCases: readonly DifferentialCase[] = [
  {
    name: 'paths-that-nobody-serves',
    steps: readEach([
      ...[
        '/foo',
        '/api/v2',
        '/api/v1/foos',
        '/apis/foo',
        '/apis/foo/v1',
        '/apis/foo/v1/bars',
        '/apis/networking.k8s.io/v9',
      ],
      ...['/apis/networking.k8s.io/v9/ingresses', `${root}/foos`, `${root}/namespaces/{{ns}}/ingressclasses`],
      ...[`${root}/namespaces/{{ns}}/foos/a`, `${configMaps}/a/status`, `${configMaps}/a/b/c`, '/api/v1/configmaps/a'],
      ...['/api/v1/namespaces/{{ns}}/nodes', '/api/v1/nodes/none', '/api/v1/namespaces/none', `${configMaps}/none`],
      ...['/api//v1/configmaps', '/api/v1/namespaces/{{ns}}/', '/API/v1'],
      ...['/api/v1/Namespaces', '/healthz/foo', '/livez/foo', '/readyz/foo', '/readyz/', '/openapi', '/openapi/v4'],
      ...[
        '/openapi/v2/',
        '/openapi/v3/',
        '/openapi/v3/foo',
        '/version/foo',
        '/metrics/',
        '/swagger.json',
        '/ui',
        '/%zz',
      ],
      ...[`${configMaps}/a%2Fb`, `${configMaps}/a%20b`, `${configMaps}/%00`, '/api/v1/bindings'],
    ]),
  },
  {
    name: 'methods-of-resources',
    steps: [
      call('PUT', configMaps),
      call('POST', `${configMaps}/a`),
      call('DELETE', '/api/v1/configmaps'),
      call('POST', '/api/v1/configmaps'),
      ...['HEAD', 'OPTIONS', 'TRACE'].flatMap((method) => [call(method, configMaps), call(method, `${configMaps}/a`)]),
      call('POST', `${ingresses}/i/status`),
      call('DELETE', `${ingresses}/i/status`),
      call('POST', `${deployments}/d/scale`),
      call('DELETE', `${deployments}/d/scale`),
      call('GET', `${pods}/p/binding`),
      call('GET', `${pods}/p/eviction`),
      call('GET', '/api/v1/namespaces/{{ns}}/finalize'),
      call('PATCH', '/api/v1/namespaces/{{ns}}/finalize'),
      call('DELETE', '/api/v1/namespaces'),
      call('DELETE', `${root}/ingresses`),
      call('POST', `${root}/ingresses`),
      call('PUT', `${authorization}/selfsubjectaccessreviews`),
      call('GET', `${authorization}/selfsubjectaccessreviews`),
      call('DELETE', `${authorization}/selfsubjectaccessreviews`),
      call('GET', `${authorization}/selfsubjectaccessreviews/a`),
      call('GET', `${authorization}/localsubjectaccessreviews`),
      call('GET', `${authorization}/namespaces/{{ns}}/localsubjectaccessreviews`),
    ],
  },
  {
    name: 'methods-of-documents',
    steps: ['POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'].flatMap((method) => [
      ...['/version', '/version/', '/api', '/api/', '/api/v1', '/apis/apps/v1', '/healthz', '/livez', '/readyz/'].map(
        (path) => call(method, path),
      ),
      ...['/foo', '/api/foo', '/apis/foo', '/apis/apps/v9', '/openapi/v2/', '/openapi/v3/', '/healthz/ping'].map(
        (path) => call(method, path),
      ),
      ...[
        '/',
        '/apis',
        '/apis/',
        '/apis/apps',
        '/apis/apps/',
        '/openapi/v2',
        '/openapi/v3',
        '/openapi/v3/apis/apps/v1',
      ].map((path) => call(method, path, 'status')),
    ]),
  },
  {
    name: 'health',
    steps: [
      ...readEach(['/healthz', '/livez', '/readyz', '/healthz/ping', '/livez/ping', '/readyz/ping']),
      ...readEach(['/healthz?exclude=ping', '/livez?exclude=nope', '/healthz/', '/readyz/none', '/readyz?foo=bar']),
      ...['/healthz', '/livez', '/readyz'].map((path) => read(path, { anonymous: true })),
    ],
  },
  {
    name: 'version',
    steps: [
      read('/version', {
        ignores: ['gitVersion', 'gitCommit', 'goVersion', 'buildDate', 'compiler', 'platform', 'gitTreeState'],
      }),
      read('/version/', { compares: 'status' }),
      read('/version?timeout=1x'),
      read('/version?timeout=1h', { compares: 'status' }),
      read('/healthz?timeout=5'),
    ],
  },
  {
    name: 'discovery-of-groups',
    steps: [
      read('/api'),
      read('/apis/admissionregistration.k8s.io'),
      read('/apis/admissionregistration.k8s.io/v1', { deviation: 'webhooks' }),
      ...[
        ...['networking.k8s.io', 'policy', 'flowcontrol.apiserver.k8s.io', 'apps', 'batch'],
        ...['rbac.authorization.k8s.io', 'authorization.k8s.io', 'coordination.k8s.io', 'discovery.k8s.io'],
      ].flatMap((group) => [read(`/apis/${group}`), read(`/apis/${group}/`), read(`/apis/${group}/v1`)]),
      read('/apis', {
        headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
        compares: 'status',
      }),
      read('/api', {
        headers: {
          accept: 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
        },
        compares: 'status',
      }),
      read('/api', { headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v1;as=APIGroupDiscoveryList' } }),
    ],
  },
];
