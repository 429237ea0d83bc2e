import type { JsonObject } from '../../../../core/meta/json.ts';
import type { RuleCase } from '../../../rule-case.ts';

function ingress(spec: JsonObject, more: JsonObject = {}): JsonObject {
  const metadata = { name: 'rule', ...(more['metadata'] as JsonObject | undefined) };
  return { apiVersion: 'networking.{domain}/v1', kind: 'Ingress', ...more, metadata, spec };
}

const service = { service: { name: 'web', port: { number: 80 } } };
const backend = (value: JsonObject): JsonObject => ingress({ defaultBackend: value });
const rules = (...values: JsonObject[]): JsonObject => ingress({ rules: values });
const host = (name: string): JsonObject => rules({ host: name });
const path = (value: JsonObject): JsonObject => rules({ http: { paths: [{ backend: service, ...value }] } });
const prefix = (text: string): JsonObject => path({ path: text, pathType: 'Prefix' });
const tls = (...values: JsonObject[]): JsonObject => ingress({ defaultBackend: service, tls: values });
const withPort = (port: JsonObject): JsonObject => backend({ service: { name: 'web', port } });
const resource = (value: JsonObject): JsonObject => backend({ resource: value });
const status = (...points: JsonObject[]): JsonObject =>
  ingress({ defaultBackend: service }, { status: { loadBalancer: { ingress: points } } });

const PATH = 'spec.rules[0].http.paths[0]';
const BACKEND = 'spec.defaultBackend';
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const WILDCARD =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case " +
  "alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for " +
  "validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end " +
  "with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

function invalid(rule: string, spec: string, pair: [JsonObject, JsonObject], field: string, message: string): RuleCase {
  const [accepted, rejected] = pair;
  const text = `Invalid value: ${message}`;
  return { rule: `Ingress.${rule}`, spec, accepted, rejected, field, type: 'FieldValueInvalid', message: text };
}

function required(rule: string, spec: string, pair: [JsonObject, JsonObject], field: string, detail = ''): RuleCase {
  const [accepted, rejected] = pair;
  const message = detail === '' ? 'Required value' : `Required value: ${detail}`;
  return { rule: `Ingress.${rule}`, spec, accepted, rejected, field, type: 'FieldValueRequired', message };
}

/** The rules of Ingress. */
export const ingressRules: readonly RuleCase[] = [
  invalid('spec.defaultBackend.required', 'Ingress defaultBackend', [backend(service), ingress({})], 'spec',
    'null: either `defaultBackend` or `rules` must be specified'),
  invalid('spec.ingressClassName', 'Ingress ingressClassName',
    [
      ingress({ ingressClassName: 'nginx.example', defaultBackend: service }),
      ingress({ ingressClassName: 'Not Valid', defaultBackend: service }),
    ],
    'spec.ingressClassName', `"Not Valid": ${SUBDOMAIN}`),
  invalid('annotations.class', 'Ingress ingressClassName',
    [
      ingress(
        { ingressClassName: 'a', defaultBackend: service },
        { metadata: { annotations: { 'kubernetes.io/ingress.class': 'a' } } },
      ),
      ingress(
        { ingressClassName: 'a', defaultBackend: service },
        { metadata: { annotations: { 'kubernetes.io/ingress.class': 'b' } } },
      ),
    ],
    'annotations.kubernetes.io/ingress.class', '"b": must match `ingressClassName` when both are specified'),
  {
    rule: 'Ingress.annotations.class.alone',
    spec: 'Ingress ingressClassName',
    accepted: ingress({ defaultBackend: service }, { metadata: { annotations: { 'kubernetes.io/ingress.class': 'b' } } }),
  },
  invalid('spec.rules.host', 'IngressRule host', [host('foo.example.com'), host('foo.example.com.')],
    'spec.rules[0].host', `"foo.example.com.": ${SUBDOMAIN}`),
  invalid('spec.rules.host.port', 'IngressRule host', [host('foo'), host('foo.example.com:80')],
    'spec.rules[0].host', `"foo.example.com:80": ${SUBDOMAIN}`),
  invalid('spec.rules.host.ip', 'IngressRule host', [host('ten.example'), host('10.0.0.1')],
    'spec.rules[0].host', '"10.0.0.1": must be a DNS name, not an IP address'),
  invalid('spec.rules.host.wildcard', 'IngressRule host', [host('*.foo.com'), host('foo.*.com')],
    'spec.rules[0].host', `"foo.*.com": ${WILDCARD}`),
  invalid('spec.rules.host.wildcard-alone', 'IngressRule host', [host('*.foo'), host('*')],
    'spec.rules[0].host', `"*": ${WILDCARD}`),
  {
    rule: 'Ingress.spec.rules.host.unspecified',
    spec: 'IngressRule host',
    accepted: rules({ http: { paths: [{ pathType: 'Exact', path: '/', backend: service }] } }),
  },
  required('spec.rules.http.paths', 'IngressRule http.paths',
    [prefix('/'), rules({ http: { paths: [] } })], 'spec.rules[0].http.paths'),
  required('spec.rules.http.paths.pathType.required', 'HTTPIngressPath pathType',
    [path({ pathType: 'ImplementationSpecific' }), path({ path: '/' })], `${PATH}.pathType`, 'pathType must be specified'),
  {
    rule: 'Ingress.spec.rules.http.paths.pathType',
    spec: 'HTTPIngressPath pathType',
    accepted: path({ path: '/', pathType: 'Exact' }),
    rejected: path({ path: '/', pathType: 'Regex' }),
    field: `${PATH}.pathType`,
    type: 'FieldValueNotSupported',
    message: 'Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"',
  },
  invalid('spec.rules.http.paths.path.required', 'HTTPIngressPath path',
    [path({ pathType: 'ImplementationSpecific' }), path({ pathType: 'Exact' })], `${PATH}.path`,
    '"": must be an absolute path'),
  invalid('spec.rules.http.paths.path.absolute', 'HTTPIngressPath path', [prefix('/foo'), prefix('foo')],
    `${PATH}.path`, '"foo": must be an absolute path'),
  invalid('spec.rules.http.paths.path.absolute-implementation', 'HTTPIngressPath path',
    [
      path({ path: '/a//b/../c', pathType: 'ImplementationSpecific' }),
      path({ path: 'foo', pathType: 'ImplementationSpecific' }),
    ],
    `${PATH}.path`, '"foo": must be an absolute path'),
  ...['//', '/./', '/../', '%2f', '%2F'].map((sequence) =>
    invalid(`spec.rules.http.paths.path.sequence.${sequence}`, 'Kubernetes 1.34',
      [prefix('/foo/bar'), prefix(`/foo${sequence}bar`)],
      `${PATH}.path`, `"/foo${sequence}bar": must not contain '${sequence}'`)),
  ...['/..', '/.'].map((suffix) =>
    invalid(`spec.rules.http.paths.path.suffix.${suffix}`, 'Kubernetes 1.34', [prefix('/foo.'), prefix(`/foo${suffix}`)],
      `${PATH}.path`, `"/foo${suffix}": cannot end with '${suffix}'`)),
  invalid('spec.backend.required', 'HTTPIngressPath backend',
    [prefix('/'), path({ path: '/', pathType: 'Prefix', backend: {} })],
    `${PATH}.backend`, '"": resource or service backend is required'),
  invalid('spec.backend.exclusive', 'IngressBackend resource',
    [resource({ apiGroup: 'example.com', kind: 'Bucket', name: 'b' }),
      backend({ ...service, resource: { kind: 'Bucket', name: 'b' } })],
    BACKEND, '"": cannot set both resource and service backends'),
  required('spec.backend.service.name.required', 'IngressBackend service.name',
    [backend(service), backend({ service: { port: { number: 80 } } })], `${BACKEND}.service.name`),
  invalid('spec.backend.service.name', 'IngressBackend service.name',
    [backend(service), backend({ service: { name: '1web', port: { number: 80 } } })],
    `${BACKEND}.service.name`, `"1web": ${LABEL_1035}`),
  invalid('spec.backend.service.port.exclusive', 'IngressBackend service.port.name',
    [withPort({ name: 'http' }), withPort({ name: 'http', number: 80 })],
    BACKEND, '"": cannot set both port name & port number'),
  required('spec.backend.service.port.required', 'IngressBackend service.port',
    [withPort({ number: 80 }), withPort({})], BACKEND, 'port name or number is required'),
  invalid('spec.backend.service.port.name', 'IngressBackend service.port.name',
    [withPort({ name: 'http' }), withPort({ name: '80' })],
    `${BACKEND}.service.port.name`, '"80": must contain at least one letter (a-z)'),
  invalid('spec.backend.service.port.number', 'IngressBackend service.port.number',
    [withPort({ number: 65535 }), withPort({ number: 65536 })],
    `${BACKEND}.service.port.number`, '65536: must be between 1 and 65535, inclusive'),
  required('spec.backend.resource.kind', 'IngressBackend resource',
    [resource({ kind: 'Bucket', name: 'b' }), resource({ name: 'b' })], `${BACKEND}.resource.kind`),
  required('spec.backend.resource.name', 'IngressBackend resource',
    [resource({ kind: 'Bucket', name: 'b' }), resource({ kind: 'Bucket' })], `${BACKEND}.resource.name`),
  invalid('spec.backend.resource.apiGroup', 'IngressBackend resource',
    [resource({ apiGroup: 'example.com', kind: 'Bucket', name: 'b' }),
      resource({ apiGroup: 'Example', kind: 'Bucket', name: 'b' })],
    `${BACKEND}.resource.apiGroup`, `"Example": ${SUBDOMAIN}`),
  invalid('spec.backend.resource.kind.segment', 'IngressBackend resource',
    [resource({ kind: 'Bucket', name: 'b' }), resource({ kind: 'a/b', name: 'b' })],
    `${BACKEND}.resource.kind`, `"a/b": may not contain '/'`),
  {
    rule: 'Ingress.spec.backend.resource.apiGroup.absent',
    spec: 'Kubernetes 1.34',
    accepted: resource({ kind: 'Bucket', name: 'b' }),
    effect: { path: 'spec.defaultBackend.resource.apiGroup', value: null },
  },
  invalid('spec.tls.hosts', 'IngressTLS hosts', [tls({ hosts: ['foo.com', '*.foo.com'] }), tls({ hosts: ['Foo'] })],
    'spec.tls[0].hosts[0]', `"Foo": ${SUBDOMAIN}`),
  invalid('spec.tls.hosts.wildcard', 'IngressTLS hosts', [tls({ hosts: ['*.foo.com'] }), tls({ hosts: ['a.*.com'] })],
    'spec.tls[0].hosts[0]', `"a.*.com": ${WILDCARD}`),
  invalid('spec.tls.secretName', 'IngressTLS secretName', [tls({ secretName: 'cert' }), tls({ secretName: 'Cert' })],
    'spec.tls[0].secretName', `"Cert": ${SUBDOMAIN}`),
  {
    rule: 'Ingress.spec.tls.secretName.absent',
    spec: 'IngressTLS secretName',
    accepted: tls({ hosts: ['foo.com'] }),
  },
  {
    ...invalid('status.loadBalancer.ingress.ip', 'Ingress status ip', [status({ ip: '10.0.0.1' }), status({ ip: 'ten' })],
      'status.loadBalancer.ingress[0].ip', '"ten": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'),
    old: backend(service),
    subresource: 'status',
  },
  {
    ...invalid('status.loadBalancer.ingress.hostname', 'Ingress status hostname',
      [status({ hostname: 'lb.example.com' }), status({ hostname: '10.0.0.1' })],
      'status.loadBalancer.ingress[0].hostname', '"10.0.0.1": must be a DNS name, not an IP address'),
    old: backend(service),
    subresource: 'status',
  },
  {
    ...invalid('status.loadBalancer.ingress.hostname.name', 'Ingress status hostname',
      [status({ hostname: 'lb' }), status({ hostname: 'LB' })],
      'status.loadBalancer.ingress[0].hostname', `"LB": ${SUBDOMAIN}`),
    old: backend(service),
    subresource: 'status',
  },
  {
    rule: 'Ingress.status.loadBalancer.ingress.ports',
    spec: 'Ingress status ports',
    old: backend(service),
    subresource: 'status',
    accepted: status({ ip: '10.0.0.1', ports: [{ port: 443, protocol: 'TCP', error: 'NoRoute' }] }),
    effect: { path: 'status.loadBalancer.ingress.0.ports.0.port', value: 443 },
  },
];
