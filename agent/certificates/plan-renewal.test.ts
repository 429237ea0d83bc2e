import { describe, expect, it } from 'vitest';
import { planRenewal } from './plan-renewal.ts';

const nowMillis = 1_000_000;
const issued = {
  notBeforeMillis: nowMillis,
  notAfterMillis: nowMillis + 1_000,
  names: new Set(['node-1', '10.0.0.1']),
};
const wantedNames = ['node-1', '10.0.0.1'];

describe('when the next certificate is asked for', () => {
  it.for<[string, Partial<Parameters<typeof planRenewal>[0]>, number, string]>([
    ['at once without one', { issued: undefined }, nowMillis, 'none was issued yet'],
    ['after seven tenths of its life', {}, nowMillis + 700, 'it nears its end'],
    ['or after nine, at the latest', { spread: 1 }, nowMillis + 900, 'it nears its end'],
    ['at once when that is past', { nowMillis: nowMillis + 800 }, nowMillis + 800, 'it nears its end'],
    ['at once when it has ended', { nowMillis: nowMillis + 2_000 }, nowMillis + 2_000, 'it nears its end'],
    ['at once for a new address', { wantedNames: [...wantedNames, 'fd00::1'] }, nowMillis, 'it is not for fd00::1'],
    ['at once when nobody trusts it', { isTrusted: false }, nowMillis, 'its authority is trusted no more'],
    ['no sooner when it is not known who does', { isTrusted: undefined }, nowMillis + 700, 'it nears its end'],
    ['no sooner for an address that is gone', { wantedNames: ['node-1'] }, nowMillis + 700, 'it nears its end'],
  ])('%s', ([, facts, atMillis, reason]) => {
    expect(planRenewal({ issued, isTrusted: true, wantedNames, nowMillis, spread: 0, ...facts })).toEqual({
      atMillis,
      reason,
    });
  });
});
