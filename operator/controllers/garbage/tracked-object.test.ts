import { describe, expect, it } from 'vitest';
import { encodeObject } from '../../apiserver/pipeline/stored-encoding.ts';
import { readStoredUid, readTrackedObject } from './tracked-object.ts';

const victim = '"uid":"victim"';

function encode(more: object, metadata: object = {}): Buffer {
  const object = { kind: 'Foo', apiVersion: 'a.b/v1', metadata: { name: 'x', uid: 'own', ...metadata }, ...more };
  return encodeObject(object, 'Foo', 'a.b/v1', '5');
}

describe('readStoredUid', () => {
  it.for<[string, Buffer]>([
    ['with nothing else', encode({})],
    ['before a member that is named like an integer', encode({ '0': { uid: 'victim' } })],
    ['before one that was written in front', Buffer.from(`{"0":{${victim}},${encode({}).toString().slice(1)}`)],
    ['before one in front of the metadata', Buffer.from(`{"kind":"Foo",${victim},"metadata":{"uid":"own"}}`)],
    [
      'after a kind that holds quotes',
      encodeObject({ kind: '', apiVersion: '', metadata: { uid: 'own' } }, victim, '\\', '5'),
    ],
    ['after a name that holds quotes and backslashes', encode({}, { name: `\\",${victim},"\\\\` })],
    [
      'after a member that is no text',
      Buffer.from(`{"kind":"","apiVersion":"","metadata":{"x":{${victim}},"uid":"own"}}`),
    ],
    [
      'before annotations and owners',
      encode({}, { annotations: { uid: 'victim' }, ownerReferences: [{ uid: 'victim' }] }),
    ],
  ])('reads the uid of the metadata %s', ([, value]) => {
    expect(readStoredUid(value)).toBe('own');
  });

  it('knows that there is none', () => {
    const value = Buffer.from(`{"kind":"Foo","apiVersion":"v1","metadata":{"labels":{${victim}}}}`);
    expect(readStoredUid(value)).toBeUndefined();
  });

  it('reads a name of a megabyte of backslashes in time', () => {
    const value = encode({}, { name: '\\"'.repeat(500_000) });
    const before = process.threadCpuUsage();
    expect(readStoredUid(value)).toBe('own');
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(1000);
  });
});

describe('readTrackedObject', () => {
  it('takes no owners from outside of the metadata', () => {
    const value = encode({ '0': { ownerReferences: [{ uid: 'victim' }], deletionTimestamp: 'now' } });
    expect(readTrackedObject('own', '/k', value)).toBeUndefined();
  });
});
