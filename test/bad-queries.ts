import type { BadRequest } from './bad-requests.ts';
import { configMaps, makeConfigMap, namespace } from './bad-requests.ts';

const json = { 'content-type': 'application/json' };
const strict = '?dryRun=All&fieldValidation=Strict';

/** Media types that nobody reads or writes. */
export function listContentTypes(): BadRequest[] {
  const body = makeConfigMap('');
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/xml',
    '',
    'json',
    'application/json; charset=utf-16',
    'application/JSON',
    'application/jsonx',
    'application/cbor',
    '*/*',
    ';',
    'application/json;;;',
  ];
  const accepts = [
    'text/html',
    'application/xml',
    'application/json;as=Nothing',
    'application/json;as=Table;v=v9;g=meta.k8s.io',
    ';',
    '*',
    'text/*',
    'application/*;q=0.1',
    'application/json;q=x',
  ];
  return [
    ...types.map((type) => ({
      name: `POST with content type ${JSON.stringify(type)}`,
      method: 'POST',
      path: configMaps + strict,
      headers: { 'content-type': type },
      body,
    })),
    ...[
      'application/json',
      'text/plain',
      'application/merge-patch+yaml',
      'application/strategic-merge-patch+json;',
      '',
    ].map((type) => ({
      name: `PATCH with content type ${JSON.stringify(type)}`,
      method: 'PATCH',
      path: `${configMaps}/live${strict}`,
      headers: { 'content-type': type },
      body: '{}',
    })),
    ...accepts.map((accept) => ({
      name: `GET that accepts ${JSON.stringify(accept)}`,
      method: 'GET',
      path: `${configMaps}/live`,
      headers: { accept },
    })),
  ];
}

/** Query parameters that make no sense. */
export function listQueries(): BadRequest[] {
  const queries = [
    'continue=x',
    'continue=%00',
    `continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":-1,"start":"a"}').toString('base64url')}`,
    `continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":1}').toString('base64url')}`,
    `continue=${Buffer.from('{"v":"meta.k8s.io/v9","rv":1,"start":"a"}').toString('base64url')}`,
    `continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"../../x"}').toString('base64url')}`,
    `continue=${Buffer.from('[]').toString('base64url')}`,
    `continue=${'A'.repeat(5_000)}`,
    'continue=eyJ&limit=1',
    'limit=x',
    'limit=-1',
    'limit=99999999999999999999',
    'limit=1.5',
    'resourceVersion=x',
    'resourceVersion=-1',
    'resourceVersion=99999999999999999999999',
    'resourceVersionMatch=Exact',
    'resourceVersionMatch=Nonsense&resourceVersion=1',
    'resourceVersion=0&resourceVersionMatch=Exact',
    'labelSelector=%3D',
    'labelSelector=a%20near%20b',
    'labelSelector=a%20in%20(',
    'labelSelector=!',
    'labelSelector=a%3Db,',
    'labelSelector=__proto__',
    'labelSelector=constructor',
    'labelSelector=constructor%3Dx',
    'labelSelector=-%3Dx',
    `labelSelector=a%20in%20(${Array.from({ length: 10_000 }, (_, i) => `v${i}`).join(',')})`,
    `labelSelector=${Array.from({ length: 5_000 }, (_, i) => `k${i}%3Dv`).join(',')}`,
    `labelSelector=${'('.repeat(20_000)}`,
    `labelSelector=a%3D${'x'.repeat(100)}`,
    'fieldSelector=foo%3Dbar',
    'fieldSelector=metadata.name',
    'fieldSelector=metadata.name%3D%3D%3Dx',
    'fieldSelector=__proto__%3Dx',
    'fieldSelector=metadata.name%3Da%5C',
    'watch=x&timeoutSeconds=1',
    'watch=0&timeoutSeconds=x',
    'timeoutSeconds=-1',
    'sendInitialEvents=true',
    'sendInitialEvents=maybe',
    'pretty=maybe',
    'allowWatchBookmarks=maybe',
    'unknown=1',
    '%zz',
    'a=%ff',
  ];
  const writes: readonly (readonly [string, string, string, string])[] = [
    ['POST', configMaps, 'dryRun=Some', makeConfigMap('')],
    ['POST', configMaps, 'dryRun=All&dryRun=All', makeConfigMap('')],
    ['POST', configMaps, 'dryRun=All&fieldValidation=Nonsense', makeConfigMap('')],
    ['POST', configMaps, `dryRun=All&fieldManager=${'x'.repeat(200)}`, makeConfigMap('')],
    ['POST', configMaps, 'dryRun=All&fieldManager=%01', makeConfigMap('')],
    ['DELETE', `${configMaps}/live`, 'dryRun=All&gracePeriodSeconds=x', ''],
    ['DELETE', `${configMaps}/live`, 'dryRun=All&propagationPolicy=Nonsense', ''],
    ['DELETE', `${configMaps}/live`, 'dryRun=All', '{'],
    ['DELETE', `${configMaps}/live`, 'dryRun=All', '[]'],
    ['DELETE', `${configMaps}/live`, 'dryRun=All', '{"gracePeriodSeconds":"x"}'],
    ['DELETE', `${configMaps}/live`, 'dryRun=All', '{"preconditions":{"uid":"x"}}'],
    ['DELETE', `${configMaps}/live`, 'dryRun=All', '{"orphanDependents":true,"propagationPolicy":"Orphan"}'],
    ['PUT', `${configMaps}/live`, 'dryRun=All', makeConfigMap('')],
    ['PUT', `${configMaps}/live`, 'dryRun=All', '{'],
    ['PUT', `${configMaps}/live`, 'dryRun=All', makeConfigMap('', '"name":"live","resourceVersion":"x"')],
    ['PUT', `${configMaps}/live`, 'dryRun=All', makeConfigMap('', '"name":"live","uid":"x"')],
    ['PUT', `${configMaps}/__proto__`, 'dryRun=All', makeConfigMap('', '"name":"__proto__"')],
    ['PUT', `${configMaps}/absent`, 'dryRun=All', makeConfigMap('', '"name":"absent"')],
  ];
  return [
    ...queries.map((query) => ({
      name: `GET ?${query.length > 80 ? `${query.slice(0, 60)}… of ${query.length}` : query}`,
      method: 'GET',
      path: `${configMaps}?${query}`,
    })),
    ...writes.map(([method, path, query, body]) => ({
      name: `${method} ${path.split('/').at(-1)}?${query.slice(0, 60)} with ${body === '' ? 'nothing' : body.slice(0, 120)}`,
      method,
      path: `${path}?${query}`,
      headers: json,
      ...(body === '' ? {} : { body }),
    })),
  ];
}

/** Paths of nothing. */
export function listPaths(): BadRequest[] {
  return [
    '/api/v1/namespaces/%zz/configmaps',
    `/api/v1/namespaces/${namespace}/configmaps/__proto__`,
    `/api/v1/namespaces/${namespace}/configmaps/constructor`,
    `/api/v1/namespaces/${namespace}/configmaps/a%2Fb`,
    `/api/v1/namespaces/${namespace}/configmaps/live/nothing`,
    `/api/v1/namespaces/${namespace}/configmaps/live/status`,
    `/api/v1/namespaces/${namespace}/__proto__`,
    `/api/v1/namespaces/${namespace}/constructor/x`,
    '/api/__proto__',
    '/apis/__proto__/v1',
    '/apis/constructor',
    '/apis/apps/__proto__',
    '/apis/apps/v1/constructor',
    '/api/v9/namespaces',
    '/nothing',
    `/api/v1/namespaces/${'a'.repeat(5_000)}/configmaps`,
    `/api/v1/${'x/'.repeat(500)}`,
  ].map((path) => ({ name: `GET ${path.slice(0, 90)}`, method: 'GET', path }));
}
