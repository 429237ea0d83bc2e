import { boolType, intType, stringType } from '../../types/cel-type.ts';
import { CelError, type CelResult } from '../../values/cel-value.ts';
import type { CelLibrary } from '../cel-library.ts';
import { costByName, makeFunction } from '../make-function.ts';
import { costOfReading, sizeOfArgument, traversalFactor } from '../traversal-cost.ts';
import { cidrType, type CidrValue, convertToCidr, formatCidrValue, parseCidrValue } from './cidr-value.ts';
import { costOfIp } from './ip-library.ts';
import { ipType, type IpValue, parseIpValue } from './ip-value.ts';

function containsIpText(cidr: CidrValue, text: string): CelResult {
  const address = parseIpValue(text);
  // Kubernetes loses the reason here.
  return address instanceof CelError ? new CelError('no such overload') : cidr.containsIp(address);
}

function containsCidrText(cidr: CidrValue, text: string): CelResult {
  const other = convertToCidr(text);
  return other instanceof CelError ? other : cidr.containsCidr(other);
}

function costOfContainsIp(values: readonly CelResult[], overloadId: string | undefined): number {
  const comparison = Math.ceil(2 * sizeOfArgument(values, 0) * traversalFactor);
  if (overloadId !== 'cidr_contains_ip_string') return comparison;
  return comparison + Math.ceil(sizeOfArgument(values, 1) * traversalFactor);
}

function costOfContainsCidr(values: readonly CelResult[], overloadId: string | undefined): number {
  const size = sizeOfArgument(values, 0);
  const comparison = Math.ceil(2 * size * traversalFactor) + Math.ceil(size * traversalFactor) + 1;
  if (overloadId !== 'cidr_contains_cidr_string') return comparison;
  return comparison + Math.ceil(sizeOfArgument(values, 1) * traversalFactor);
}

/** Kubernetes' `kubernetes.net.cidr`. */
export const cidrLibrary: CelLibrary = {
  name: 'kubernetes.net.cidr',
  types: { 'net.CIDR': cidrType },
  functions: [
    costByName(
      makeFunction('cidr', [
        { id: 'string_to_cidr', isMember: false, parameters: [stringType], result: cidrType, call: convertToCidr },
      ]),
      costOfReading,
    ),
    costByName(
      makeFunction('containsIP', [
        {
          id: 'cidr_contains_ip_string',
          isMember: true,
          parameters: [cidrType, stringType],
          result: boolType,
          call: containsIpText,
        },
        {
          id: 'cidr_contains_ip_ip',
          isMember: true,
          parameters: [cidrType, ipType],
          result: boolType,
          call: (cidr: CidrValue, address: IpValue) => cidr.containsIp(address),
        },
      ]),
      costOfContainsIp,
    ),
    costByName(
      makeFunction('containsCIDR', [
        {
          id: 'cidr_contains_cidr_string',
          isMember: true,
          parameters: [cidrType, stringType],
          result: boolType,
          call: containsCidrText,
        },
        {
          id: 'cidr_contains_cidr',
          isMember: true,
          parameters: [cidrType, cidrType],
          result: boolType,
          call: (cidr: CidrValue, other: CidrValue) => cidr.containsCidr(other),
        },
      ]),
      costOfContainsCidr,
    ),
    costByName(
      makeFunction('ip', [
        {
          id: 'cidr_ip',
          isMember: true,
          parameters: [cidrType],
          result: ipType,
          call: ({ address }: CidrValue) => address,
        },
      ]),
      costOfIp,
    ),
    makeFunction('prefixLength', [
      {
        id: 'cidr_prefix_length',
        isMember: true,
        parameters: [cidrType],
        result: intType,
        call: ({ bits }: CidrValue) => bits,
      },
    ]),
    makeFunction('masked', [
      {
        id: 'cidr_masked',
        isMember: true,
        parameters: [cidrType],
        result: cidrType,
        call: (cidr: CidrValue) => cidr.mask(),
      },
    ]),
    costByName(
      makeFunction('isCIDR', [
        {
          id: 'is_cidr',
          isMember: false,
          parameters: [stringType],
          result: boolType,
          call: (text: string) => !(parseCidrValue(text) instanceof CelError),
        },
      ]),
      costOfReading,
    ),
    makeFunction('string', [
      { id: 'cidr_to_string', isMember: false, parameters: [cidrType], result: stringType, call: formatCidrValue },
    ]),
  ],
};
