import { describe, expect, it } from 'vitest';
import { planAccessQuestions, readRequestPath } from './plan-access-questions.ts';

describe('what a request must be allowed to do', () => {
  it.for<[string, string, string, string[]]>([
    ['POST', '/checkpoint/ns/pod/c', 'create', ['checkpoint']],
    ['GET', '/checkpoint', 'get', ['checkpoint']],
    ['GET', '/checkpoints', 'get', ['checkpoint']],
    ['DELETE', '/checkpoints/ns/name', 'delete', ['checkpoint']],
    ['PUT', '/checkpoints/ns/name/pin', 'update', ['checkpoint']],
    ['PATCH', '/checkpoints/ns/name', 'patch', ['checkpoint']],
    ['GET', '/checkpointsx', 'get', ['proxy']],
    ['GET', '/metrics', 'get', ['metrics']],
    ['GET', '/metrics/cadvisor', 'get', ['metrics']],
    ['GET', '/metricsx', 'get', ['proxy']],
    ['GET', '/pods', 'get', ['pods', 'proxy']],
    ['GET', '/pods/', 'get', ['pods', 'proxy']],
    ['GET', '/healthz/ping', 'get', ['healthz', 'proxy']],
    ['GET', '/configz', 'get', ['configz', 'proxy']],
    ['GET', '/status', 'get', ['proxy']],
    ['GET', '/', 'get', ['proxy']],
    ['HEAD', '/pods', '', ['pods', 'proxy']],
    ['OPTIONS', '/', '', ['proxy']],
  ])('%s %s', ([method, path, verb, subresources]) => {
    const questions = planAccessQuestions(method, path, 'node-1', true);
    const common = { type: 'resource', group: '', version: 'v1', resource: 'nodes', name: 'node-1', verb };
    expect(questions).toEqual(subresources.map((subresource) => ({ ...common, subresource })));
  });
});

describe('what it must be allowed to do where the gate of fine-grained rights is off', () => {
  it.for([
    ['/pods', 'proxy'],
    ['/healthz/ping', 'proxy'],
    ['/configz', 'proxy'],
    ['/metrics', 'metrics'],
    ['/checkpoint/ns/pod/c', 'checkpoint'],
    ['/status', 'proxy'],
  ] as const)('%s: %s', ([path, subresource]) => {
    expect(planAccessQuestions('GET', path, 'node-1', false).map((one) => one.subresource)).toEqual([subresource]);
  });
});

describe('the path of a request', () => {
  it.for<[string | undefined, string | undefined]>([
    [undefined, '/'],
    ['/pods?limit=1', '/pods'],
    ['/pods/../checkpoint/a/b/c', '/checkpoint/a/b/c'],
    ['/pods/%2e%2e/checkpoint/a/b/c', '/checkpoint/a/b/c'],
    ['/%63heckpoint/a/b/c', '/checkpoint/a/b/c'],
    ['//elsewhere/checkpoint/a', '/elsewhere/checkpoint/a'],
    ['https://elsewhere/checkpoint/a', '/checkpoint/a'],
    ['/pods%2F..%2Fcheckpoint', '/pods/../checkpoint'],
    ['/checkpoint/%zz', undefined],
  ])('%s is %s', ([url, path]) => {
    expect(readRequestPath(url)).toBe(path);
  });
});
