import { describe, expect, it } from 'vitest';
import { describeFlags, FlagError, parseFlags } from './parse-flags.ts';

const definitions = {
  name: { fallback: 'x', valueName: 'NAME', description: 'a name', parse: (text: string) => ({ value: text }) },
  count: {
    fallback: 1,
    valueName: 'N',
    description: 'a count',
    parse: (text: string) => (/^\d+$/.test(text) ? { value: Number(text) } : { fault: 'must be a number' }),
  },
};

describe('parseFlags', () => {
  it.for<[string[], object]>([
    [[], { name: 'x', count: 1 }],
    [['--name', 'a', '--count=2'], { name: 'a', count: 2 }],
    [['--name=a=b'], { name: 'a=b', count: 1 }],
  ])('reads %j', ([args, values]) => {
    expect(parseFlags(definitions, args)).toEqual(values);
  });

  it.for<[string[], string[]]>([
    [
      ['--nmae', 'a'],
      ['unknown flag --nmae', 'unexpected argument "a"'],
    ],
    [['--name'], ['--name needs a value']],
    [['--name='], ['--name needs a value']],
    [['--name', 'a', '--name', 'b'], ['--name is given more than once']],
    [['--count', 'many'], ['--count many: must be a number']],
    [
      ['-c', '2'],
      ['unknown flag -c', 'unexpected argument "2"'],
    ],
    [
      ['--__proto__', 'x'],
      ['unknown flag --__proto__', 'unexpected argument "x"'],
    ],
    [
      ['--', '--name', 'a'],
      ['unexpected argument "--name"', 'unexpected argument "a"'],
    ],
    [
      ['--count', 'many', 'x'],
      ['unexpected argument "x"', '--count many: must be a number'],
    ],
  ])('refuses %j, all faults at once', ([args, faults]) => {
    try {
      parseFlags(definitions, args);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(FlagError);
      expect((error as FlagError).faults).toEqual(faults);
    }
  });

  it.for<[string[], boolean]>([
    [[], false],
    [['--quick'], true],
    [['--quick', '--count', '2'], true],
    [['--quick=false'], false],
  ])('reads a switch from %j', ([args, value]) => {
    const quick = {
      ...{ fallback: false, valueName: 'BOOL', description: 'quickly', isSwitch: true },
      parse: (text: string) => ({ value: text === 'true' }),
    };
    expect(parseFlags({ ...definitions, quick }, args).quick).toBe(value);
  });

  it('describes them', () => {
    expect(describeFlags(definitions)).toBe('  --name NAME  a name (default x)\n  --count N    a count (default 1)');
  });
});
