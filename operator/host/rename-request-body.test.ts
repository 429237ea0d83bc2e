import { describe, expect, it } from 'vitest';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { parseRequestInfo } from '../apiserver/request-info.ts';
import { findOwnRoute } from './host-route.ts';
import { renameRequestBody } from './rename-request-body.ts';

const registry = buildKindRegistry('example.org');

function findRoute(path: string) {
  return findOwnRoute(registry, parseRequestInfo('GET', decodeURIComponent(path), new URLSearchParams()), path);
}

describe('findOwnRoute', () => {
  it.for<[string, string | undefined]>([
    ['/api/v1/namespaces/a/resourcequotas/b/status', '/apis/core.example.org/v1/namespaces/a/resourcequotas/b/status'],
    ['/api/v1/limitranges', '/apis/core.example.org/v1/limitranges'],
    ['/api/v1/watch/namespaces/a/limitranges', '/apis/core.example.org/v1/watch/namespaces/a/limitranges'],
    ['/apis/policy/v1/poddisruptionbudgets/', '/apis/policy.example.org/v1/poddisruptionbudgets/'],
    ['/api/v1/namespaces/a/resourcequotas/b%2Fc', '/apis/core.example.org/v1/namespaces/a/resourcequotas/b%2Fc'],
    ['/%61pi/v1/resourcequotas', '/apis/core.example.org/v1/resourcequotas'],
    ['/apis/core.example.org/v1/resourcequotas', '/apis/core.example.org/v1/resourcequotas'],
    ['/apis/networking.example.org/v1/ingresses', '/apis/networking.example.org/v1/ingresses'],
    ['/api/v1/pods', undefined],
    ['/api/v1/namespaces/resourcequotas', undefined],
    ['/apis//v1/resourcequotas', undefined],
    ['/apis/v1/resourcequotas/x', undefined],
    ['/apis/networking.k8s.io/v1/ingresses', undefined],
    ['/apis/policy/v1beta1/poddisruptionbudgets', undefined],
    ['/api/v1', undefined],
  ])('%s', ([path, expected]) => {
    expect(findRoute(path)?.hostPath).toBe(expected);
  });
});

const json = 'application/json';
const apply = 'application/apply-patch+yaml';
const yaml = 'application/yaml';

const cases: readonly (readonly [
  name: string,
  type: string | undefined,
  body: string,
  sent: string,
  sentType?: string,
])[] = [
  [
    'an object',
    json,
    '{"apiVersion":"v1","kind":"ResourceQuota"}',
    '{"apiVersion":"core.example.org/v1","kind":"ResourceQuota"}',
  ],
  [
    'no media type',
    undefined,
    '{"apiVersion":"v1","kind":"X"}',
    '{"apiVersion":"core.example.org/v1","kind":"X"}',
    json,
  ],
  [
    'a type that is absent',
    json,
    ' {"spec":{}}',
    ' {"apiVersion":"core.example.org/v1","kind":"ResourceQuota","spec":{}}',
  ],
  ['an empty object', json, '{ }', '{"apiVersion":"core.example.org/v1","kind":"ResourceQuota" }'],
  [
    'the name on the host, which is wrong here',
    json,
    '{"apiVersion":"core.example.org/v1","kind":"R"}',
    '{"apiVersion":"v1","kind":"R"}',
  ],
  [
    'a member that is there twice',
    json,
    '{"kind":"R","apiVersion":"v1","a":1,"a":2}',
    '{"kind":"R","apiVersion":"core.example.org/v1","a":1,"a":2}',
  ],
  ['what is no JSON', json, '{"apiVersion', '{"apiVersion'],
  ['a merge patch', 'application/merge-patch+json', '{"spec":{}}', '{"spec":{}}'],
  [
    'a JSON patch',
    'application/json-patch+json',
    '[{"op":"test","path":"/apiVersion","value":"v1"}]',
    '[{"op":"test","path":"/apiVersion","value":"core.example.org/v1"}]',
  ],
  [
    'YAML in its text',
    yaml,
    '# note\napiVersion: v1 # own\nkind: R\na: [1]\n',
    '# note\napiVersion: core.example.org/v1 # own\nkind: R\na: [1]\n',
  ],
  ['quoted YAML', apply, '"apiVersion": "v1"\nkind: R\n', '"apiVersion": "core.example.org/v1"\nkind: R\n'],
  ['YAML that is JSON', apply, '{"kind":"R","apiVersion":"v1"}', '{"kind":"R","apiVersion":"core.example.org/v1"}'],
  [
    'YAML without a type',
    yaml,
    'spec:\n  hard: {}\n',
    '{"apiVersion":"core.example.org/v1","kind":"ResourceQuota","spec":{"hard":{}}}',
    json,
  ],
  [
    'a name in a text of YAML',
    yaml,
    'kind: R\na: |\n  apiVersion: v1\n',
    '{"apiVersion":"core.example.org/v1","kind":"R","a":"apiVersion: v1\\n"}',
    json,
  ],
  ['what is no YAML', yaml, 'a: [', 'a: ['],
  ['bytes of no known type', 'text/plain', 'x', 'x'],
];

describe('renameRequestBody', () => {
  it.for(cases)('%s', async ([, type, body, sent, sentType]) => {
    const route = findRoute('/api/v1/namespaces/a/resourcequotas');
    if (route === undefined) throw new Error('there is no route');
    const renamed = await renameRequestBody(Buffer.from(body), type, route);
    expect(renamed.bytes.toString('utf8')).toBe(sent);
    expect(renamed.contentType).toBe(sentType ?? type);
  });
});
