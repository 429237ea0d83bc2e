import { describe, expect, it } from 'vitest';
import { parseRequestInfo } from './request-info.ts';

describe('parseRequestInfo', () => {
  it.for([
    ['GET', '/api/v1/namespaces', 'list', '', 'v1', '', 'namespaces', '', ''],
    ['GET', '/api/v1/namespaces/other', 'get', '', 'v1', 'other', 'namespaces', '', 'other'],
    ['PUT', '/api/v1/namespaces/other/finalize', 'update', '', 'v1', 'other', 'namespaces', 'finalize', 'other'],
    ['GET', '/api/v1/namespaces/other/status', 'get', '', 'v1', 'other', 'namespaces', 'status', 'other'],
    ['GET', '/api/v1/namespaces/other/pods', 'list', '', 'v1', 'other', 'pods', '', ''],
    ['GET', '/api/v1/namespaces/other/pods/foo', 'get', '', 'v1', 'other', 'pods', '', 'foo'],
    ['HEAD', '/api/v1/namespaces/other/pods/foo', 'get', '', 'v1', 'other', 'pods', '', 'foo'],
    ['GET', '/api/v1/pods', 'list', '', 'v1', '', 'pods', '', ''],
    ['GET', '/api/v1/pods?watch=true', 'watch', '', 'v1', '', 'pods', '', ''],
    ['GET', '/api/v1/pods?watch', 'watch', '', 'v1', '', 'pods', '', ''],
    ['GET', '/api/v1/pods?watch=0', 'list', '', 'v1', '', 'pods', '', ''],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name=x', 'list', '', 'v1', '', 'pods', '', 'x'],
    ['GET', '/api/v1/pods?fieldSelector=a=b,metadata.name==x', 'list', '', 'v1', '', 'pods', '', 'x'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name!=x', 'list', '', 'v1', '', 'pods', '', ''],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name=a/b', 'list', '', 'v1', '', 'pods', '', ''],
    ['GET', '/api/v1/watch/pods', 'watch', '', 'v1', '', 'pods', '', ''],
    ['GET', '/api/v1/watch/namespaces/other/pods', 'watch', '', 'v1', 'other', 'pods', '', ''],
    ['GET', '/api/v1/proxy/namespaces/other/pods/foo/a/b', 'proxy', '', 'v1', 'other', 'pods', '', 'foo'],
    ['POST', '/api/v1/namespaces/other/pods/foo/binding', 'create', '', 'v1', 'other', 'pods', 'binding', 'foo'],
    ['DELETE', '/api/v1/namespaces/other/pods/foo', 'delete', '', 'v1', 'other', 'pods', '', 'foo'],
    ['DELETE', '/api/v1/namespaces/other/pods', 'deletecollection', '', 'v1', 'other', 'pods', '', ''],
    ['PATCH', '/apis/policy/v1/namespaces/a/b/c', 'patch', 'policy', 'v1', 'a', 'b', '', 'c'],
    [
      'POST',
      '/apis/flowcontrol.apiserver.d/v1/flowschemas',
      'create',
      'flowcontrol.apiserver.d',
      'v1',
      '',
      'flowschemas',
      '',
      '',
    ],
  ] as const)('%s %s', ([method, url, verb, group, version, namespace, resource, subresource, name]) => {
    const [path = '', query = ''] = url.split('?');
    expect(parseRequestInfo(method, path, new URLSearchParams(query))).toMatchObject({
      isResourceRequest: true,
      verb,
      apiGroup: group,
      apiVersion: version,
      namespace,
      resource,
      subresource,
      name,
    });
  });

  it.for(['/', '/api', '/api/v1', '/apis', '/apis/policy', '/apis/policy/v1', '/healthz/ping/x', '/openapi/v3/api/v1'])(
    '%s is no resource',
    (path) => {
      expect(parseRequestInfo('GET', path, new URLSearchParams())).toMatchObject({
        isResourceRequest: false,
        verb: 'get',
        path,
      });
    },
  );
});
