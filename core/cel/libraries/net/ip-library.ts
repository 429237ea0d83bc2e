import { boolType, intType, stringType } from '../../types/cel-type.ts';
import { CelError, type CelResult } from '../../values/cel-value.ts';
import type { CelFunction, CelLibrary } from '../cel-library.ts';
import { costByName, makeFunction } from '../make-function.ts';
import { costOfReading, costOfReadingTwice } from '../traversal-cost.ts';
import { formatIpValue, ipType, type IpValue, parseIpValue } from './ip-value.ts';

function isCanonical(text: string): CelResult {
  const address = parseIpValue(text);
  return address instanceof CelError ? address : formatIpValue(address) === text;
}

function startsWith(bytes: Uint8Array, ...prefix: number[]): boolean {
  return prefix.every((byte, i) => bytes[i] === byte);
}

function isUnspecified({ bytes }: IpValue): boolean {
  return bytes.every((byte) => byte === 0);
}

function isLoopback({ bytes }: IpValue): boolean {
  if (bytes.length === 4) return bytes[0] === 127;
  return bytes[15] === 1 && bytes.subarray(0, 15).every((byte) => byte === 0);
}

function isMulticast({ bytes }: IpValue): boolean {
  return bytes.length === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
}

function isLinkLocalMulticast({ bytes }: IpValue): boolean {
  if (bytes.length === 4) return startsWith(bytes, 224, 0, 0);
  return bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 0x02;
}

function isLinkLocalUnicast({ bytes }: IpValue): boolean {
  if (bytes.length === 4) return startsWith(bytes, 169, 254);
  return bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
}

function isGlobalUnicast(address: IpValue): boolean {
  if (address.bytes.length === 4 && startsWith(address.bytes, 255, 255, 255, 255)) return false;
  return !isUnspecified(address) && !isLoopback(address) && !isMulticast(address) && !isLinkLocalUnicast(address);
}

function makeTest(name: string, id: string, call: (address: IpValue) => boolean): CelFunction {
  return makeFunction(name, [{ id, isMember: true, parameters: [ipType], result: boolType, call }]);
}

/** Cost of `ip`, which two libraries have: to read an address from text, or to take it from a network. */
export function costOfIp(values: readonly CelResult[], overloadId: string | undefined): number {
  return overloadId === 'cidr_ip' ? 1 : costOfReading(values);
}

/** Kubernetes' `kubernetes.net.ip`. */
export const ipLibrary: CelLibrary = {
  name: 'kubernetes.net.ip',
  types: { 'net.IP': ipType },
  functions: [
    costByName(
      makeFunction('ip', [
        { id: 'string_to_ip', isMember: false, parameters: [stringType], result: ipType, call: parseIpValue },
      ]),
      costOfIp,
    ),
    makeFunction('family', [
      {
        id: 'ip_family',
        isMember: true,
        parameters: [ipType],
        result: intType,
        call: ({ bytes }: IpValue) => (bytes.length === 4 ? 4 : 6),
      },
    ]),
    costByName(
      makeFunction('ip.isCanonical', [
        { id: 'ip_is_canonical', isMember: false, parameters: [stringType], result: boolType, call: isCanonical },
      ]),
      costOfReadingTwice,
    ),
    makeTest('isUnspecified', 'ip_is_unspecified', isUnspecified),
    makeTest('isLoopback', 'ip_is_loopback', isLoopback),
    makeTest('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
    makeTest('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
    makeTest('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
    costByName(
      makeFunction('isIP', [
        {
          id: 'is_ip',
          isMember: false,
          parameters: [stringType],
          result: boolType,
          call: (text: string) => !(parseIpValue(text) instanceof CelError),
        },
      ]),
      costOfReading,
    ),
    makeFunction('string', [
      { id: 'ip_to_string', isMember: false, parameters: [ipType], result: stringType, call: formatIpValue },
    ]),
  ],
};
