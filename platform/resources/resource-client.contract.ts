import { afterEach, beforeEach, describe } from 'vitest';
import { describeChanges } from './contract/changes-contract.ts';
import { ContractBench, type ResourceClientUnderTest } from './contract/contract-bench.ts';
import { describeExpiry } from './contract/expiry-contract.ts';
import { describeLists } from './contract/lists-contract.ts';
import { describeObjects } from './contract/objects-contract.ts';
import { describeWatches } from './contract/watches-contract.ts';

type Open = () => ResourceClientUnderTest;

/** The contract that every driver of ResourceClient fulfils. */
export function describeResourceClient(name: string, open: Open): void {
  describe(`resource client: ${name}`, () => {
    const bench = new ContractBench(open);
    beforeEach(() => bench.begin());
    afterEach(() => bench.end());

    describeObjects(bench);
    describeChanges(bench);
    describeLists(bench);
    describeWatches(bench);
    describeExpiry(bench);
  });
}

/** The part of the contract about positions that expire, for a source that forgets too soon for the rest. */
export function describeExpiringClient(name: string, open: Open): void {
  describe(`resource client: ${name}`, () => {
    const bench = new ContractBench(open);
    beforeEach(() => bench.begin());
    afterEach(() => bench.end());

    describeExpiry(bench);
  });
}
