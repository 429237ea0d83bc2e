import { describe, expect, it } from 'vitest';
import { parseRequestInfo } from '../request-info.ts';
import type { RequestWidth } from './dispatch/flow-request.ts';
import { estimateWork, type ObjectStatistics } from './estimate-work.ts';

interface Facts {
  readonly statistics?: ObjectStatistics | undefined;
  readonly watches?: number;
  readonly maxSeats?: number;
}

function estimate(method: string, url: string, { statistics, watches = 0, maxSeats = 0 }: Facts): RequestWidth {
  const [path = '', text = ''] = url.split('?');
  const query = new URLSearchParams(text);
  const facts = { findStatistics: () => statistics, countWatches: () => watches, maxSeats };
  return estimateWork(parseRequestInfo(method, path, query), query, facts);
}

const pods = '/api/v1/namespaces/n/pods';
const seats = (initialSeats: number): RequestWidth => ({ initialSeats, finalSeats: 0, additionalLatencyMillis: 0 });
const many = { objects: 5000, averageBytes: 1000 };

describe('estimateWork', () => {
  it.for<[what: string, method: string, url: string, facts: Facts, initialSeats: number]>([
    ['a get', 'GET', `${pods}/a`, { statistics: many }, 1],
    ['a path without a resource', 'GET', '/version', { statistics: many }, 1],
    ['a list of nothing', 'GET', pods, { statistics: { objects: 0, averageBytes: 0 } }, 1],
    ['a short list', 'GET', pods, { statistics: { objects: 100, averageBytes: 1000 } }, 1],
    ['a longer one', 'GET', pods, { statistics: { objects: 101, averageBytes: 1000 } }, 2],
    ['a long one, which is streamed', 'GET', pods, { statistics: many }, 10],
    ['a page', 'GET', `${pods}?limit=250`, { statistics: many }, 3],
    ['a later page, held at once', 'GET', `${pods}?limit=2000&continue=abc`, { statistics: many }, 20],
    ['a page of a later version', 'GET', `${pods}?limit=2000&resourceVersion=7`, { statistics: many }, 20],
    ['a page of any version', 'GET', `${pods}?limit=2000&resourceVersion=0`, { statistics: many }, 10],
    ['one exact version', 'GET', `${pods}?resourceVersion=7&resourceVersionMatch=Exact`, { statistics: many }, 50],
    [
      'a version not older',
      'GET',
      `${pods}?resourceVersion=7&resourceVersionMatch=NotOlderThan`,
      { statistics: many },
      10,
    ],
    ['a match that is none', 'GET', `${pods}?resourceVersionMatch=odd`, { statistics: many }, 50],
    ['a later page by labels', 'GET', `${pods}?limit=10&continue=abc&labelSelector=a`, { statistics: many }, 25],
    ['a later page by fields', 'GET', `${pods}?limit=10&continue=abc&fieldSelector=a=b`, { statistics: many }, 25],
    ['one object by its name', 'GET', `${pods}?fieldSelector=metadata.name=a`, { statistics: many }, 1],
    [
      'a huge one',
      'GET',
      `${pods}?resourceVersion=7&resourceVersionMatch=Exact`,
      { statistics: { objects: 1e6, averageBytes: 1e4 } },
      100,
    ],
    ['sizes that are not known', 'GET', `${pods}?limit=1`, { statistics: { objects: 5, averageBytes: 0 } }, 10],
    ['a kind that is kept elsewhere', 'GET', pods, {}, 1],
    ['a limit that is none', 'GET', `${pods}?limit=many`, { statistics: many }, 100],
    ['a limit that is none, on a small level', 'GET', `${pods}?limit=many`, { statistics: many, maxSeats: 4 }, 4],
    ['a time that is none', 'GET', `${pods}?timeoutSeconds=x`, { statistics: many }, 100],
    ['a small level', 'GET', pods, { statistics: many, maxSeats: 3 }, 3],
    ['a watch', 'GET', `${pods}?watch=1`, { statistics: many }, 1],
    ['a watch with the state', 'GET', `${pods}?watch=1&sendInitialEvents=true`, { statistics: many }, 10],
    ['a watch without it', 'GET', `${pods}?watch=1&sendInitialEvents=false`, { statistics: many }, 1],
    [
      'a watch with a time that is none',
      'GET',
      `${pods}?watch=1&timeoutSeconds=x`,
      { statistics: many, maxSeats: 4 },
      4,
    ],
    ['a write that few watch', 'POST', pods, { watches: 9 }, 1],
    ['a collection that is deleted', 'DELETE', pods, { statistics: many, watches: 1000 }, 1],
    ['a token', 'POST', '/api/v1/namespaces/n/serviceaccounts/a/token', { watches: 1000 }, 1],
  ])('gives %s its seats', ([, method, url, facts, expected]) => {
    expect(estimate(method, url, facts)).toEqual(seats(expected));
  });

  it.for<[watches: number, maxSeats: number, finalSeats: number, millis: number]>([
    [10, 0, 1, 5],
    [11, 0, 2, 5],
    [100, 0, 10, 5],
    [1000, 0, 10, 50],
    [1000, 4, 4, 125],
    [1000, 1, 1, 500],
  ])('charges a write for %i watches, at most %i seats', ([watches, maxSeats, finalSeats, additionalLatencyMillis]) => {
    for (const [method, path] of [
      ['POST', pods],
      ['PUT', `${pods}/a`],
      ['PATCH', `${pods}/a`],
      ['DELETE', `${pods}/a`],
    ] as const) {
      expect(estimate(method, path, { watches, maxSeats })).toEqual({
        initialSeats: 1,
        finalSeats,
        additionalLatencyMillis,
      });
    }
  });
});
