import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { formatAccessModes, formatOptional, shownColumn, wideColumn } from '../../workloads/format-cells.ts';
import { readList, readObject, readText } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { persistentVolumeRules, persistentVolumeStatusRules } from './rules.ts';

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

function formatClaim(volume: KubeObject): string {
  const claim = readObject(volume, 'spec', 'claimRef');
  return claim === undefined ? '' : `${readText(claim, 'namespace')}/${readText(claim, 'name')}`;
}

/** PersistentVolume: a piece of storage. */
export const persistentVolumeKind: KindDefinition = defineWorkloadKind({
  kind: 'PersistentVolume',
  group: '',
  plural: 'persistentvolumes',
  shortNames: ['pv'],
  clusterScoped: true,
  columns: [
    nameColumn,
    shownColumn('Capacity'),
    shownColumn('Access Modes'),
    shownColumn('Reclaim Policy'),
    shownColumn('Status'),
    shownColumn('Claim'),
    shownColumn('StorageClass'),
    shownColumn('VolumeAttributesClass'),
    shownColumn('Reason'),
    ageColumn,
    wideColumn('VolumeMode'),
  ],
  printRow: (volume, now) => [
    nameOf(volume),
    formatOptional('0', volume, 'spec', 'capacity', 'storage'),
    formatAccessModes(readList(volume, 'spec', 'accessModes')),
    readText(volume, 'spec', 'persistentVolumeReclaimPolicy'),
    volume.metadata.deletionTimestamp === undefined ? readText(volume, 'status', 'phase') : 'Terminating',
    formatClaim(volume),
    volume.metadata.annotations?.[classAnnotation] ?? readText(volume, 'spec', 'storageClassName'),
    formatOptional('<unset>', volume, 'spec', 'volumeAttributesClassName'),
    readText(volume, 'status', 'reason'),
    ageOf(volume, now),
    formatOptional('<unset>', volume, 'spec', 'volumeMode'),
  ],
  status: persistentVolumeStatusRules,
  rules: persistentVolumeRules,
  returnsDeletedObject: true,
  description: 'A piece of storage.',
});
