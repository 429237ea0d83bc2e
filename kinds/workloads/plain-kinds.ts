import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { KindDefinition, PrintRow } from '../kind-definition.ts';
import { ageColumn, createdAtColumn, nameColumn } from '../printer-columns.ts';
import { defineWorkloadKind } from './define-workload-kind.ts';
import { formatOptional, formatSome, shownColumn } from './format-cells.ts';
import {
  classRules,
  controllerRevisionRules,
  csiDriverRules,
  deviceRules,
  endpointSliceRules,
  ingressClassRules,
  leaseRules,
  nodeScopedRules,
  priorityClassRules,
  storageClassRules,
} from './plain-rules.ts';
import {
  readField,
  readFlag,
  readItems,
  readList,
  readTextList,
  readNumber,
  readObject,
  readText,
} from './read-field.ts';
import { ageOf, createdAtOf, nameOf } from './row-cells.ts';

const nameAndAge = [nameColumn, ageColumn];
const printNameAndAge: PrintRow<KubeObject> = (object, now) => [nameOf(object), ageOf(object, now)];
const createdAt = [nameColumn, createdAtColumn];
const printCreatedAt: PrintRow<KubeObject> = (object) => [nameOf(object), createdAtOf(object)];

function formatController(revision: KubeObject): string {
  const owner = revision.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined) return '<none>';
  const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
  return `${owner.kind}${group}`.toLowerCase() + `/${owner.name}`;
}

function formatParameters(ingressClass: KubeObject): string {
  const parameters = readObject(ingressClass, 'spec', 'parameters');
  if (parameters === undefined) return '<none>';
  const group = readText(parameters, 'apiGroup');
  return `${readText(parameters, 'kind')}${group === '' ? '' : `.${group}`}/${readText(parameters, 'name')}`;
}

function formatClaimState(claim: KubeObject): string {
  const deleted = claim.metadata.deletionTimestamp !== undefined;
  const allocated = readObject(claim, 'status', 'allocation') !== undefined;
  const reserved = readList(claim, 'status', 'reservedFor').length > 0;
  const states: [string, boolean][] = [
    ['deleted', deleted],
    ['pending', !deleted && !allocated],
    ['allocated', allocated],
    ['reserved', allocated && reserved],
  ];
  return states
    .filter(([, holds]) => holds)
    .map(([state]) => state)
    .join(',');
}

function formatSlicePorts(slice: KubeObject): string {
  const ports = readItems(slice, 'ports').map((port) =>
    formatOptional(formatOptional('*', port, 'name'), port, 'port'),
  );
  return formatSome(ports, '<unset>');
}

function formatSliceEndpoints(slice: KubeObject): string {
  const addresses = readItems(slice, 'endpoints').flatMap((endpoint) => readTextList(endpoint, 'addresses'));
  return formatSome(addresses, '<unset>');
}

function formatStorageClassName(object: KubeObject): string {
  const annotations = object.metadata.annotations ?? {};
  const isDefault = ['storageclass.kubernetes.io', 'storageclass.beta.kubernetes.io'].some(
    (prefix) => annotations[`${prefix}/is-default-class`] === 'true',
  );
  return `${nameOf(object)}${isDefault ? ' (default)' : ''}`;
}

function formatTokenRequests(driver: KubeObject): string {
  if (readField(driver, 'spec', 'tokenRequests') === undefined) return '<unset>';
  return readItems(driver, 'spec', 'tokenRequests')
    .map((request) => readText(request, 'audience'))
    .join(',');
}

const appsKinds: readonly KindDefinition[] = [
  defineWorkloadKind({
    kind: 'ControllerRevision',
    group: 'apps',
    plural: 'controllerrevisions',
    columns: [nameColumn, shownColumn('Controller'), shownColumn('Revision'), ageColumn],
    printRow: (object, now) => [
      nameOf(object),
      formatController(object),
      readNumber(object, 'revision') ?? 0,
      ageOf(object, now),
    ],
    rules: controllerRevisionRules,
    description: 'A state of a controller, to go back to.',
  }),
];

const coordinationKinds: readonly KindDefinition[] = [
  defineWorkloadKind({
    kind: 'Lease',
    group: 'coordination.k8s.io',
    plural: 'leases',
    columns: [nameColumn, shownColumn('Holder'), ageColumn],
    printRow: (object, now) => [nameOf(object), readText(object, 'spec', 'holderIdentity'), ageOf(object, now)],
    rules: leaseRules,
    description: 'A right that one holder has for a time.',
  }),
];

const discoveryKinds: readonly KindDefinition[] = [
  defineWorkloadKind({
    kind: 'EndpointSlice',
    group: 'discovery.k8s.io',
    plural: 'endpointslices',
    columns: [nameColumn, shownColumn('AddressType'), shownColumn('Ports'), shownColumn('Endpoints'), ageColumn],
    printRow: (object, now) => [
      nameOf(object),
      readText(object, 'addressType'),
      formatSlicePorts(object),
      formatSliceEndpoints(object),
      ageOf(object, now),
    ],
    generationFields: ['addressType', 'endpoints', 'ports'],
    rules: endpointSliceRules,
    description: 'Some of the addresses behind a service.',
  }),
];

const networkingKinds: readonly KindDefinition[] = [
  defineWorkloadKind({
    kind: 'IngressClass',
    group: 'networking.k8s.io',
    plural: 'ingressclasses',
    clusterScoped: true,
    columns: [nameColumn, shownColumn('Controller'), shownColumn('Parameters'), ageColumn],
    printRow: (object, now) => [
      nameOf(object),
      readText(object, 'spec', 'controller'),
      formatParameters(object),
      ageOf(object, now),
    ],
    generationFields: ['spec'],
    rules: ingressClassRules,
    description: 'Which controller implements an ingress.',
  }),
];

const resourceKinds: readonly KindDefinition[] = [
  defineWorkloadKind({
    kind: 'DeviceClass',
    group: 'resource.k8s.io',
    plural: 'deviceclasses',
    clusterScoped: true,
    columns: nameAndAge,
    printRow: printNameAndAge,
    generationFields: ['spec'],
    returnsDeletedObject: true,
    description: 'A class of devices that claims ask for.',
  }),
  defineWorkloadKind({
    kind: 'ResourceClaim',
    group: 'resource.k8s.io',
    plural: 'resourceclaims',
    columns: [nameColumn, shownColumn('State'), ageColumn],
    printRow: (object, now) => [nameOf(object), formatClaimState(object), ageOf(object, now)],
    status: true,
    rules: deviceRules('spec'),
    returnsDeletedObject: true,
    description: 'A request for devices.',
  }),
  defineWorkloadKind({
    kind: 'ResourceClaimTemplate',
    group: 'resource.k8s.io',
    plural: 'resourceclaimtemplates',
    columns: nameAndAge,
    printRow: printNameAndAge,
    rules: deviceRules('spec', 'spec'),
    returnsDeletedObject: true,
    description: 'A pattern of resource claims.',
  }),
  defineWorkloadKind({
    kind: 'ResourceSlice',
    group: 'resource.k8s.io',
    plural: 'resourceslices',
    clusterScoped: true,
    columns: [nameColumn, shownColumn('Node'), shownColumn('Driver'), shownColumn('Pool'), ageColumn],
    printRow: (object, now) => [
      nameOf(object),
      readText(object, 'spec', 'nodeName'),
      readText(object, 'spec', 'driver'),
      readText(object, 'spec', 'pool', 'name'),
      ageOf(object, now),
    ],
    generationFields: ['spec'],
    selectableFields: {
      'spec.nodeName': (object) => readText(object, 'spec', 'nodeName'),
      'spec.driver': (object) => readText(object, 'spec', 'driver'),
    },
    returnsDeletedObject: true,
    description: 'Some of the devices of a pool.',
  }),
];

const schedulingKinds: readonly KindDefinition[] = [
  defineWorkloadKind({
    kind: 'PriorityClass',
    group: 'scheduling.k8s.io',
    plural: 'priorityclasses',
    shortNames: ['pc'],
    clusterScoped: true,
    columns: [
      nameColumn,
      shownColumn('Value', 'integer'),
      shownColumn('Global-Default', 'boolean'),
      ageColumn,
      shownColumn('PreemptionPolicy'),
    ],
    printRow: (object, now) => [
      nameOf(object),
      readNumber(object, 'value') ?? 0,
      readFlag(object, 'globalDefault'),
      ageOf(object, now),
      readText(object, 'preemptionPolicy'),
    ],
    generationFields: ['value'],
    rules: priorityClassRules,
    description: 'A name for a priority of pods.',
  }),
];

const storageKinds: readonly KindDefinition[] = [
  defineWorkloadKind({
    kind: 'CSIDriver',
    group: 'storage.k8s.io',
    plural: 'csidrivers',
    clusterScoped: true,
    columns: [
      nameColumn,
      shownColumn('AttachRequired', 'boolean'),
      shownColumn('PodInfoOnMount', 'boolean'),
      shownColumn('StorageCapacity', 'boolean'),
      shownColumn('TokenRequests'),
      shownColumn('RequiresRepublish', 'boolean'),
      shownColumn('Modes'),
      ageColumn,
    ],
    printRow: (object, now) => [
      nameOf(object),
      readField(object, 'spec', 'attachRequired') !== false,
      readFlag(object, 'spec', 'podInfoOnMount'),
      readFlag(object, 'spec', 'storageCapacity'),
      formatTokenRequests(object),
      readFlag(object, 'spec', 'requiresRepublish'),
      readTextList(object, 'spec', 'volumeLifecycleModes').join(',') || '<none>',
      ageOf(object, now),
    ],
    rules: csiDriverRules,
    returnsDeletedObject: true,
    description: 'What a storage driver can do.',
  }),
  defineWorkloadKind({
    kind: 'CSINode',
    group: 'storage.k8s.io',
    plural: 'csinodes',
    clusterScoped: true,
    columns: [nameColumn, shownColumn('Drivers', 'integer'), ageColumn],
    printRow: (object, now) => [nameOf(object), readList(object, 'spec', 'drivers').length, ageOf(object, now)],
    rules: nodeScopedRules,
    returnsDeletedObject: true,
    description: 'The storage drivers of a node.',
  }),
  defineWorkloadKind({
    kind: 'CSIStorageCapacity',
    group: 'storage.k8s.io',
    plural: 'csistoragecapacities',
    columns: createdAt,
    printRow: printCreatedAt,
    rules: { ...classRules(['nodeTopology', 'storageClassName']), allowUnconditionalUpdate: false },
    description: 'How much storage a driver has left somewhere.',
  }),
  defineWorkloadKind({
    kind: 'StorageClass',
    group: 'storage.k8s.io',
    plural: 'storageclasses',
    shortNames: ['sc'],
    clusterScoped: true,
    columns: [
      nameColumn,
      shownColumn('Provisioner'),
      shownColumn('ReclaimPolicy'),
      shownColumn('VolumeBindingMode'),
      shownColumn('AllowVolumeExpansion'),
      ageColumn,
    ],
    printRow: (object, now) => [
      formatStorageClassName(object),
      readText(object, 'provisioner'),
      formatOptional('Delete', object, 'reclaimPolicy'),
      formatOptional('Immediate', object, 'volumeBindingMode'),
      readFlag(object, 'allowVolumeExpansion'),
      ageOf(object, now),
    ],
    rules: storageClassRules,
    returnsDeletedObject: true,
    description: 'A class of storage that claims ask for.',
  }),
  defineWorkloadKind({
    kind: 'VolumeAttachment',
    group: 'storage.k8s.io',
    plural: 'volumeattachments',
    clusterScoped: true,
    columns: [
      nameColumn,
      { ...shownColumn('Attacher'), format: 'name' },
      shownColumn('PV'),
      shownColumn('Node'),
      shownColumn('Attached', 'boolean'),
      ageColumn,
    ],
    printRow: (object, now) => [
      nameOf(object),
      readText(object, 'spec', 'attacher'),
      readText(object, 'spec', 'source', 'persistentVolumeName'),
      readText(object, 'spec', 'nodeName'),
      readFlag(object, 'status', 'attached'),
      ageOf(object, now),
    ],
    status: true,
    rules: { ...classRules(['spec']), allowUnconditionalUpdate: false },
    returnsDeletedObject: true,
    description: 'The wish to attach a volume to a node.',
  }),
  defineWorkloadKind({
    kind: 'VolumeAttributesClass',
    group: 'storage.k8s.io',
    plural: 'volumeattributesclasses',
    shortNames: ['vac'],
    clusterScoped: true,
    columns: [nameColumn, shownColumn('DriverName'), ageColumn],
    printRow: (object, now) => [nameOf(object), readText(object, 'driverName'), ageOf(object, now)],
    rules: classRules(['driverName', 'parameters']),
    returnsDeletedObject: true,
    description: 'Attributes of volumes that a driver can change.',
  }),
];

/** The kinds that need no folder: their structure, and a rule or two, say everything. */
export const plainKinds: readonly KindDefinition[] = [
  ...appsKinds,
  ...coordinationKinds,
  ...discoveryKinds,
  ...networkingKinds,
  ...resourceKinds,
  ...schedulingKinds,
  ...storageKinds,
];
