import { describe, expect, it } from 'vitest';
import { formatFieldError } from '../../core/errors/make-field-error.ts';
import { approvalRules } from '../certificates/certificate-signing-request/rules.ts';
import { workloadKinds } from './workload-kinds.ts';

function listFaults(kindName: string, fields: object): string[] {
  const kind = workloadKinds.find((candidate) => candidate.kind === kindName);
  const object = { apiVersion: 'x/v1', kind: kindName, metadata: { name: 'a' }, ...fields };
  const errors = kind?.strategy.validateCreate(object, { domain: 'k8s.io', nowMillis: 0 });
  return (errors ?? []).map(formatFieldError);
}

describe('classes', () => {
  it.for([
    ['IngressClass', { spec: { controller: 'a.b/c' } }, []],
    ['IngressClass', { spec: {} }, ['spec.controller: Required value']],
    [
      'IngressClass',
      { spec: { controller: 'c' } },
      ['spec.controller: Invalid value: "c": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
    [
      'StorageClass',
      { provisioner: '', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
      ['provisioner: Required value'],
    ],
    [
      'StorageClass',
      { provisioner: 'A b', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
      [
        "provisioner: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    ],
  ] as const)('%s of %j', ([kind, fields, faults]) => {
    expect(listFaults(kind, fields)).toEqual(faults);
  });
});

describe('signing requests', () => {
  it('date their conditions', () => {
    const make = (status: object) => ({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'a' },
      status,
    });
    const given = { type: 'Approved', status: 'True', lastUpdateTime: null, lastTransitionTime: null };
    const request = make({ conditions: [given] });
    const context = { domain: 'k8s.io', nowMillis: Date.UTC(2026, 0, 31) };
    approvalRules.prepare?.(request, make({}), context);
    const now = '2026-01-31T00:00:00Z';
    expect(request.status).toEqual({ conditions: [{ ...given, lastUpdateTime: now, lastTransitionTime: now }] });
  });

  it('say who asks, whatever the client wrote', () => {
    const kind = workloadKinds.find((candidate) => candidate.kind === 'CertificateSigningRequest');
    const object = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'a' },
      spec: { username: 'root', uid: '0', groups: ['system:masters'], extra: { a: ['b'] }, signerName: 'a.b/c' },
    };
    const user = { username: 'jane', uid: '', groups: ['g'], extra: { c: ['d'] } };
    kind?.strategy.prepareForCreate(object, { domain: 'k8s.io', nowMillis: 0, user });
    expect(object.spec).toEqual({ username: 'jane', groups: ['g'], extra: { c: ['d'] }, signerName: 'a.b/c' });
  });
});
