import { expect, it } from 'vitest';
import { parseRequestInfo, type RequestInfo } from '../request-info.ts';
import { WatchTracker } from './watch-tracker.ts';

function parse(method: string, url: string): RequestInfo {
  const [path = '', query = ''] = url.split('?');
  return parseRequestInfo(method, path, new URLSearchParams(query));
}

const maps = '/api/v1/namespaces/n/configmaps';

it.for<[watch: string, method: string, write: string, count: number]>([
  ['/api/v1/configmaps?watch=1', 'POST', maps, 1],
  [`${maps}?watch=1`, 'POST', maps, 1],
  [`${maps}?watch=1`, 'PUT', `${maps}/a`, 1],
  [`${maps}?watch=1&fieldSelector=metadata.name=a`, 'PUT', `${maps}/a`, 1],
  [`${maps}?watch=1&fieldSelector=metadata.name=b`, 'PUT', `${maps}/a`, 0],
  [`${maps}?watch=1&labelSelector=a`, 'PUT', `${maps}/a`, 1],
  ['/api/v1/namespaces/other/configmaps?watch=1', 'POST', maps, 0],
  ['/api/v1/secrets?watch=1', 'POST', maps, 0],
  ['/apis/apps/v1/configmaps?watch=1', 'POST', maps, 0],
  [`${maps}?watch=1`, 'GET', maps, 0],
  [`${maps}?watch=1`, 'GET', `${maps}?watch=1`, 0],
  ['/api/v1/pods?watch=1', 'POST', '/api/v1/namespaces/n/pods', 1],
  ['/api/v1/pods?watch=1&fieldSelector=spec.nodeName=one', 'POST', '/api/v1/namespaces/n/pods', 0],
  ['/api/v1/pods?watch=1&fieldSelector=spec.nodeName=', 'POST', '/api/v1/namespaces/n/pods', 1],
  ['/api/v1/pods?watch=1&fieldSelector=spec.nodeName!=one', 'POST', '/api/v1/namespaces/n/pods', 1],
  ['/api/v1/nodes?watch=1', 'PATCH', '/api/v1/nodes/a', 1],
])('counts of the watch %s for %s %s: %i', ([watch, method, write, count]) => {
  const tracker = new WatchTracker();
  const forget = tracker.register(parse('GET', watch));
  const info = parse(method, write);
  expect(tracker.countInterested(info)).toBe(count);
  const forgetSecond = tracker.register(parse('GET', watch));
  expect(tracker.countInterested(info)).toBe(2 * count);
  forget();
  expect(tracker.countInterested(info)).toBe(count);
  forgetSecond();
  expect(tracker.countInterested(info)).toBe(0);
});

it('adds up those of the kind, of the namespace and of the object', () => {
  const tracker = new WatchTracker();
  for (const url of [
    '/api/v1/configmaps?watch=1',
    `${maps}?watch=1`,
    `${maps}?watch=1&fieldSelector=metadata.name=a`,
  ]) {
    tracker.register(parse('GET', url));
  }
  expect(tracker.countInterested(parse('PUT', `${maps}/a`))).toBe(3);
  expect(tracker.countInterested(parse('PUT', `${maps}/b`))).toBe(2);
});
