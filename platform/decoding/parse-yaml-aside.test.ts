import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../core/decode/parse-yaml.ts';
import { parseYamlAside } from './parse-yaml-aside.ts';

const filler = `filler: ${'x'.repeat(40_000)}\n`;

describe('a large YAML document', () => {
  it.for([
    ['values of all kinds', `a: [1, 2.5, true, null, "x", 123456789012345678901]\n__proto__: {b: 1}\n${filler}`],
    ['duplicate keys', `a: 1\na: 2\n${filler}`],
    ['a fault of the syntax', `${filler}b: [1\n`],
    ['aliases', `a: &x {b: 1}\nc: *x\n${filler}`],
    ['JSON', `{"a": 1, "b": "${'x'.repeat(40_000)}"}`],
    ['JSON with a duplicate key', `{"a": 1, "a": 2, "b": "${'x'.repeat(40_000)}"}`],
    ['too deep a nesting', `${'['.repeat(30_000)}\n${filler}`],
  ])('is read as a small one: %s', async ([, text]) => {
    const bytes = Buffer.from(text!);
    expect(await parseYamlAside(bytes)).toEqual(parseYaml(bytes));
  });

  it('does not keep others waiting', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `k${i}: "${'y'.repeat(50)}"`);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const parsed = await parseYamlAside(Buffer.from(lines.join('\n')));
    clearInterval(timer);
    expect('value' in parsed && Object.keys(parsed.value!).length).toBe(20_000);
    expect(turns).toBeGreaterThan(5);
  });
});
