import type { JsonObject, JsonValue } from '../../../core/meta/json.ts';
import type { Random } from './random.ts';

/** A field of an object that expressions read: how, and what type it has when it is there. */
export interface ObjectPath {
  readonly text: string;
  readonly type: string;
}

const string: JsonObject = { type: 'string' };
const integer: JsonObject = { type: 'integer' };

function makeObject(properties: JsonObject, required: string[] = []): JsonObject {
  return { type: 'object', properties, required };
}

const ports: JsonObject = {
  type: 'array',
  items: makeObject({ name: string, port: integer, protocol: string }, ['port', 'protocol']),
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['port', 'protocol'],
};

/** Schema of the objects of the generated tests. */
export const objectSchema: JsonObject = makeObject({
  apiVersion: string,
  kind: string,
  metadata: makeObject({
    name: string,
    generateName: string,
    namespace: string,
    labels: { type: 'object', additionalProperties: string },
    annotations: { type: 'object', additionalProperties: string },
    generation: integer,
  }),
  spec: makeObject({
    replicas: integer,
    maxReplicas: integer,
    weight: { type: 'number' },
    enabled: { type: 'boolean' },
    image: string,
    memory: string,
    ports,
    otherPorts: ports,
    args: { type: 'array', items: string },
    zones: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
    otherZones: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
    counts: { type: 'array', items: integer },
    limits: { type: 'object', additionalProperties: integer },
    selector: makeObject({ matchLabels: { type: 'object', additionalProperties: string } }),
  }),
});

/** What of the objects expressions read. `root` is the variable. */
export function listPaths(root: string): readonly ObjectPath[] {
  const paths: Readonly<Record<string, string>> = {
    apiVersion: 'string',
    kind: 'string',
    'metadata.name': 'string',
    'metadata.namespace': 'string',
    'metadata.labels': 'map(string, string)',
    'metadata.annotations': 'map(string, string)',
    'metadata.labels.app': 'string',
    "metadata.labels['tier']": 'string',
    'metadata.generation': 'int',
    'spec.replicas': 'int',
    'spec.maxReplicas': 'int',
    'spec.weight': 'double',
    'spec.enabled': 'bool',
    'spec.image': 'string',
    'spec.memory': 'string',
    'spec.ports[0].port': 'int',
    'spec.ports[1].name': 'string',
    'spec.ports[0].protocol': 'string',
    'spec.args': 'list(string)',
    'spec.args[1]': 'string',
    'spec.zones': 'list(string)',
    'spec.otherZones': 'list(string)',
    'spec.counts': 'list(int)',
    'spec.counts[0]': 'int',
    'spec.limits': 'map(string, int)',
    'spec.limits.cpu': 'int',
    "spec.limits['memory']": 'int',
    'spec.selector.matchLabels': 'map(string, string)',
    'spec.ports.size()': 'int',
    'spec.ports.map(p, p.port)': 'list(int)',
    'spec.ports.exists(p, p.port > 100)': 'bool',
    'spec.ports == $.spec.otherPorts': 'bool',
    '(spec.ports + $.spec.otherPorts).size()': 'int',
    '(spec.ports + $.spec.otherPorts)[0].port': 'int',
    '(spec.ports + $.spec.ports) == $.spec.ports': 'bool',
    "(spec.zones + ['z', 'z']) == (['z'] + $.spec.zones)": 'bool',
    "(spec.zones + ['z']) + ['z', 'a']": 'list(string)',
    '(spec.zones + $.spec.otherZones) == ($.spec.otherZones + $.spec.zones)': 'bool',
    '?metadata.?labels[?"app"]': 'optional_type(string)',
    '?spec.?replicas': 'optional_type(int)',
  };
  return [
    ...Object.entries(paths).map(([path, type]) => ({
      text: (path.startsWith('(') ? `(${root}.${path.slice(1)}` : `${root}.${path}`).replaceAll('$', root),
      type,
    })),
    ...['metadata.labels', 'spec.replicas', 'spec.ports', 'spec.selector.matchLabels.app'].map((path) => ({
      text: `has(${root}.${path})`,
      type: 'bool',
    })),
  ];
}

function pickSome<T>(random: Random, items: readonly T[]): T[] {
  return items.filter(() => random.chance(0.5));
}

function makePorts(random: Random): JsonValue[] {
  return pickSome(random, [80, 443, 8080, 9090]).map((port) => ({
    ...(random.chance(0.8) && { name: `p${port}` }),
    port,
    protocol: random.pick(['TCP', 'UDP']),
  }));
}

function makeLabels(random: Random): JsonObject {
  return Object.fromEntries(
    pickSome(random, ['app', 'tier', 'env', 'team']).map((key) => [key, random.pick(['web', 'db', 'prod', '', 'a'])]),
  );
}

/** An object of the schema, in which anything may be missing. */
export function makeObjectValue(random: Random): JsonObject {
  const maybe = (name: string, value: JsonValue, probability = 0.8): JsonObject =>
    random.chance(probability) ? { [name]: value } : {};
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: {
      name: random.pick(['web-1', 'db', 'x']),
      ...maybe('namespace', random.pick(['default', 'kube-system'])),
      ...maybe('labels', makeLabels(random)),
      ...maybe('annotations', { note: 'a,b,c', 'example.com/x': '10.0.0.1' }),
      ...maybe('generation', random.below(5)),
    },
    ...maybe(
      'spec',
      {
        ...maybe('replicas', random.pick([0, 1, 3, 50])),
        ...maybe('maxReplicas', random.pick([1, 10, 100])),
        ...maybe('weight', random.pick([0.5, 1.25, 99.5])),
        ...maybe('enabled', random.chance(0.5)),
        ...maybe('image', random.pick(['nginx:1.25', 'registry.example.com/team/app@sha256:abc', 'redis'])),
        ...maybe('memory', random.pick(['512Mi', '1Gi', 'lots', '1.5'])),
        ...maybe('ports', makePorts(random)),
        ...maybe('otherPorts', makePorts(random)),
        ...maybe('args', pickSome(random, ['--a', '--b=1', 'c', 'c'])),
        ...maybe('zones', pickSome(random, ['a', 'b', 'c'])),
        ...maybe('otherZones', pickSome(random, ['c', 'b', 'a'])),
        ...maybe('counts', pickSome(random, [1, 2, 3, 5, 8, -1])),
        ...maybe('limits', { cpu: 2, ...maybe('memory', 4) }),
        ...maybe('selector', { matchLabels: makeLabels(random) }),
      },
      0.95,
    ),
  };
}
