import { customResourceDefinitionKind } from '../apiextensions/custom-resource-definition/definition.ts';
import { daemonSetKind } from '../apps/daemon-set/definition.ts';
import { deploymentKind } from '../apps/deployment/definition.ts';
import { replicaSetKind } from '../apps/replica-set/definition.ts';
import { statefulSetKind } from '../apps/stateful-set/definition.ts';
import { horizontalPodAutoscalerKind } from '../autoscaling/horizontal-pod-autoscaler/definition.ts';
import { cronJobKind } from '../batch/cron-job/definition.ts';
import { jobKind } from '../batch/job/definition.ts';
import { certificateSigningRequestKind } from '../certificates/certificate-signing-request/definition.ts';
import { configMapKind } from '../core/config-map/definition.ts';
import { endpointsKind } from '../core/endpoints/definition.ts';
import { eventKind, eventsGroupEventKind } from '../core/event/definition.ts';
import { namespaceKind } from '../core/namespace/definition.ts';
import { nodeKind } from '../core/node/definition.ts';
import { persistentVolumeClaimKind } from '../core/persistent-volume-claim/definition.ts';
import { persistentVolumeKind } from '../core/persistent-volume/definition.ts';
import { podTemplateKind } from '../core/pod-template/definition.ts';
import { podKind } from '../core/pod/definition.ts';
import { replicationControllerKind } from '../core/replication-controller/definition.ts';
import { secretKind } from '../core/secret/definition.ts';
import { serviceAccountKind } from '../core/service-account/definition.ts';
import { serviceKind } from '../core/service/definition.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { ipAddressKind } from '../networking/ip-address/definition.ts';
import { serviceCidrKind } from '../networking/service-cidr/definition.ts';
import { runtimeClassKind } from '../node/runtime-class/definition.ts';
import { clusterRoleBindingKind, roleBindingKind } from '../rbac/role-binding/definition.ts';
import { clusterRoleKind, roleKind } from '../rbac/role/definition.ts';
import { plainKinds } from './plain-kinds.ts';
import { reviewKinds } from './review-kinds.ts';

/** The workload kinds that the API service holds; their groups are upstream's, whatever the installation's domain. */
export const workloadKinds: readonly KindDefinition[] = [
  configMapKind,
  endpointsKind,
  eventKind,
  namespaceKind,
  nodeKind,
  persistentVolumeClaimKind,
  persistentVolumeKind,
  podKind,
  podTemplateKind,
  replicationControllerKind,
  secretKind,
  serviceAccountKind,
  serviceKind,
  customResourceDefinitionKind,
  daemonSetKind,
  deploymentKind,
  replicaSetKind,
  statefulSetKind,
  horizontalPodAutoscalerKind,
  cronJobKind,
  jobKind,
  certificateSigningRequestKind,
  eventsGroupEventKind,
  ipAddressKind,
  serviceCidrKind,
  runtimeClassKind,
  clusterRoleBindingKind,
  clusterRoleKind,
  roleBindingKind,
  roleKind,
  ...plainKinds,
  ...reviewKinds,
];
