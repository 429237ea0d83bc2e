import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decodeTyped } from '../../core/decode/decode-typed.ts';
import { parseJson } from '../../core/decode/parse-json.ts';
import type { JsonObject, JsonValue } from '../../core/meta/json.ts';
import { agentKinds, buildKindRegistry, ownReviewKinds } from '../registry.ts';
import { hasProtobufMessage, parseProtobuf } from './parse-protobuf.ts';

const registry = buildKindRegistry('k8s.io');
const testdata = new URL('testdata/protobuf/', import.meta.url);
const nothingExpected = { apiVersion: '', kind: '' };

function readText(file: string): string {
  return readFileSync(new URL(file, testdata), 'utf8');
}

interface Recording {
  readonly name: string;
  readonly protobuf: Buffer;
  readonly json: JsonObject;
}

function parse(text: string): JsonValue {
  const parsed = parseJson(Buffer.from(text));
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed.value;
}

/** Objects as a real API server answered them in both encodings. */
function readRecordings(): Recording[] {
  const pairs = ['Lease', 'Pod', 'Secret'].map((name) => ({
    protobuf: readText(`${name}.base64`),
    json: parse(readText(`${name}.json`)) as JsonObject,
  }));
  pairs.push(...(parse(readText('objects.json')) as unknown as typeof pairs));
  return pairs.map(({ protobuf, json }) => ({
    name: json['kind'] as string,
    protobuf: Buffer.from(protobuf, 'base64'),
    json,
  }));
}

const recordings = readRecordings();

function decode(value: JsonValue): JsonObject {
  const { apiVersion, kind } = value as { apiVersion: string; kind: string };
  const schema = registry.kinds.find((served) => served.apiVersion === apiVersion && served.kind === kind)?.schema;
  if (schema === undefined) throw new Error(`nobody serves ${kind}`);
  const decoded = decodeTyped(value, schema, {});
  if ('fault' in decoded) throw new Error(decoded.fault);
  return decoded.object;
}

describe('parseProtobuf', () => {
  it.for(recordings.map((recording) => [recording.name, recording] as const))(
    'reads a %s of a real API server as its JSON says it',
    ([, { protobuf, json }]) => {
      const parsed = parseProtobuf(protobuf, nothingExpected);
      if ('fault' in parsed) throw new Error(parsed.fault);
      expect(decode(parsed.value)).toEqual(decode(json));
    },
  );

  it('knows a message of every kind that is served, but for those that only we have', () => {
    const own = new Set([...ownReviewKinds, ...agentKinds].map(({ kind }) => kind));
    for (const domain of ['k8s.io', 'example.com']) {
      const missing = buildKindRegistry(domain).kinds.filter(
        (kind) => !own.has(kind.kind) && !hasProtobufMessage(kind),
      );
      expect(missing.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([]);
    }
  });

  it('takes the type from the endpoint where the envelope leaves it out', () => {
    const bytes = Buffer.from('6b38730012070a050a0374776f', 'hex');
    const parsed = parseProtobuf(bytes, { apiVersion: 'v1', kind: 'Namespace' });
    expect(parsed).toMatchObject({ value: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'two' } } });
  });

  it('reads options that travel in the version of any group', () => {
    const envelope = '6b3873000a180a07617070732f7631120d44656c6574654f7074696f6e7312020800';
    const parsed = parseProtobuf(Buffer.from(envelope, 'hex'), nothingExpected);
    expect(parsed).toMatchObject({ value: { kind: 'DeleteOptions', gracePeriodSeconds: 0 } });
  });

  it('reads or refuses whatever is left of a body, and a body with any byte changed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...recordings),
        fc.nat(),
        fc.integer({ min: 0, max: 255 }),
        fc.boolean(),
        ({ protobuf }, at, byte, isCut) => {
          const bytes = Buffer.from(protobuf);
          const index = at % bytes.length;
          bytes[index] = byte;
          const parsed = parseProtobuf(isCut ? bytes.subarray(0, index) : bytes, nothingExpected);
          expect('fault' in parsed || 'value' in parsed).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('reads or refuses arbitrary bytes behind the prefix', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.constantFrom('Pod', 'Node', 'Event'), (tail, kind) => {
        const bytes = Buffer.concat([Buffer.from('6b38730012', 'hex'), Buffer.from([tail.length]), tail]);
        const parsed = parseProtobuf(bytes, { apiVersion: 'v1', kind });
        expect('fault' in parsed || 'value' in parsed).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.for<[string, string, string]>([
    ['an empty body', '', 'empty data'],
    [
      'another format',
      '7b7d',
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    ],
    ['a prefix alone', '6b387300', 'empty body'],
    ['a broken envelope', '6b387300ffff', 'unexpected EOF'],
    ['a broken message', '6b3873001202ffff', 'unexpected EOF'],
    ['a varint without end', '6b387300120bffffffffffffffffffffff', 'proto: integer overflow'],
    [
      'a length beyond all bounds',
      '6b387300120b0affffffffffffffffff01',
      'proto: negative length found during unmarshaling',
    ],
    ['a field of another type', '6b38730012020801', 'proto: wrong wireType = 0 for field ObjectMeta'],
    ['an end without a beginning', '6b38730012020c01', 'proto: Namespace: wiretype end group for non-group'],
    ['a field of number zero', '6b38730012020201', 'proto: Namespace: illegal tag 0 (wire type 2)'],
    ['an unknown wire type', '6b38730012027f01', 'proto: illegal wireType 7'],
    [
      'a kind that nobody knows',
      '6b3873000a0d0a02763112074e6f7468696e671200',
      'no kind "Nothing" is registered for version "v1" in scheme "pkg/runtime/scheme.go:110"',
    ],
  ])('refuses %s as Go does', ([, hex, fault]) => {
    const parsed = parseProtobuf(Buffer.from(hex, 'hex'), { apiVersion: 'v1', kind: 'Namespace' });
    expect(parsed).toMatchObject({ fault });
  });
});
