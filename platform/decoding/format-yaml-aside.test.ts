import { describe, expect, it } from 'vitest';
import { encodeJson } from '../../core/decode/encode-json.ts';
import { formatYaml } from '../../core/decode/format-yaml.ts';
import { formatYamlAside } from './format-yaml-aside.ts';

const filler = 'x y '.repeat(10_000);

describe('a large document', () => {
  it.for<[string, unknown]>([
    ['values of all kinds', { b: [1, 2.5, true, null, 'yes', '.', 123456789012345678901n], a: { c: {} }, filler }],
    ['texts of many lines', { a: 'one\n\n  two\n', b: ' leads\nwith a space', filler }],
    ['a list', [{ filler }, []]],
    ['a text', filler],
  ])('is printed as a small one: %s', async ([, value]) => {
    const whole = formatYaml(value);
    expect(await formatYamlAside(Buffer.from(encodeJson(value)))).toBe(whole);
  });

  it('does not keep others waiting', async () => {
    const value = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, `v${index}`]));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const text = await formatYamlAside(Buffer.from(JSON.stringify(value)));
    clearInterval(timer);
    expect(text.split('\n')).toHaveLength(20_001);
    expect(turns).toBeGreaterThan(5);
  });

  it('rejects what is no JSON', async () => {
    await expect(formatYamlAside(Buffer.from(`{${filler}`))).rejects.toThrow('cannot be read');
  });
});
