import type { KubeObject } from '../../../core/meta/kube-object.ts';
import {
  compareQuantities,
  type Quantity,
  quantityFromInteger,
  readQuantity,
  roundUpQuantity,
} from '../../../core/quantity/quantity.ts';
import { readAmount, type ResourceList } from '../resource-lists.ts';
import { matchesNames } from '../resource-quota/match-quota.ts';
import { formatCountName } from '../resource-quota/plan-object-count.ts';
import type { UsageEvaluator } from '../resource-quota/usage-evaluator.ts';

/** A claim, as far as limits and quotas look at it. */
export interface ClaimUse extends KubeObject {
  readonly spec?: {
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly resources?: { readonly requests?: ResourceList };
  };
  readonly status?: {
    readonly allocatedResources?: ResourceList;
    readonly currentVolumeAttributesClassName?: string;
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string };
  };
}

const ONE = quantityFromInteger(1);
const COUNT_NAME = formatCountName('', 'persistentvolumeclaims');
const CLASS_SUFFIX = '.storageclass.storage.k8s.io/';
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const claimResources = ['persistentvolumeclaims', 'requests.storage'];

function isClaimResource(name: string): boolean {
  if (name === COUNT_NAME || claimResources.includes(name)) return true;
  return claimResources.some((resource) => name.endsWith(CLASS_SUFFIX + resource));
}

function readStorageClass(claim: ClaimUse): string {
  const { annotations } = claim.metadata;
  if (annotations !== undefined && Object.hasOwn(annotations, CLASS_ANNOTATION)) {
    return annotations[CLASS_ANNOTATION] ?? '';
  }
  return claim.spec?.storageClassName ?? '';
}

/** Whole bytes of storage: what is asked for, or what an expansion under way has been given if that is more. */
function measureStorage(claim: ClaimUse): Quantity | undefined {
  const requested = readAmount(claim.spec?.resources?.requests, 'storage');
  if (requested === undefined) return undefined;
  const asked = roundUpQuantity(readQuantity(requested), 0);
  const allocatedText = readAmount(claim.status?.allocatedResources, 'storage');
  if (allocatedText === undefined) return asked;
  const allocated = roundUpQuantity(readQuantity(allocatedText), 0);
  return compareQuantities(allocated, asked) > 0 ? allocated : asked;
}

function listAttributesClasses({ spec, status }: ClaimUse): string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names)].filter((name) => name !== undefined && name !== '') as string[];
}

/** How claims use quota: by number and bytes, in all and for their storage class; by volume attributes class as a scope. */
export const claimUsageEvaluator: UsageEvaluator<ClaimUse> = {
  group: '',
  resource: 'persistentvolumeclaims',
  handles: ({ subresource }) => subresource === undefined || subresource === 'status',
  selectResources: (names) => [...new Set(names)].filter(isClaimResource).toSorted(),
  matchesScope: (requirement, claim) =>
    requirement.scopeName === 'VolumeAttributesClass' && matchesNames(requirement, listAttributesClasses(claim)),
  measure(claim) {
    const usage = new Map([
      [COUNT_NAME, ONE],
      ['persistentvolumeclaims', ONE],
    ]);
    const storageClass = readStorageClass(claim);
    const storage = measureStorage(claim);
    if (storage !== undefined) usage.set('requests.storage', storage);
    if (storageClass === '') return usage;
    usage.set(`${storageClass}${CLASS_SUFFIX}persistentvolumeclaims`, ONE);
    if (storage !== undefined) usage.set(`${storageClass}${CLASS_SUFFIX}requests.storage`, storage);
    return usage;
  },
  describeScopes: (claim) => listAttributesClasses(claim).toSorted().join(' '),
};
