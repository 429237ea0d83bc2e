import type { OracleRequest, OracleVariable } from '../../oracle/oracle-protocol.ts';
import { listPaths, makeObjectValue, objectSchema, type ObjectPath } from './objects.ts';
import { Random } from './random.ts';

/** Where expressions are evaluated: what they may name, with values. */
export interface World {
  readonly name: string;
  readonly request: Omit<OracleRequest, 'expression'>;
  /** Variables and fields by which an expression gets a value of a type. */
  readonly names: readonly ObjectPath[];
  readonly paths: readonly ObjectPath[];
}

const scalars: Readonly<Record<string, OracleVariable>> = {
  i: { type: 'int', value: { int: '7' } },
  u: { type: 'uint', value: { uint: '3' } },
  d: { type: 'double', value: { double: 2.5 } },
  s: { type: 'string', value: { string: 'Hello World' } },
  b: { type: 'bool', value: { bool: true } },
  by: { type: 'bytes', value: { bytes: 'YWJj' } },
  ts: { type: 'google.protobuf.Timestamp', value: { timestamp: '2023-11-14T22:13:20.5Z' } },
  dur: { type: 'google.protobuf.Duration', value: { duration: '5400000000000' } },
  li: { type: 'list(int)', value: { list: [{ int: '3' }, { int: '1' }, { int: '2' }] } },
  ls: { type: 'list(string)', value: { list: [{ string: 'b' }, { string: 'a' }] } },
  ld: { type: 'list(double)', value: { list: [{ double: 1.5 }, { double: 'NaN' }] } },
  m: { type: 'map(string, int)', value: { map: [[{ string: 'key' }, { int: '1' }]] } },
  mi: {
    type: 'map(int, string)',
    value: {
      map: [
        [{ int: '1' }, { string: 'one' }],
        [{ int: '2' }, { string: 'two' }],
      ],
    },
  },
  o: { type: 'optional_type(int)', value: { optional: { int: '5' } } },
  none: { type: 'optional_type(string)', value: { optional: null } },
  x: { type: 'dyn', value: { string: 'dynamic' } },
  missing: { type: 'int' },
  // Long enough for what is charged by the tenth of a character, and by the item.
  long: { type: 'string', value: { string: 'The quick bröwn fox 日本 jumps over the lazy dog, '.repeat(20) } },
  many: {
    type: 'list(int)',
    value: { list: Array.from({ length: 90 }, (_, i) => ({ int: String((i * 7919) % 101) })) },
  },
  words: {
    type: 'list(string)',
    json: 'the quick brown fox jumps over the lazy dog'
      .split(' ')
      .flatMap((word) => [word, `${word}s`, word.repeat(9)]),
  },
};

const scalarNames: readonly ObjectPath[] = Object.entries(scalars).map(([text, { type }]) => ({
  text,
  type: type ?? 'dyn',
}));

const authorizer: OracleRequest['authorizer'] = {
  user: { name: 'bob' },
  requestResource: {
    name: 'web',
    namespace: 'default',
    group: 'apps',
    version: 'v1',
    resource: 'deployments',
    subresource: '',
  },
  decisions: {
    'get /pods/ / bob': { decision: 'allow', reason: 'because' },
    'create apps/deployments/ default/web bob': { decision: 'deny', reason: 'no' },
    'get /secrets/ / bob': { error: 'authorizer is down' },
    'path /healthz get bob': { decision: 'allow' },
  },
};
const authorizerNames: readonly ObjectPath[] = [
  { text: 'authorizer', type: 'kubernetes.authorization.Authorizer' },
  { text: 'authorizer.requestResource', type: 'kubernetes.authorization.ResourceCheck' },
  { text: "authorizer.group('').resource('pods')", type: 'kubernetes.authorization.ResourceCheck' },
  { text: "authorizer.path('/healthz')", type: 'kubernetes.authorization.PathCheck' },
];

/** The worlds of one run: objects without a type, objects of a schema, objects that behave as their schema says; in both modes. */
export function makeWorlds(seed: number, objectsOfEach: number): readonly World[] {
  const random = new Random(seed);
  const worlds: World[] = [];
  for (let i = 0; i < objectsOfEach; i++) {
    const json = makeObjectValue(random);
    const old = makeObjectValue(random);
    const styles: Readonly<Record<string, Omit<OracleVariable, 'json'>>> = {
      dynamic: {},
      declared: { type: 'Widget', schema: objectSchema },
      wrapped: { type: 'Widget', schema: objectSchema, wrapped: true },
      behaving: { type: 'dyn', schema: objectSchema, wrapped: true },
    };
    for (const [style, declaration] of Object.entries(styles)) {
      for (const mode of ['new', 'stored'] as const) {
        const variables = { ...scalars, object: { ...declaration, json }, oldObject: { ...declaration, json: old } };
        worlds.push({
          name: `${style}, ${mode}`,
          request: { mode, variables, authorizer },
          names: [...scalarNames, ...authorizerNames],
          paths: [...listPaths('object'), ...listPaths('oldObject')],
        });
      }
    }
  }
  return worlds;
}
