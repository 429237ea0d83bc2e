import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { openHostFiles } from '../status/host-files.ts';
import { ServedAddresses } from './served-addresses.ts';

function open(address: string, nodeIps: readonly string[] = []) {
  return ServedAddresses.open({ address, nodeIps, files: openHostFiles(), clock: new ManualClock() });
}

describe('ServedAddresses', () => {
  it.for(['10.1.2.3', '127.0.0.1', '::1'])('is %s where it listens there', async (address) => {
    const addresses = await open(address, ['10.9.9.9']);
    expect(addresses.current()).toEqual([address]);
    addresses.close();
  });

  it.for(['0.0.0.0', '::'])('is the address of the machine towards others where it listens at %s', async (address) => {
    const addresses = await open(address);
    const own = Object.values(networkInterfaces()).flatMap((each) => each?.filter(({ internal }) => !internal) ?? []);
    for (const each of addresses.current()) expect(own.map((one) => one.address)).toContain(each);
    expect(addresses.current().every((each) => isIP(each) !== 0)).toBe(true);
    addresses.close();
  });

  it('are those of the node where they are its own', async () => {
    const addresses = await open('0.0.0.0', ['10.1.2.3', 'fd00::3']);
    expect(addresses.current()).toEqual(['10.1.2.3', 'fd00::3']);
    addresses.close();
  });
});
