import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { estimateWork } from '../operator/apiserver/flow-control/estimate-work.ts';
import { WatchTracker } from '../operator/apiserver/flow-control/watch-tracker.ts';
import { parseRequestInfo, type RequestInfo } from '../operator/apiserver/request-info.ts';
import { describeOracle } from './oracle/describe-oracle.ts';
import {
  startWidthOracle,
  type WidthAnswer,
  type WidthOracle,
  type WidthQuestion,
} from './oracle/start-width-oracle.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Math.floor(Math.random() * 2 ** 31) : 20_260_802));
const questions = isSoak ? 60_000 : 4000;

const resource = fc.constantFrom(
  'pods',
  'configmaps',
  'nodes',
  'serviceaccounts',
  'serviceaccounts/a/token',
  'pods/a/status',
);
const scope = fc.constantFrom('/api/v1', '/api/v1/namespaces/n', '/api/v1/namespaces/m', '/apis/apps/v1/namespaces/n');
const name = fc.constantFrom('', '', '/a', '/b');
const selector = fc.constantFrom(
  ...[
    'metadata.name=a',
    'spec.nodeName=one',
    'spec.nodeName=',
    'spec.nodeName!=one',
    'spec.nodeName=one,metadata.name=b',
  ],
  ...['status.phase=Running', 'a==b', 'odd', ''],
);
const parameter = fc.oneof(
  fc.tuple(
    fc.constant('limit'),
    fc.constantFrom('', '0', '1', '10', '500', '5000', '-1', 'many', '1.5', '+7', '9999999999'),
  ),
  fc.tuple(fc.constant('resourceVersion'), fc.constantFrom('', '0', '1', '77', 'odd')),
  fc.tuple(fc.constant('resourceVersionMatch'), fc.constantFrom('', 'Exact', 'NotOlderThan', 'odd')),
  fc.tuple(fc.constant('continue'), fc.constantFrom('', 'token')),
  fc.tuple(fc.constant('sendInitialEvents'), fc.constantFrom('', 'true', 'false', '0', 'odd')),
  fc.tuple(fc.constant('timeoutSeconds'), fc.constantFrom('', '5', 'x')),
  fc.tuple(fc.constant('labelSelector'), fc.constantFrom('', 'a=b')),
  fc.tuple(fc.constant('fieldSelector'), selector),
  fc.tuple(fc.constant('watch'), fc.constantFrom('', '1', 'true', 'false')),
);
const url = fc
  .tuple(scope, resource, name, fc.array(parameter, { maxLength: 4 }))
  .map(([root, plural, object, query]) => `${root}/${plural}${object}?${new URLSearchParams(query).toString()}`);
/** A watch that is refused is not counted for long. */
const watchUrl = fc
  .tuple(
    scope,
    resource,
    name,
    fc.constantFrom('', 'metadata.name=a', 'metadata.name=b', 'spec.nodeName=one', 'spec.nodeName='),
  )
  .map(
    ([root, plural, object, fields]) =>
      `${root}/${plural}${object}?watch=1&fieldSelector=${encodeURIComponent(fields)}`,
  );
const question: fc.Arbitrary<WidthQuestion> = fc
  .record({
    request: fc.record({ method: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'), url }),
    watches: fc
      .tuple(fc.array(watchUrl, { maxLength: 3 }), fc.constantFrom(1, 4, 30, 120))
      .map(([urls, times]) => Array.from({ length: times }, () => urls).flat()),
    statistics: fc.option(
      fc.record({
        objects: fc.constantFrom(0, 1, 15, 99, 100, 101, 5000, 100_000),
        averageBytes: fc.constantFrom(0, 1, 999, 1000, 33_000, 100_000),
      }),
      { freq: 5, nil: undefined },
    ),
    maxSeats: fc.constantFrom(0, 1, 2, 7, 10, 50, 1000),
  })
  .map(({ statistics, ...rest }) => (statistics === undefined ? rest : { ...rest, statistics }));

function parse(method: string, target: string): { readonly info: RequestInfo; readonly query: URLSearchParams } {
  const [path = '', text = ''] = target.split('?');
  const query = new URLSearchParams(text);
  return { info: parseRequestInfo(method, path, query), query };
}

function answer({ request, watches, statistics, maxSeats }: WidthQuestion): WidthAnswer {
  const tracker = new WatchTracker();
  for (const watch of watches) {
    const { info } = parse('GET', watch);
    if (info.verb === 'watch') tracker.register(info);
  }
  const { info, query } = parse(request.method, request.url);
  const facts = {
    findStatistics: () => statistics,
    countWatches: (one: RequestInfo) => tracker.countInterested(one),
    maxSeats,
  };
  return { ...estimateWork(info, query, facts), watches: tracker.countInterested(info) };
}

describeOracle(`seats of requests (seed ${seed}), asked of Kubernetes' own code`, () => {
  let oracle: WidthOracle;
  beforeAll(async () => {
    oracle = await startWidthOracle();
  });
  afterAll(() => oracle?.stop());

  it(`are as many, for ${questions} requests`, async () => {
    const asked = fc.sample(question, { seed, numRuns: questions });
    const theirs = await oracle.askAll(asked);
    const widths = new Set<string>();
    for (const [index, one] of asked.entries()) {
      const expected = theirs[index];
      expect(expected?.failure).toBeUndefined();
      const own = answer(one);
      widths.add(`${own.initialSeats} ${own.finalSeats}`);
      // Kubernetes counts in hundredths of a microsecond of a seat.
      const additionalLatencyMillis = expect.closeTo(own.additionalLatencyMillis, 4) as number;
      expect(expected, JSON.stringify({ ...one, watches: one.watches.length })).toEqual({
        ...own,
        additionalLatencyMillis,
      });
    }
    expect(widths.size).toBeGreaterThan(11);
  });
});
