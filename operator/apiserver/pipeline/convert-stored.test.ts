import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import { makeCertificate } from '../../../platform/certificates/make-certificate.ts';
import { prepareStored } from './convert-stored.ts';
import { decodeAs, encodeObject } from './stored-encoding.ts';

interface Review {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly object[] };
}

function store(name: string, apiVersion = 'example.com/v1', more: object = {}): Buffer {
  const metadata = { name, uid: name };
  return encodeObject({ apiVersion, kind: 'Thing', metadata, ...more }, 'Thing', apiVersion, '1');
}

describe('stored objects of another version', () => {
  /** How many objects each question was about. */
  let questions: number[] = [];
  let isRefusing = false;
  let caBundle = '';
  const server = createServer();

  function makeKind(): RegisteredKind {
    const clientConfig = { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, caBundle };
    const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
    const definedBy = { spec: { conversion } };
    const [kind, apiVersion] = ['Thing', 'example.com/v2'];
    return { kind, apiVersion, strategy: {}, definedBy } as unknown as RegisteredKind;
  }

  beforeAll(async () => {
    const nowMillis = Date.now();
    const { certificate, privateKey } = await makeCertificate({
      commonName: '127.0.0.1',
      purpose: 'server',
      subjectNames: ['127.0.0.1'],
      notBeforeMillis: nowMillis - 60_000,
      notAfterMillis: nowMillis + 3_600_000,
    });
    caBundle = Buffer.from(certificate).toString('base64');
    server.setSecureContext({ cert: certificate, key: privateKey });
    server.on('request', (request, response) => {
      void json(request).then((body) => {
        const { uid, objects, desiredAPIVersion } = (body as Review).request;
        questions.push(objects.length);
        const convertedObjects = objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion }));
        const result = isRefusing ? { status: 'Failure', message: 'not now' } : { status: 'Success' };
        const answer = { uid, result, convertedObjects: isRefusing ? [] : convertedObjects };
        response.end(JSON.stringify({ ...(body as object), request: undefined, response: answer }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    questions = [];
    isRefusing = false;
  });
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

  it('are asked about once, however many read them at a time', async () => {
    const kind = makeKind();
    const [first, second] = [store('a'), store('b')];
    const readers = Array.from({ length: 20 }, (_, index) =>
      prepareStored(kind, index % 2 === 0 ? [first, first] : [first, second]),
    );
    await Promise.all(readers);
    await prepareStored(kind, [first, second]);
    expect(questions).toEqual([1, 1]);
    expect(decodeAs(kind, second)).toMatchObject({ apiVersion: 'example.com/v2', metadata: { name: 'b' } });
  });

  it('are asked about again after a failure, which all are told of', async () => {
    const kind = makeKind();
    const values = [store('a')];
    isRefusing = true;
    const readers = await Promise.allSettled([prepareStored(kind, values), prepareStored(kind, values)]);
    expect(readers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isRefusing = false;
    await prepareStored(kind, values);
    expect(questions).toEqual([1, 1]);
    expect(decodeAs(kind, values[0]!)).toMatchObject({ apiVersion: 'example.com/v2' });
  });

  it.for<[string, Buffer[], number[]]>([
    ['none', [], []],
    ['those of the version itself', [store('a', 'example.com/v2')], []],
    ['many', Array.from({ length: 450 }, (_, index) => store(`${index}`)), [200, 200, 50]],
    [
      'large ones',
      Array.from({ length: 5 }, (_, index) => store(`${index}`, undefined, { text: 'x'.repeat(400_000) })),
      [2, 2, 1],
    ],
    ['one that is larger than a part', [store('a', undefined, { text: 'x'.repeat(2_000_000) }), store('b')], [1, 1]],
  ])('are asked about in parts: %s', async ([, values, expected]) => {
    const kind = makeKind();
    await prepareStored(kind, values);
    expect(questions).toEqual(expected);
    expect(values.map((value) => decodeAs(kind, value).apiVersion)).toEqual(values.map(() => 'example.com/v2'));
  });
});
