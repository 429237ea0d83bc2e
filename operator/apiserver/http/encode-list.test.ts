import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { encodeList, EncodedMember, type ListFormat } from './encode-list.ts';
import { formatYaml } from '../../../core/decode/format-yaml.ts';

const filler = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, `a\n b${index}\n`]));
const members = [
  { name: 'a', text: 'one\n\n  two\n', nested: { list: [1, { b: 'c' }], empty: {} } },
  { name: 'b', text: ' leads\nwith a space' },
  { filler, name: 'one that is long' },
];
const head = { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' } };

function makeList(size: number) {
  return {
    head,
    field: 'items',
    size,
    memberAt: (index: number) =>
      index === 0 ? new EncodedMember(Buffer.from(`xxx${JSON.stringify(members[0])}`), 4) : members[index],
  };
}

async function encodeText(size: number, format: ListFormat): Promise<string> {
  return Buffer.concat(await encodeList(makeList(size), format)).toString();
}

describe('encodeList', () => {
  it.for([0, 1, 2, 3])('prints %i members as the whole would print', async (size) => {
    const whole = { ...head, items: members.slice(0, size) };
    expect(await encodeText(size, 'json')).toBe(`${JSON.stringify(whole)}\n`);
    expect(await encodeText(size, 'pretty')).toBe(JSON.stringify(whole, undefined, 2));
    const yaml = await encodeText(size, 'yaml');
    expect(parse(yaml)).toEqual(whole);
    expect(Object.keys(parse(yaml))).toEqual(Object.keys(parse(formatYaml(whole))));
  });
});
