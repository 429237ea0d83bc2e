import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeContinueToken, encodeContinueToken } from './continue-token.ts';

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

describe('continue tokens', () => {
  it('give back what they were made of', () => {
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,20}[a-z0-9]$/);
    fc.assert(
      fc.property(name, name, fc.integer({ min: 1 }), (namespace, last, revision) => {
        const token = { startAfter: `${namespace}/${last}`, revision };
        expect(decodeContinueToken(encodeContinueToken(token))).toEqual(token);
      }),
    );
  });

  it('may ask for the newest state', () => {
    expect(decodeContinueToken(encodeContinueToken({ startAfter: 'a', revision: -1 })).revision).toBe(-1);
  });

  it.for([
    ['*', 'illegal base64 data at input byte 0'],
    ['a', 'illegal base64 data at input byte 0'],
    ['abc', "invalid character 'i' looking for beginning of value"],
    [encode([]), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
    [encode({}), 'server does not recognize this encoded version '],
    [encode({ v: 'v2', rv: 1, start: 'a' }), 'server does not recognize this encoded version v2'],
    [encode({ v: 'meta.k8s.io/v1', start: 'a' }), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
    [encode({ v: 'meta.k8s.io/v1', rv: 1.5, start: 'a' }), 'incorrect encoded start resourceVersion'],
    [encode({ v: 'meta.k8s.io/v1', rv: 1 }), 'encoded start key empty (version meta.k8s.io/v1)'],
    [encode({ v: 'meta.k8s.io/v1', rv: 1, start: '../../secrets/x' }), '../../secrets/x'],
    [encode({ v: 'meta.k8s.io/v1', rv: 1, start: 'a//b' }), 'a//b'],
  ] as const)('%s is refused', ([text, fault]) => {
    expect(() => decodeContinueToken(text)).toThrow(`invalid continue token: continue key is not valid: ${fault}`);
  });
});
