import { quoteGo } from '../../../errors/quote-go.ts';
import { formatIp } from '../../../validation/ip.ts';
import { makeOpaqueType } from '../../types/cel-type.ts';
import { CelError, CelOpaque, type CelValue } from '../../values/cel-value.ts';
import { rememberTexts } from '../remember-texts.ts';
import { isMappedAddress, parseAddress } from './ip-address.ts';

/** Type of addresses. */
export const ipType = makeOpaqueType('net.IP');

/** An address, neither mapped nor with a zone. */
export class IpValue extends CelOpaque {
  readonly type = ipType;
  /** 4 or 16 of them. */
  readonly bytes: Uint8Array;
  override readonly size: number;

  constructor(bytes: Uint8Array) {
    super();
    this.bytes = bytes;
    this.size = bytes.length;
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof IpValue)) return new CelError('no such overload');
    return areSameBytes(this.bytes, other.bytes);
  }
}

/** Whether two addresses are the same, family included. */
export function areSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** The canonical text of an address. */
export function formatIpValue({ bytes }: IpValue): string {
  return formatIp({
    family: bytes.length === 4 ? 4 : 6,
    bytes: [...bytes],
    isMapped: false,
    hasLeadingZeros: false,
  });
}

/** Reads an address as `ip(…)` does. */
export const parseIpValue = rememberTexts(parse);

function parse(text: string): IpValue | CelError {
  const parsed = parseAddress(text);
  if ('fault' in parsed) {
    return new CelError(`IP Address ${quoteGo(text)} parse error during conversion from string: ${parsed.fault}`);
  }
  if (parsed.zone !== undefined) return new CelError(`IP address ${quoteGo(text)} with zone value is not allowed`);
  if (isMappedAddress(parsed.bytes)) {
    return new CelError(`IPv4-mapped IPv6 address ${quoteGo(text)} is not allowed`);
  }
  return new IpValue(parsed.bytes);
}
