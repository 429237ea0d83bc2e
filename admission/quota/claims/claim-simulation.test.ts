import { describe, expect, it } from 'vitest';
import { simulateClaims } from './testdata/simulate-claims.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const runs = isSoak ? 10_000 : 1_000;
const firstSeed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Date.now() % 1_000_000_000 : 612_000_000));

describe(`quota claims on a host, ${runs} runs from seed ${firstSeed}`, () => {
  it(
    'never lets more be stored than a quota allows, and counts exactly after a minute of quiet',
    { timeout: 1_800_000 },
    async () => {
      const sums = { stored: 0, refused: 0, failed: 0 };
      for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
        const { faults, stored, refused, failed } = await simulateClaims(seed);
        expect({ seed, faults }).toEqual({ seed, faults: [] });
        sums.stored += stored;
        sums.refused += refused;
        sums.failed += failed;
      }
      // A simulation in which nothing happens keeps every promise.
      expect(sums.stored / runs).toBeGreaterThan(2);
      expect(sums.refused / runs).toBeGreaterThan(1);
      expect(sums.failed / runs).toBeGreaterThan(1);
    },
  );

  it.for([
    ['writes that end later than a host ends them', { writeMillis: 60_000 }],
    ['a store that compares no versions', { ignoresVersions: true }],
    ['counts that overwrite later counts', { losesSerial: true, leaders: 4 }],
  ] as const)('would notice %s', { timeout: 1_800_000 }, async ([, flaws]) => {
    for (let seed = 1; seed <= 3_000; seed++) {
      const { faults } = await simulateClaims(seed, flaws);
      if (faults.some((fault) => fault.includes('limit') || fault.includes('but used'))) return;
    }
    expect.unreachable('nothing was noticed');
  });
});
