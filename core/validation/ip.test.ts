import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldPath } from '../errors/field-path.ts';
import { formatFieldError } from '../errors/make-field-error.ts';
import {
  cidrContains,
  cidrContainsStrictly,
  formatCidr,
  formatIp,
  parseCidr,
  parseIp,
  validateCidr,
  validateIp,
  validateLegacyCidr,
  validateLegacyIp,
  warnOfCidr,
  warnOfIp,
} from './ip.ts';
import cidrs from './testdata/cidrs.json' with { type: 'json' };
import ips from './testdata/ips.json' with { type: 'json' };

interface Row {
  text: string;
  legacy: string[];
  legacyStrict: string[];
  strict: string[];
  warnings?: string[];
}

const path = FieldPath.root('ip');

// The rows are Kubernetes' own answers.
describe('addresses', () => {
  it.for(ips as Row[])('$text', (row) => {
    expect(validateLegacyIp(row.text, path).map(formatFieldError)).toEqual(row.legacy);
    expect(validateLegacyIp(row.text, path, true).map(formatFieldError)).toEqual(row.legacyStrict);
    expect(validateIp(row.text, path).map(formatFieldError)).toEqual(row.strict);
    if (row.warnings !== undefined) expect(warnOfIp(row.text, path)).toEqual(row.warnings);
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseIp(text);
        const again = address && parseIp(formatIp(address));
        expect(again?.bytes).toEqual(address?.bytes);
      }),
    );
  });
});

describe('networks', () => {
  it.for(cidrs as Row[])('$text', (row) => {
    expect(validateLegacyCidr(row.text, path).map(formatFieldError)).toEqual(row.legacy);
    expect(validateLegacyCidr(row.text, path, true).map(formatFieldError)).toEqual(row.legacyStrict);
    expect(validateCidr(row.text, path).map(formatFieldError)).toEqual(row.strict);
    if (row.warnings !== undefined) expect(warnOfCidr(row.text, path)).toEqual(row.warnings);
  });

  it.for([
    ['10.0.0.0/8', '10.1.0.0/16', true, true],
    ['10.0.0.0/8', '10.0.0.0/8', true, false],
    ['10.0.0.0/16', '10.0.0.0/8', false, false],
    ['10.0.0.0/8', '11.0.0.0/16', false, false],
    ['0.0.0.0/0', '::/0', false, false],
    ['2001:db8::/33', '2001:db8:8000::/40', false, false],
    ['2001:db8::/32', '2001:db8:8000::/40', true, true],
  ] as const)('%s holds %s: %j, strictly: %j', ([outerText, innerText, holds, holdsStrictly]) => {
    const outer = parseCidr(outerText);
    const inner = parseCidr(innerText);
    expect(outer && inner && cidrContains(outer, inner)).toBe(holds);
    expect(outer && inner && cidrContainsStrictly(outer, inner)).toBe(holdsStrictly);
  });

  it('writes a network without host bits', () => {
    const cidr = parseCidr('10.1.2.3/9');
    expect(cidr && formatCidr(cidr)).toBe('10.0.0.0/9');
  });
});
