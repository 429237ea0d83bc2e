/** One request that is wrong in some way, as the bytes that go over the wire. */
export interface BadRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

const json = { 'content-type': 'application/json' };
const yaml = { 'content-type': 'application/yaml' };
const patchTypes = {
  json: { 'content-type': 'application/json-patch+json' },
  merge: { 'content-type': 'application/merge-patch+json' },
  strategic: { 'content-type': 'application/strategic-merge-patch+json' },
  apply: { 'content-type': 'application/apply-patch+yaml' },
};

/** Namespace of every request; it holds the objects of {@link livePaths}. */
export const namespace = 'bad-input';
/** The collection that most requests are about. */
export const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const quotas = `/api/v1/namespaces/${namespace}/resourcequotas`;
const policies = `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`;
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;

/** What exists before the first request: collection and body. */
export const liveObjects: readonly (readonly [string, object])[] = [
  ['/api/v1/namespaces', { metadata: { name: namespace } }],
  [configMaps, { metadata: { name: 'live', labels: { a: 'b' } }, data: { a: 'b' } }],
  [
    policies,
    {
      metadata: { name: 'live' },
      spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 80 }] }] },
    },
  ],
  [
    deployments,
    {
      metadata: { name: 'live' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
  ],
];

function makeBytes(before: string, bytes: readonly number[], after: string): Uint8Array {
  return Uint8Array.from([...Buffer.from(before), ...bytes, ...Buffer.from(after)]);
}

/** The text of a config map with some further members. */
export function makeConfigMap(members: string, meta = '"name":"bad"'): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{${meta}}${members === '' ? '' : `,${members}`}}`;
}

function nest(depth: number, open: string, close: string): string {
  return open.repeat(depth) + close.repeat(depth);
}

const strict = '?dryRun=All&fieldValidation=Strict';
const dryRun = '?dryRun=All';

function listCreates(): BadRequest[] {
  const bodies: readonly (readonly [string, string | Uint8Array])[] = [
    ['an empty body', ''],
    ['a body of spaces', '   '],
    ['an open brace', '{'],
    ['text after the object', `${makeConfigMap('')}x`],
    ['two objects', makeConfigMap('') + makeConfigMap('')],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['a number', '1'],
    ['a trailing comma', '{"metadata":{"name":"bad",}}'],
    ['a comment', '/* x */{}'],
    ['single quotes', "{'metadata':{}}"],
    ['NaN', makeConfigMap('"data":{"a":NaN}')],
    ['a number with a leading zero', makeConfigMap('"data":{"a":01}')],
    ['a bad escape', makeConfigMap('"data":{"a":"\\x"}')],
    ['a control character', makeConfigMap('"data":{"a":"\u0001"}')],
    ['a lone surrogate', makeConfigMap('"data":{"a":"\\ud800"}')],
    ['a byte order mark', `\ufeff${makeConfigMap('')}`],
    ['an apiVersion that is a number', '{"apiVersion":1}'],
    ['a kind that is an object', '{"kind":{}}'],
    ['an unknown kind', '{"apiVersion":"v1","kind":"Nothing","metadata":{"name":"bad"}}'],
    ['another kind', '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"bad"}}'],
    ['another version', '{"apiVersion":"v9","kind":"ConfigMap","metadata":{"name":"bad"}}'],
    ['an apiVersion with two slashes', '{"apiVersion":"a/b/c","kind":"ConfigMap","metadata":{"name":"bad"}}'],
    ['unknown fields', makeConfigMap('"foo":1', '"name":"bad","bar":{}')],
    ['a field in other case', makeConfigMap('"Data":{}')],
    ['duplicate keys', makeConfigMap('"data":{"a":"1"},"data":{"b":"2"}')],
    ['duplicate keys of a map', makeConfigMap('"data":{"a":"1","a":"2"}')],
    ['unknown and duplicate keys', makeConfigMap('"foo":1,"foo":2,"data":{},"data":{}')],
    ['metadata that is an array', '{"metadata":[]}'],
    ['metadata that is null', '{"metadata":null}'],
    ['a name that is a number', makeConfigMap('', '"name":1')],
    ['labels that are an array', makeConfigMap('', '"name":"bad","labels":[]')],
    ['a label that is a number', makeConfigMap('', '"name":"bad","labels":{"a":1}')],
    ['a label that is null', makeConfigMap('', '"name":"bad","labels":{"a":null}')],
    ['data that is an array', makeConfigMap('"data":[]')],
    ['a datum that is a number', makeConfigMap('"data":{"a":1}')],
    ['a boolean that is a string', makeConfigMap('"immutable":"yes"')],
    ['a generation that is no integer', makeConfigMap('', '"name":"bad","generation":1.5')],
    ['a generation written as a float', makeConfigMap('', '"name":"bad","generation":1.0')],
    ['a generation beyond 64 bits', makeConfigMap('', '"name":"bad","generation":99999999999999999999')],
    ['a generation with a huge exponent', makeConfigMap('', '"name":"bad","generation":1e999999')],
    ['a time that is none', makeConfigMap('', '"name":"bad","creationTimestamp":"yesterday"')],
    ['a time that is a number', makeConfigMap('', '"name":"bad","creationTimestamp":1')],
    ['base64 that is none', makeConfigMap('"binaryData":{"a":"***"}')],
    ['finalizers that are numbers', makeConfigMap('', '"name":"bad","finalizers":[1]')],
    ['owner references that are an object', makeConfigMap('', '"name":"bad","ownerReferences":{}')],
    ['__proto__ as a field', makeConfigMap('"__proto__":{"data":{"a":"b"}}')],
    ['__proto__ in metadata', makeConfigMap('', '"name":"bad","__proto__":{"namespace":"other"}')],
    ['constructor and toString as fields', makeConfigMap('"constructor":{"prototype":{}},"toString":1')],
    ['__proto__ as a datum', makeConfigMap('"data":{"__proto__":"a","constructor":"b","toString":"c"}')],
    ['__proto__ as a label', makeConfigMap('', '"name":"bad","labels":{"__proto__":"a"}')],
    ['constructor as a label', makeConfigMap('', '"name":"bad","labels":{"constructor":"a","toString":"b"}')],
    ['__proto__ as a name', makeConfigMap('', '"name":"__proto__"')],
    ['constructor as a name', makeConfigMap('', '"name":"constructor"')],
    ['a name with a slash', makeConfigMap('', '"name":"a/b"')],
    ['a name of 300 characters', makeConfigMap('', `"name":"${'a'.repeat(300)}"`)],
    ['no name', makeConfigMap('', '')],
    ['another namespace', makeConfigMap('', '"name":"bad","namespace":"other"')],
    ['arrays 5,000 deep', makeConfigMap(`"foo":${nest(5_000, '[', ']')}`)],
    ['arrays 20,000 deep', makeConfigMap(`"foo":${nest(20_000, '[', ']')}`)],
    ['objects 9,000 deep', `{"metadata":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`],
    ['objects 2,000,000 deep, never closed', '{"a":'.repeat(500_000)],
    ['two million open brackets', '['.repeat(2_000_000)],
    [
      '20,000 labels',
      makeConfigMap('', `"name":"bad","labels":{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":"v"`).join(',')}}`),
    ],
    ['annotations beyond 256 KiB', makeConfigMap('', `"name":"bad","annotations":{"a":"${'x'.repeat(300_000)}"}`)],
    ['data beyond 1 MiB', makeConfigMap(`"data":{"a":"${'x'.repeat(1_100_000)}"}`)],
    ['a body of 4 MB', makeConfigMap(`"data":{"a":"${'x'.repeat(4_000_000)}"}`)],
    ['4 MB of spaces', ' '.repeat(4_000_000)],
    ['4 MB of nothing sensible', 'x'.repeat(4_000_000)],
    ['invalid UTF-8 in a datum', makeBytes('{"metadata":{"name":"bad"},"data":{"a":"', [0xff, 0xfe], '"}}')],
    ['invalid UTF-8 in a label', makeBytes('{"metadata":{"name":"bad","labels":{"a":"', [0xff], '"}}}')],
    ['invalid UTF-8 in a key', makeBytes('{"metadata":{"name":"bad"},"data":{"', [0xe2, 0x82], '":"a"}}')],
    ['invalid UTF-8 in a name', makeBytes('{"metadata":{"name":"', [0xc3, 0x28], '"}}')],
    ['invalid UTF-8 outside a string', makeBytes('{', [0xff], '}')],
    ['a zero byte', makeBytes('{', [0], '}')],
    ['random bytes', makeBytes('', [0x1f, 0x8b, 8, 0, 0, 0, 0, 0], '')],
  ];
  return bodies.flatMap(([name, body]) => [
    { name: `POST with strict validation: ${name}`, method: 'POST', path: configMaps + strict, headers: json, body },
    { name: `POST: ${name}`, method: 'POST', path: configMaps + dryRun, headers: json, body },
  ]);
}

function listYamlBodies(): BadRequest[] {
  const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\n';
  const bodies: readonly (readonly [string, string | Uint8Array])[] = [
    ['an empty body', ''],
    ['plain text', 'just text'],
    ['a list', '- a\n'],
    ['an open brace', `${head}data: {x: y`],
    ['a tab for indentation', `${head}data:\n\tx: y`],
    ['nested mappings on a line', 'a: b: c'],
    ['an unknown alias', `${head}data: {x: *b}`],
    ['an anchor in itself', `${head}data: &a {x: *a}`],
    ['a list as a key', `${head}data: {? [a] : x}`],
    ['null as a key', `${head}data: {null: x}`],
    ['duplicate keys', `${head}data: {a: x, a: z}`],
    ['a yes that is a boolean', `${head}data: {a: yes}`],
    ['infinity', `${head}data: {a: .inf}`],
    [
      'aliases that multiply',
      `${head}${['a0: &a0 [x,x,x,x,x,x,x,x,x]', ...Array.from({ length: 8 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array.from({ length: 9 }, () => `*a${i}`).join(',')}]`)].join('\n')}`,
    ],
    ['20,000 brackets', `${head}foo: ${nest(20_000, '[', ']')}`],
    ['invalid UTF-8', makeBytes(`${head}data: {a: '`, [0xff], "'}")],
    ['a zero byte', makeBytes(head, [0], '')],
    ['__proto__ as a key', `${head}__proto__: {data: {a: b}}`],
    ['4 MB', `${head}data: {a: ${'x'.repeat(4_000_000)}}`],
  ];
  return bodies.map(([name, body]) => ({
    name: `POST of YAML with strict validation: ${name}`,
    method: 'POST',
    path: configMaps + strict,
    headers: yaml,
    body,
  }));
}

function listOtherKinds(): BadRequest[] {
  const quota = (spec: string): string => `{"metadata":{"name":"bad"},"spec":${spec}}`;
  const policy = (spec: string): string => `{"metadata":{"name":"bad"},"spec":${spec}}`;
  const rows: readonly (readonly [string, string, string])[] = [
    ['a quantity that is none', quotas, quota('{"hard":{"cpu":"many"}}')],
    ['a quantity that is an object', quotas, quota('{"hard":{"cpu":{}}}')],
    ['a quantity that is a boolean', quotas, quota('{"hard":{"cpu":true}}')],
    ['an empty quantity', quotas, quota('{"hard":{"cpu":""}}')],
    ['a negative quantity', quotas, quota('{"hard":{"pods":"-1"}}')],
    ['hard that is an array', quotas, quota('{"hard":[]}')],
    ['scopes that are a string', quotas, quota('{"scopes":"x"}')],
    ['__proto__ as a resource', quotas, quota('{"hard":{"__proto__":"1"}}')],
    ['constructor as a resource', quotas, quota('{"hard":{"constructor":"1"}}')],
    ['a spec that is a string', quotas, quota('"x"')],
    ['a spec that is null', quotas, quota('null')],
    ['a port that is a boolean', policies, policy('{"podSelector":{},"ingress":[{"ports":[{"port":true}]}]}')],
    ['a port that is no integer', policies, policy('{"podSelector":{},"ingress":[{"ports":[{"port":1.5}]}]}')],
    ['a port beyond 32 bits', policies, policy('{"podSelector":{},"ingress":[{"ports":[{"port":99999999999}]}]}')],
    ['a port out of range', policies, policy('{"podSelector":{},"ingress":[{"ports":[{"port":70000}]}]}')],
    ['an unknown operator', policies, policy('{"podSelector":{"matchExpressions":[{"key":"a","operator":"Near"}]}}')],
    ['ingress that is an object', policies, policy('{"podSelector":{},"ingress":{}}')],
    ['a null rule', policies, policy('{"podSelector":{},"ingress":[null]}')],
    ['a null peer', policies, policy('{"podSelector":{},"ingress":[{"from":[null]}]}')],
    ['an unknown field deep inside', policies, policy('{"podSelector":{},"ingress":[{"from":[{"pods":{}}]}]}')],
    ['a wrong CIDR', policies, policy('{"podSelector":{},"ingress":[{"from":[{"ipBlock":{"cidr":"x"}}]}]}')],
    [
      'constructor as a selector',
      policies,
      policy('{"podSelector":{"matchLabels":{"constructor":"x","__proto__":"y"}}}'),
    ],
  ];
  return rows.map(([name, path, body]) => ({
    name: `POST with strict validation: ${name}`,
    method: 'POST',
    path: path + strict,
    headers: json,
    body,
  }));
}

function listPatches(): BadRequest[] {
  const configMap = `${configMaps}/live`;
  const deployment = `${deployments}/live`;
  const operations = Array.from({ length: 10_001 }, () => '{"op":"test","path":"/kind","value":"ConfigMap"}');
  const rows: readonly (readonly [keyof typeof patchTypes, string, string])[] = [
    ['json', configMap, ''],
    ['json', configMap, 'x'],
    ['json', configMap, '{}'],
    ['json', configMap, '[1]'],
    ['json', configMap, '[null]'],
    ['json', configMap, '[{}]'],
    ['json', configMap, '[{"op":1,"path":"/data"}]'],
    ['json', configMap, '[{"op":"jump","path":"/data"}]'],
    ['json', configMap, '[{"op":"add"}]'],
    ['json', configMap, '[{"op":"add","path":"data","value":1}]'],
    ['json', configMap, '[{"op":"add","path":"/x/y","value":1}]'],
    ['json', configMap, '[{"op":"add","path":"/__proto__/x","value":1}]'],
    ['json', configMap, '[{"op":"add","path":"/constructor/prototype/x","value":1}]'],
    ['json', configMap, '[{"op":"add","path":"/data/__proto__","value":"x"}]'],
    ['json', configMap, '[{"op":"add","path":"/data/a","value":1}]'],
    ['json', configMap, '[{"op":"add","path":"/metadata","value":[]}]'],
    ['json', configMap, '[{"op":"remove","path":"/toString"}]'],
    ['json', configMap, '[{"op":"remove","path":""}]'],
    ['json', configMap, '[{"op":"test","path":"/data/a","value":"z"}]'],
    ['json', configMap, '[{"op":"replace","path":"/data/a","value":"z","foo":1}]'],
    ['json', configMap, '[{"op":"move","from":"/nope","path":"/data/b"}]'],
    ['json', configMap, `[${operations.join(',')}]`],
    ['json', configMap, `[{"op":"add","path":"/foo","value":${nest(9_000, '[', ']')}}]`],
    ['json', configMap, nest(20_000, '[', ']')],
    ['merge', configMap, ''],
    ['merge', configMap, 'x'],
    ['merge', configMap, '[]'],
    ['merge', configMap, 'null'],
    ['merge', configMap, '{"data":{"a":1}}'],
    ['merge', configMap, '{"data":[]}'],
    ['merge', configMap, '{"foo":1,"foo":2}'],
    ['merge', configMap, '{"metadata":null}'],
    ['merge', configMap, '{"metadata":{"name":"other"}}'],
    ['merge', configMap, '{"kind":"Secret"}'],
    ['merge', configMap, '{"apiVersion":"x/y/z"}'],
    ['merge', configMap, '{"__proto__":{"data":{"a":"z"}},"data":{"__proto__":"x"}}'],
    ['merge', configMap, `{"foo":${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}}`],
    ['merge', configMap, `{"foo":${nest(20_000, '[', ']')}}`],
    ['merge', configMap, `{"data":{"a":"${'x'.repeat(4_000_000)}"}}`],
    ['strategic', deployment, ''],
    ['strategic', deployment, 'x'],
    ['strategic', deployment, '[]'],
    ['strategic', deployment, '{"spec":{"replicas":"x"}}'],
    ['strategic', deployment, '{"spec":{"template":[]}}'],
    ['strategic', deployment, '{"spec":{"foo":{"a":1}}}'],
    ['strategic', deployment, '{"spec":{"$retainKeys":1}}'],
    ['strategic', deployment, '{"spec":{"template":{"spec":{"$setElementOrder":[]}}}}'],
    ['strategic', deployment, '{"spec":{"template":{"metadata":{"$deleteFromPrimitiveList":["x"]}}}}'],
    ['strategic', deployment, '{"$patch":"delete"}'],
    ['strategic', deployment, '{"__proto__":{"spec":null},"spec":{"__proto__":{"replicas":7}}}'],
    ['strategic', deployment, `{"foo":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`],
    ['strategic', deployment, '{"spec":{"template":{"spec":{"containers":[{"image":"x"}]}}}}'],
    ['strategic', deployment, '{"spec":{"template":{"spec":{"containers":[null]}}}}'],
    ['strategic', deployment, '{"spec":{"$patch":"jump"}}'],
    ['strategic', deployment, '{"spec":{"template":{"spec":{"$setElementOrder/containers":1}}}}'],
    ['strategic', deployment, '{"spec":{"template":{"spec":{"$setElementOrder/foo":[]}}}}'],
    ['apply', configMap, ''],
    ['apply', configMap, 'x: ['],
    ['apply', configMap, '- a'],
    ['apply', configMap, 'apiVersion: v1\nkind: ConfigMap\ndata: {a: 1}'],
    ['apply', configMap, 'apiVersion: v1\nkind: ConfigMap\nfoo: 1'],
    ['apply', configMap, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}'],
    ['apply', configMap, 'apiVersion: v1\nkind: Secret'],
    ['apply', configMap, 'kind: ConfigMap'],
    ['apply', configMap, `apiVersion: v1\nkind: ConfigMap\nfoo: ${nest(20_000, '[', ']')}`],
  ];
  return rows.map(([type, path, body]) => ({
    name: `PATCH (${type}): ${body.length > 90 ? `${body.slice(0, 60)}… of ${body.length}` : body}`,
    method: 'PATCH',
    path: path + strict + (type === 'apply' ? '&fieldManager=bad' : ''),
    headers: patchTypes[type],
    body,
  }));
}

/** Requests with bad bodies; none of them changes an object that another one needs. */
export const badBodies: readonly BadRequest[] = [
  ...listCreates(),
  ...listYamlBodies(),
  ...listOtherKinds(),
  ...listPatches(),
];
