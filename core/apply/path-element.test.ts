import { describe, expect, it } from 'vitest';
import { comparePathElements, formatPath, makeKeyElement, makeValueElement, parsePathElement } from './path-element.ts';

describe('steps of a path', () => {
  it.for([
    ['f:name', 'f:name'],
    ['f:', 'f:'],
    ['f:a.b/c', 'f:a.b/c'],
    ['k:{"b":1,"a":"x"}', 'k:{"a":"x","b":1}'],
    ['k:{ "name" : "a" }', 'k:{"name":"a"}'],
    ['v:"a<b"', 'v:"a\\u003cb"'],
    ['v:1.0', 'v:1'],
    ['v:9007199254740993', 'v:9007199254740993'],
    ['v:true', 'v:true'],
    ['i:007', 'i:7'],
  ] as const)('%s reads as %s', ([text, canonical]) => {
    expect(parsePathElement(text)).toBe(canonical);
  });

  it.for(['r:x', 'F:x'])('%s is of an unknown kind and skipped', (text) => {
    expect(parsePathElement(text)).toBeUndefined();
  });

  it.for([
    ['f', 'key must be 2 characters long:'],
    ['foo', 'missing colon: foo'],
    ['v:{', 'invalid value: {'],
    ['k:[]', 'invalid key: []'],
    ['i:x', 'invalid index: x'],
  ] as const)('%s is a fault', ([text, fault]) => {
    expect(parsePathElement(text)).toEqual({ fault });
  });

  it('sorts fields, keys, values, then indexes, each by content', () => {
    const sorted = [
      'f:a',
      'f:aa',
      'f:b',
      'f:\uffff',
      'f:\u{10000}',
      'k:{"name":"a"}',
      'k:{"name":"a","x":1}',
      'k:{"port":80}',
      'k:{"port":443}',
      'v:2',
      'v:10',
      'v:"a"',
      'v:false',
      'v:true',
      'i:2',
      'i:10',
    ];
    expect(sorted.toReversed().sort(comparePathElements)).toEqual(sorted);
  });

  it('are printed as Kubernetes prints them', () => {
    const port = makeKeyElement([
      ['protocol', 'TCP'],
      ['port', 80],
    ]);
    expect(formatPath(['f:spec', 'f:ports', port, 'f:name'])).toBe('.spec.ports[port=80,protocol="TCP"].name');
    expect(formatPath(['f:metadata', 'f:finalizers', makeValueElement('a"b')])).toBe('.metadata.finalizers[="a\\"b"]');
    expect(formatPath(['f:x', 'i:3', makeValueElement(1.5), makeValueElement(null)])).toBe('.x[3][=1.5][=null]');
  });
});
