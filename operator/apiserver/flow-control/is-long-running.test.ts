import { expect, it } from 'vitest';
import { parseRequestInfo } from '../request-info.ts';
import { isLongRunning } from './is-long-running.ts';

const pod = '/api/v1/namespaces/n/pods/p';

it.for<[method: string, url: string, expected: boolean]>([
  ['GET', '/api/v1/pods', false],
  ['GET', '/api/v1/pods?watch=1', true],
  ['GET', '/api/v1/watch/pods', true],
  ['GET', `${pod}/log`, true],
  ['POST', `${pod}/exec`, true],
  ['POST', `${pod}/attach`, true],
  ['POST', `${pod}/portforward`, true],
  ['GET', `${pod}/proxy/metrics`, true],
  ['GET', '/api/v1/proxy/namespaces/n/pods/p', true],
  ['GET', `${pod}/status`, false],
  ['POST', `${pod}/eviction`, false],
  ['GET', '/debug/pprof/profile', true],
  ['GET', '/debug/api_priority_and_fairness/dump_queues', false],
  ['GET', '/version', false],
])('%s %s goes on for long: %s', ([method, url, expected]) => {
  const [path = '', query = ''] = url.split('?');
  expect(isLongRunning(parseRequestInfo(method, path, new URLSearchParams(query)))).toBe(expected);
});
