import { describe, expect, it } from 'vitest';
import { openRecordedFiles } from '../status/testdata/recorded-files.ts';
import { planKernelFeatures, type KernelFacts } from './plan-kernel-features.ts';
import { readKernelFacts } from './read-kernel-facts.ts';

const facts: KernelFacts = {
  kernelVersion: '6.8.0-31-generic',
  cgroup: 'v2',
  nftVersion: '1.0.9',
  pressure: { isThere: true, configured: 'y', argument: undefined },
  skipNftablesVersionCheck: false,
};

function find(given: Partial<KernelFacts>, name: string) {
  return planKernelFeatures({ ...facts, ...given }).find((feature) => feature.name === name);
}

/** Rows of the specification's table, with the last kernel that is too old and the first that is not. */
const rows = [
  ['Limits#19', 'sysctl net.ipv4.ip_local_reserved_ports', '3.15.10', '3.16.0'],
  ['Limits#20', 'sysctl net.ipv4.tcp_keepalive_time', '4.4.302', '4.5.0'],
  ['Limits#20', 'sysctl net.ipv4.tcp_keepalive_intvl', '4.4.302', '4.5.0'],
  ['Limits#20', 'sysctl net.ipv4.tcp_keepalive_probes', '4.4.302', '4.5.0'],
  ['Limits#21', 'sysctl net.ipv4.tcp_fin_timeout', '4.5.7', '4.6.0'],
  ['Limits#22', 'sysctl net.ipv4.tcp_syncookies', '4.5.7', '4.6.0'],
  ['Limits#23', 'sysctl net.ipv4.tcp_rmem', '4.14.336', '4.15.0'],
  ['Limits#23', 'sysctl net.ipv4.tcp_wmem', '4.14.336', '4.15.0'],
  ['Limits#24', 'sysctl net.ipv4.vs.conn_reuse_mode', '4.0.9', '4.1.0'],
  ['Limits#25', 'nftables proxy mode', '5.12.19', '5.13.0'],
  ['Limits#26', 'cgroup v2: freezing', '5.1.21', '5.2.0'],
  ['Limits#26', 'cgroup v2: cpu.stat of the root', '5.7.19', '5.8.0'],
  ['Limits#28', 'recursive read-only mounts', '5.11.22', '5.12.0'],
  ['Limits#29', 'pod user namespaces', '6.4.16', '6.5.0'],
  ['Limits#30', 'node swap with tmpfs noswap', '6.2.16', '6.3.0'],
] as const;

describe('the kernel of a node', () => {
  it('has all that is asked for when it is new [Limits#18]', () => {
    const features = planKernelFeatures(facts);
    expect(features).toHaveLength(17);
    expect(features.filter(({ isMet }) => !isMet)).toEqual([]);
  });

  it.for(rows)('[%s] lacks %s up to %s, and has it from %s', ([, name, old, young]) => {
    expect(find({ kernelVersion: old }, name)).toMatchObject({
      isMet: false,
      found: expect.stringContaining(old) as string,
    });
    expect(find({ kernelVersion: `${young}-1.el9.x86_64` }, name)).toMatchObject({ isMet: true });
    expect(find({}, name)?.cost).not.toBe('');
  });

  it.for([
    ['1.0.0', '6.8.0', false, false],
    ['0.9.8', '6.8.0', false, false],
    [undefined, '6.8.0', false, false],
    ['1.0.1', '6.8.0', false, true],
    ['1.1', '6.8.0', false, true],
    ['1.0.1', '5.4.0', false, false],
    ['1.0.1', '5.4.0', true, true],
    ['1.0.1', '5.3.18', true, false],
  ] as const)(
    'takes nft %s and kernel %s (checked less strictly: %s) for nftables: %s [Limits#25]',
    ([nftVersion, kernelVersion, skipNftablesVersionCheck, isMet]) => {
      expect(find({ nftVersion, kernelVersion, skipNftablesVersionCheck }, 'nftables proxy mode')?.isMet).toBe(isMet);
    },
  );

  it('says that a check of nftables that was made less strict is not for production [Limits#25]', () => {
    const feature = find({ skipNftablesVersionCheck: true }, 'nftables proxy mode');
    expect(feature?.requirement).toContain('not recommended for production');
  });

  it.for([
    ['v1', false],
    ['v2', true],
    [undefined, false],
  ] as const)('with cgroup %s has cgroup v2: %s [Limits#26] [Versioning#14]', ([cgroup, isMet]) => {
    expect(find({ cgroup }, 'cgroup v2')).toMatchObject({ isMet });
    expect(find({ cgroup }, 'cgroup v2')?.cost).toContain('cgroup v1 is in maintenance mode');
  });

  it.for([
    [{ isThere: true, configured: undefined, argument: undefined }, true, '/proc/pressure'],
    [{ isThere: false, configured: 'n', argument: undefined }, false, 'built without CONFIG_PSI=y'],
    [{ isThere: false, configured: 'y', argument: undefined }, false, 'it may need psi=1'],
    [{ isThere: false, configured: 'y', argument: '0' }, false, 'psi=0 on its command line'],
    [{ isThere: false, configured: undefined, argument: undefined }, false, 'CONFIG_PSI=y'],
  ] as const)('that tells of pressure %j has it: %s [Limits#27]', ([pressure, isMet, found]) => {
    const feature = find({ pressure }, 'pressure stall information');
    expect(feature).toMatchObject({ isMet, found: expect.stringContaining(found) as string });
  });

  it('of a version that cannot be read has nothing that takes one', () => {
    const met = planKernelFeatures({ ...facts, kernelVersion: 'unknown' }).filter(({ isMet }) => isMet);
    expect(met.map(({ name }) => name)).toEqual(['cgroup v2', 'pressure stall information']);
  });

  it.for([
    [
      'cgroup-v1',
      { kernelVersion: '6.18.44', cgroup: 'v1', pressure: { isThere: true, configured: undefined, argument: '1' } },
    ],
    [
      'cgroup-v2',
      {
        kernelVersion: '6.1.0-18-amd64',
        cgroup: 'v2',
        pressure: { isThere: true, configured: undefined, argument: undefined },
      },
    ],
  ] as const)('is read from the files of %s', async ([name, expected]) => {
    expect(await readKernelFacts(openRecordedFiles(name))).toEqual(expected);
  });
});
