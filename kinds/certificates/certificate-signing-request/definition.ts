import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatDuration } from '../../format-age.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { shownColumn } from '../../workloads/format-cells.ts';
import { readItems, readNumber, readText } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { certificateSigningRequestRules, certificateSigningRequestStatusRules } from './rules.ts';

function formatCondition(request: KubeObject): string {
  const types = new Set(readItems(request, 'status', 'conditions').map((condition) => readText(condition, 'type')));
  const state = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const failed = types.has('Failed') ? ',Failed' : '';
  return `${state}${failed}${readText(request, 'status', 'certificate') === '' ? '' : ',Issued'}`;
}

function formatDurationOf(request: KubeObject): string {
  const seconds = readNumber(request, 'spec', 'expirationSeconds');
  return seconds === undefined ? '<none>' : formatDuration(seconds * 1000);
}

/** CertificateSigningRequest: asks a signer for a certificate. */
export const certificateSigningRequestKind: KindDefinition = defineWorkloadKind({
  kind: 'CertificateSigningRequest',
  group: 'certificates.k8s.io',
  plural: 'certificatesigningrequests',
  shortNames: ['csr'],
  clusterScoped: true,
  columns: [
    nameColumn,
    ageColumn,
    shownColumn('SignerName'),
    shownColumn('Requestor'),
    shownColumn('RequestedDuration'),
    shownColumn('Condition'),
  ],
  printRow: (request, now) => [
    nameOf(request),
    ageOf(request, now),
    readText(request, 'spec', 'signerName') || '<none>',
    readText(request, 'spec', 'username'),
    formatDurationOf(request),
    formatCondition(request),
  ],
  status: certificateSigningRequestStatusRules,
  selectableFields: { 'spec.signerName': (request) => readText(request, 'spec', 'signerName') },
  subresources: ['approval'],
  rules: certificateSigningRequestRules,
  description: 'Asks a signer for a certificate.',
});
