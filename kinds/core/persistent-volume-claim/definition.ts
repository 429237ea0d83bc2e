import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { formatAccessModes, formatOptional, shownColumn, wideColumn } from '../../workloads/format-cells.ts';
import { readList, readText } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { persistentVolumeClaimRules, persistentVolumeClaimStatusRules } from './rules.ts';

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

function readClass(claim: KubeObject): string {
  return claim.metadata.annotations?.[classAnnotation] ?? readText(claim, 'spec', 'storageClassName');
}

/** PersistentVolumeClaim: a request for storage. */
export const persistentVolumeClaimKind: KindDefinition = defineWorkloadKind({
  kind: 'PersistentVolumeClaim',
  group: '',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  columns: [
    nameColumn,
    shownColumn('Status'),
    shownColumn('Volume'),
    shownColumn('Capacity'),
    shownColumn('Access Modes'),
    shownColumn('StorageClass'),
    shownColumn('VolumeAttributesClass'),
    ageColumn,
    wideColumn('VolumeMode'),
  ],
  printRow: (claim, now) => {
    const bound = readText(claim, 'spec', 'volumeName') !== '';
    return [
      nameOf(claim),
      claim.metadata.deletionTimestamp === undefined ? readText(claim, 'status', 'phase') : 'Terminating',
      readText(claim, 'spec', 'volumeName'),
      bound ? formatOptional('0', claim, 'status', 'capacity', 'storage') : '',
      bound ? formatAccessModes(readList(claim, 'status', 'accessModes')) : '',
      readClass(claim),
      formatOptional('<unset>', claim, 'spec', 'volumeAttributesClassName'),
      ageOf(claim, now),
      formatOptional('<unset>', claim, 'spec', 'volumeMode'),
    ];
  },
  status: persistentVolumeClaimStatusRules,
  rules: persistentVolumeClaimRules,
  returnsDeletedObject: true,
  description: 'A request for storage.',
});
