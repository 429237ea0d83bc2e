import { describe, expect, it } from 'vitest';

import { formatFieldError } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { approvalRules, certificateSigningRequestStatusRules } from './rules.ts';
import { validateRequest } from './validate-request.ts';

const context = { domain: 'k8s.io', nowMillis: Date.UTC(2026, 0, 31) };

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}

function armour(type: string, head = ''): string {
  return encode(`-----BEGIN ${type}-----\n${head}TUlJ\n-----END ${type}-----\n`);
}

function make(spec: object, status: object = {}): KubeObject {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'a' },
    spec: { request: armour('CERTIFICATE REQUEST'), signerName: 'a.b/c', usages: ['client auth'], ...spec },
    status,
  } as KubeObject;
}

const is = (type: string, status = 'True', reason = ''): object => ({ type, status, reason });
const certificate = armour('CERTIFICATE');

describe('a new signing request', () => {
  it.for([
    ['is sound', {}, []],
    [
      'has no request in its text',
      { request: encode('hello') },
      ['spec.request: Invalid value: "aGVsbG8=": PEM block type must be CERTIFICATE REQUEST'],
    ],
    ['has no usages', { usages: [] }, ['spec.usages: Required value']],
    ['repeats a usage', { usages: ['any', 'any'] }, ['spec.usages[1]: Duplicate value: "any"']],
    [
      'asks for the signer of old',
      { signerName: 'kubernetes.io/legacy-unknown' },
      [
        'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
      ],
    ],
    [
      'names a signer without a domain',
      { signerName: 'abc' },
      [
        'spec.signerName: Invalid value: "abc": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
      ],
    ],
    [
      'wants a short life',
      { expirationSeconds: 1 },
      ['spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 600 seconds (10 minutes)'],
    ],
  ] as const)('that %s', ([, spec, faults]) => {
    expect(validateRequest(make(spec)).map(formatFieldError)).toEqual(faults);
  });

  it('names every usage that there is, when one is unknown', () => {
    const [fault] = validateRequest(make({ usages: ['foo'] })).map(formatFieldError);
    expect(fault).toMatch(
      /^spec\.usages\[0\]: Unsupported value: "foo": supported values: "any", "cert sign", .*"timestamping"$/,
    );
  });

  it('is read in one walk, however many blocks are begun', () => {
    const request = encode('-----BEGIN CERTIFICATE REQUEST-----\n'.repeat(200_000));
    const before = process.threadCpuUsage();
    expect(validateRequest(make({ request }))).toHaveLength(1);
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });
});

type Row = readonly [name: string, old: object, written: object, faults: readonly string[]];

// What a Kubernetes 1.34 control plane says to each.
const approvals: readonly Row[] = [
  ['adds what it likes', {}, { conditions: [is('E')] }, []],
  ['replaces what is no decision', { conditions: [is('E')] }, { conditions: [is('Approved')] }, []],
  [
    'approves by half',
    {},
    { conditions: [is('Approved', 'False')] },
    ['status.conditions[0].status: Unsupported value: "False": supported values: "True"'],
  ],
  [
    'says nothing whole',
    {},
    { conditions: [is(''), is('A', ''), is('B', 'Maybe'), is('A')] },
    [
      'status.conditions[0].type: Required value',
      'status.conditions[1].status: Required value',
      'status.conditions[2].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
      'status.conditions[3].type: Duplicate value: "A"',
    ],
  ],
  [
    'approves and denies',
    {},
    { conditions: [is('Approved'), is('Denied')] },
    ['status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive'],
  ],
  [
    'takes an approval back',
    { conditions: [is('Approved')] },
    { conditions: [is('F')] },
    ['status.conditions: Forbidden: updates may not remove a condition of type "Approved"'],
  ],
];

const statuses: readonly Row[] = [
  ['fails the request', {}, { conditions: [is('Failed')] }, []],
  ['signs', { conditions: [is('Approved')] }, { conditions: [is('Approved')], certificate }, []],
  [
    'approves',
    {},
    { conditions: [is('Approved')] },
    ['status.conditions: Forbidden: updates may not add a condition of type "Approved"'],
  ],
  [
    'takes an approval back',
    { conditions: [is('Approved')] },
    { conditions: [is('G')] },
    ['status.conditions: Forbidden: updates may not remove a condition of type "Approved"'],
  ],
  [
    'signs with no certificate',
    {},
    { certificate: encode('hello') },
    ['status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block'],
  ],
  [
    'signs with the request',
    {},
    { certificate: armour('CERTIFICATE REQUEST') },
    [
      'status.certificate: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"',
    ],
  ],
  [
    'signs with headers',
    {},
    { certificate: armour('CERTIFICATE', 'a: b\n\n') },
    ['status.certificate: Invalid value: "<certificate data>": no PEM block headers are permitted'],
  ],
  [
    'takes a certificate back',
    { certificate },
    {},
    ['status.certificate: Forbidden: updates may not modify existing certificate content'],
  ],
];

describe('whoever decides', () => {
  it.for(approvals)('%s', ([, old, written, faults]) => {
    const [before, request] = [make({}, old), make({}, structuredClone(written))];
    approvalRules.prepare?.(request, before, context);
    const errors = approvalRules.validate?.(request, before) ?? [];
    expect(errors.map(formatFieldError)).toEqual(faults);
  });

  it('writes no certificate', () => {
    const request = make({}, { certificate, conditions: [is('E')] });
    approvalRules.prepare?.(request, make({}), context);
    expect(request).not.toHaveProperty('status.certificate');
  });
});

describe('whoever signs', () => {
  it.for(statuses)('%s', ([, old, written, faults]) => {
    const [before, request] = [make({}, old), make({}, structuredClone(written))];
    certificateSigningRequestStatusRules.prepare?.(request, before, context);
    const errors = certificateSigningRequestStatusRules.validate?.(request, before) ?? [];
    expect(errors.map(formatFieldError)).toEqual(faults);
  });

  it('leaves a decision as it was', () => {
    const before = make({}, { conditions: [is('Approved', 'True', 'first')] });
    const request = make({}, { conditions: [is('Approved', 'True', 'changed'), is('G')] });
    certificateSigningRequestStatusRules.prepare?.(request, before, context);
    expect(request).toMatchObject({ status: { conditions: [{ reason: 'first' }, { type: 'G' }] } });
  });
});
