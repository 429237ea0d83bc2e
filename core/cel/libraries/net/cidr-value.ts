import { quoteGo } from '../../../errors/quote-go.ts';
import { makeOpaqueType } from '../../types/cel-type.ts';
import { CelError, CelOpaque, type CelValue } from '../../values/cel-value.ts';
import { rememberTexts } from '../remember-texts.ts';
import { isMappedAddress, parseAddress, sharePrefix } from './ip-address.ts';
import { areSameBytes, formatIpValue, IpValue } from './ip-value.ts';

/** Type of networks. */
export const cidrType = makeOpaqueType('net.CIDR');

/** A network as it is written: bits beyond the prefix may be set. */
export class CidrValue extends CelOpaque {
  readonly type = cidrType;
  readonly address: IpValue;
  /** Length of the prefix. */
  readonly bits: number;
  override readonly size: number;

  constructor(address: IpValue, bits: number) {
    super();
    this.address = address;
    this.bits = bits;
    this.size = Math.ceil(bits / 8);
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CidrValue)) return new CelError('no such overload');
    return this.bits === other.bits && areSameBytes(this.address.bytes, other.address.bytes);
  }

  /** Whether an address is in the network. */
  containsIp({ bytes }: IpValue): boolean {
    return bytes.length === this.address.bytes.length && sharePrefix(this.address.bytes, bytes, this.bits);
  }

  /** Whether all of another network is in this one. */
  containsCidr(other: CidrValue): boolean {
    return this.bits <= other.bits && this.containsIp(other.address);
  }

  /** The network with no bit set beyond the prefix. */
  mask(): CidrValue {
    const bytes = this.address.bytes.map(
      (byte, i) => byte & (0xff << Math.min(8, Math.max(0, 8 * (i + 1) - this.bits))),
    );
    return new CidrValue(new IpValue(bytes), this.bits);
  }
}

/** The text of a network, bits beyond the prefix included. */
export function formatCidrValue({ address, bits }: CidrValue): string {
  return `${formatIpValue(address)}/${bits}`;
}

function refuse(text: string, message: string): CelError {
  return refuseConversion(`netip.ParsePrefix(${quoteGo(text)}): ${message}`);
}

function refuseConversion(message: string): CelError {
  return new CelError(`network address parse error during conversion from string: ${message}`);
}

/** Reads a network; without the prefix that `cidr(…)` puts before its errors. */
export const parseCidrValue = rememberTexts(parse);

function parse(text: string): CidrValue | CelError {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return refuse(text, "no '/'");
  const parsed = parseAddress(text.slice(0, slash));
  if ('fault' in parsed) return refuse(text, parsed.fault);
  if (parsed.zone !== undefined) return refuse(text, 'IPv6 zones cannot be present in a prefix');
  const bitsText = text.slice(slash + 1);
  if (!/^(?:[0-9]|[1-9][0-9]+)$/.test(bitsText) || bitsText.length > 19 || BigInt(bitsText) >= 2n ** 63n) {
    return refuse(text, `bad bits after slash: ${quoteGo(bitsText)}`);
  }
  const bits = Number(bitsText);
  if (bits > parsed.bytes.length * 8) return refuse(text, 'prefix length out of range');
  if (isMappedAddress(parsed.bytes)) {
    return new CelError(`IPv4-mapped IPv6 address ${quoteGo(text)} is not allowed`);
  }
  return new CidrValue(new IpValue(parsed.bytes), bits);
}

/** Reads a network as `cidr(…)` does. */
export function convertToCidr(text: string): CidrValue | CelError {
  const cidr = parseCidrValue(text);
  return cidr instanceof CelError ? refuseConversion(cidr.message) : cidr;
}
