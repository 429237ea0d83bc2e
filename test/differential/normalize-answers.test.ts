import { expect, it } from 'vitest';

import { normalizeAnswers } from './normalize-answers.ts';

const facts = {
  url: 'https://127.0.0.1:6443',
  fromMillis: Date.parse('2030-01-01T00:00:00Z'),
  untilMillis: Date.parse('2030-01-01T01:00:00Z'),
};
const atMillis = Date.parse('2030-01-01T00:40:00Z');
const uid = '0f0f0f0f-1111-2222-3333-444444444444';

it.for([
  ['times of the run', { at: '2030-01-01T00:30:00Z' }, { at: '<now>' }],
  ['not the times that clients send', { at: '2026-01-01T00:30:00Z' }, { at: '2026-01-01T00:30:00Z' }],
  [
    'times that are told in advance, by how far away they are',
    { at: '2030-01-01T00:40:31Z', metadata: { deletionTimestamp: '2030-01-01T00:50:02Z' } },
    { at: '<in 30 s>', metadata: { deletionTimestamp: '<in 600 s>' } },
  ],
  ['integers that a double cannot hold', { at: 9_223_372_036_854_775_807n }, { at: '<integer 9223372036854775807>' }],
  ['uids, the same one alike', { uid, message: `object ${uid}` }, { uid: '<uid 1.1>', message: 'object <uid 1.1>' }],
  ['versions of objects', { metadata: { resourceVersion: '57' } }, { metadata: { resourceVersion: '<version 1>' } }],
  [
    'versions of lists',
    { items: [], metadata: { resourceVersion: '57', continue: 'abc' } },
    { items: [], metadata: { resourceVersion: '<version>', continue: '<continue>' } },
  ],
  [
    'names that servers make',
    { metadata: { generateName: 'a-', name: 'a-x7x7x' }, message: 'a-x7x7x exists' },
    { metadata: { generateName: 'a-', name: 'a-<random>' }, message: 'a-<random> exists' },
  ],
  ['addresses', { at: 'https://127.0.0.1:6443/a' }, { at: 'https://<address>/a' }],
  [
    'the order of managers',
    { managedFields: [{ manager: 'b' }, { manager: 'a' }] },
    { managedFields: [{ manager: 'a' }, { manager: 'b' }] },
  ],
] as const)('replaces %s', ([, body, expected]) => {
  const [answer] = normalizeAnswers([{ status: 200, headers: {}, body, atMillis }], facts);
  expect(answer?.body).toEqual(expected);
});

it('keeps replacements over the answers of a case', () => {
  const answers = ['5', '9', '5'].map((resourceVersion) => ({
    status: 200,
    headers: {},
    body: { metadata: { resourceVersion } },
    atMillis,
  }));
  const versions = normalizeAnswers(answers, facts).map(({ body }) => body.metadata.resourceVersion);
  expect(versions).toEqual(['<version 1>', '<version 2>', '<version 1>']);
});

it('compares the headers that matter, and of some only whether they are there', () => {
  const headers = { 'content-type': 'application/json', date: 'today', 'audit-id': 'x', 'content-length': '5' };
  const [answer] = normalizeAnswers([{ status: 200, headers, body: undefined, atMillis }], facts);
  expect(answer?.headers).toEqual({ 'content-type': 'application/json', 'audit-id': '<present>' });
});

it('counts uids by answer', () => {
  const refused = { status: 422, headers: {}, body: {}, atMillis };
  const accepted = { status: 201, headers: {}, body: { uid: uid.replace('f', 'e') }, atMillis };
  const read = { status: 200, headers: {}, body: { uid }, atMillis };
  const [first, second] = [refused, accepted].map((answer) => normalizeAnswers([answer, read], facts)[1]);
  expect(first?.body).toEqual({ uid: '<uid 2.1>' });
  expect(second).toEqual(first);
});
