import { describe, expect, it } from 'vitest';
import {
  countListed,
  parseCount,
  parseCounters,
  parseDefaultRoutes4,
  parseDefaultRoutes6,
  parseMeminfo,
  parsePressure,
  parseReleaseValue,
  parseTaskCount,
} from './parse-proc.ts';

describe('files of the kernel', () => {
  it.for([
    ['MemTotal:       24684084 kB\nHugePages_Total:     128\n', 'MemTotal', 24684084 * 1024],
    ['MemTotal:       24684084 kB\nHugePages_Total:     128\n', 'HugePages_Total', 128],
    ['Inactive(file):  5182956 kB', 'Inactive(file)', 5182956 * 1024],
    ['MemTotal: many kB', 'MemTotal', undefined],
    ['', 'MemTotal', undefined],
  ] as const)('of memory %j say of %s: %s', ([text, name, bytes]) => {
    expect(parseMeminfo(text).get(name)).toBe(bytes);
  });

  it('of counters say what is counted, and skip what is no count', () => {
    expect([...parseCounters('anon 12\nfile x\ninactive_file 7\n\n')]).toEqual([
      ['anon', 12],
      ['inactive_file', 7],
    ]);
  });

  it.for([
    ['0-1', 2],
    ['0', 1],
    ['0-2,4', 4],
    ['0-3,8-11\n', 8],
    ['', undefined],
    ['3-1', undefined],
    ['a-b', undefined],
  ] as const)('count the CPUs of %j as %s', ([text, count]) => {
    expect(countListed(text)).toBe(count);
  });

  it.for([
    ['1.36 3.49 4.53 2/3518 3715089\n', 3518],
    ['1.36 3.49 4.53 2/3518', undefined],
    ['1.36 3.49 4.53 x 1', undefined],
  ] as const)('of load %j say how many tasks there are: %s', ([text, count]) => {
    expect(parseTaskCount(text)).toBe(count);
  });

  it.for([
    ['32768\n', 32768],
    ['max', undefined],
    ['-1', undefined],
    [undefined, undefined],
  ] as const)('read %j as the count %s', ([text, count]) => {
    expect(parseCount(text)).toBe(count);
  });

  it.for([
    ['PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n', 'PRETTY_NAME', 'Debian GNU/Linux 12 (bookworm)'],
    ['NAME=Alpine\nPRETTY_NAME=Alpine Linux v3.20', 'PRETTY_NAME', 'Alpine Linux v3.20'],
    ['NAME=x', 'PRETTY_NAME', undefined],
  ] as const)('of a release %j say %s', ([text, key, value]) => {
    expect(parseReleaseValue(text, key)).toBe(value);
  });

  it.for([
    [
      'some avg10=0.00 avg60=0.05 avg300=0.10 total=2123456\nfull avg10=0.00 avg60=0.01 avg300=0.02 total=500000\n',
      2.123456,
      0.5,
    ],
    // Kernels before 5.13 tell of CPU only that some tasks waited.
    ['some avg10=0.00 avg60=0.05 avg300=0.10 total=1000000\n', 1, 0],
  ] as const)('of pressure %j say %s and %s seconds', ([text, someSeconds, fullSeconds]) => {
    expect(parsePressure(text)).toEqual({ someSeconds, fullSeconds });
  });

  it('of pressure say nothing where there is none', () => {
    expect(parsePressure('')).toBeUndefined();
  });

  it('of routes name the interfaces of default ones', () => {
    const header = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n';
    const routes = `${header}eth1\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\neth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\n`;
    expect(parseDefaultRoutes4(routes)).toEqual(['eth0']);
    const zero = '0'.repeat(32);
    const gateway = 'fe800000000000000000000000000001';
    const routes6 = [
      `${zero} 00 ${zero} 00 ${zero} ffffffff 00000001 00000000 00200200       lo`,
      `${zero} 00 ${zero} 00 ${gateway} 00000400 00000001 00000000 00450003     ens3`,
    ];
    expect(parseDefaultRoutes6(routes6.join('\n'))).toEqual(['ens3']);
  });
});
