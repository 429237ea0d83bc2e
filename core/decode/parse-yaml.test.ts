import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml } from './parse-yaml.ts';

function parse(text: string): ReturnType<typeof parseYaml> {
  return parseYaml(new TextEncoder().encode(text));
}

describe('parseYaml', () => {
  it.for<[string, unknown]>([
    ['a: yes', { a: true }],
    ['a: y', { a: true }],
    ['a: Off', { a: false }],
    ['a: "yes"', { a: 'yes' }],
    ['a: ~', { a: null }],
    ['a:', { a: null }],
    ['a: 012', { a: 10 }],
    ['a: 0x1F', { a: 31 }],
    ['a: -0b11', { a: -3 }],
    ['a: 1_000', { a: 1000 }],
    ['a: 1:30', { a: '1:30' }],
    ['a: 2001-01-01', { a: '2001-01-01' }],
    ['a: 1.0', { a: 1 }],
    ['a: 9223372036854775807', { a: 9223372036854775807n }],
    ['a: !!str 12', { a: '12' }],
    ['a: !!binary aGVsbG8=', { a: 'hello' }],
    ['a: !foo bar', { a: 'bar' }],
    ['{1: x, 1.5: y, true: z}', { 1: 'x', 1.5: true, true: 'z' }],
    ['a: &x {b: c}\nd: *x', { a: { b: 'c' }, d: { b: 'c' } }],
    ['a: {<<: {q: w}, r: new}', { a: { q: 'w', r: 'new' } }],
    ['a: &x {b: c}\nd: {<<: [*x, {e: f}], g: h}', { a: { b: 'c' }, d: { e: 'f', b: 'c', g: 'h' } }],
    ['a: |\n  x\n  z\n', { a: 'x\nz\n' }],
    ['a: 1\n---\nb: 2', { a: 1 }],
    ['', null],
    ['# nothing', null],
    ['{"a": [1, "b"]}', { a: [1, 'b'] }],
    ['constructor: 1\ntoString: {valueOf: 2}', { constructor: 1, toString: { valueOf: 2 } }],
  ])('reads %j', ([text, value]) => {
    expect(parse(text)).toMatchObject({ duplicates: [] });
    expect((parse(text) as { value: unknown }).value).toEqual(value);
  });

  it('takes __proto__ for an ordinary key', () => {
    const { value } = parse('__proto__: {a: 1}') as { value: object };
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.for<[string, string]>([
    ['a: *b', "yaml: unknown anchor 'b' referenced"],
    ['a: &a {x: *a}', "yaml: anchor 'a' value contains itself"],
    ['a: b: c', 'yaml: mapping values are not allowed in this context'],
    ['a:\n\tx: y', 'yaml: line 2: found character that cannot start any token'],
    ['a: .inf', 'json: unsupported value: +Inf'],
    ['a: !!int x', 'yaml: cannot decode !!str `x` as a !!int'],
    ['a: {<<: 1}', 'yaml: map merge requires map or sequence of maps as the value'],
    ['a: \u0007', 'yaml: control characters are not allowed'],
  ])('refuses %j', ([text, fault]) => {
    expect(parse(text)).toEqual({ fault });
  });

  it('refuses invalid UTF-8', () => {
    expect(parseYaml(Uint8Array.from([0x61, 0x3a, 0x20, 0xff]))).toEqual({
      fault: 'yaml: invalid leading UTF-8 octet',
    });
  });

  it('reports duplicate keys by line, and keeps the last value', () => {
    expect(parse('x: {a: 1, a: 2}\nm: 1\nm: 3\n')).toMatchObject({
      value: { x: { a: 2 }, m: 3 },
      duplicates: ['x.a', 'm'],
      strictFaults: [
        'yaml: unmarshal errors:\n  line 1: key "a" already set in map\n  line 3: key "m" already set in map',
      ],
    });
  });

  it.for<[string, unknown]>([
    ['a: {<<: {r: old}, r: new}', { a: { r: 'new' } }],
    ['a: {r: new, <<: {r: old}}', { a: { r: 'old' } }],
    ['a: {<<: [{r: one}, {r: two}]}', { a: { r: 'one' } }],
  ])('counts an overridden merge key as a duplicate: %s', ([text, value]) => {
    expect(parse(text)).toMatchObject({
      value,
      duplicates: ['a.r'],
      strictFaults: ['yaml: unmarshal errors:\n  line 1: key "r" already set in map'],
    });
  });

  it('refuses aliases that multiply', () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 9; i++)
      lines.push(
        `a${i}: &a${i} [${Array(9)
          .fill(`*a${i - 1}`)
          .join(',')}]`,
      );
    expect(parse(lines.join('\n'))).toEqual({ fault: 'yaml: document contains excessive aliasing' });
  });

  it('refuses what nests too deep', () => {
    expect(parse(`a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`)).toHaveProperty('fault');
    expect(parse('- '.repeat(20_000))).toHaveProperty('fault');
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => typeof parseYaml(bytes) === 'object'));
    const piece = fc.constantFrom(
      'a',
      ': ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '&x ',
      '*x',
      '"',
      "'",
      '|',
      '>',
      '!!int ',
      '<<',
      '? ',
      '%',
      '---',
      '#',
      '1',
      ',',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => typeof parse(pieces.join('')) === 'object'),
      { numRuns: 500 },
    );
  });
});
