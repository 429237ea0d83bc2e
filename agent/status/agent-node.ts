import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { NodeCondition, Taint } from '../../kinds/core/node/node-object.ts';

/** A way to reach a node. */
export type NodeAddress = { type: string; address: string };

/** Amounts by the name of their resource, in Kubernetes' notation. */
export type ResourceAmounts = Record<string, string>;

/** What a node is. */
export type NodeSystemInfo = {
  machineID: string;
  systemUUID: string;
  bootID: string;
  kernelVersion: string;
  osImage: string;
  containerRuntimeVersion: string;
  kubeletVersion: string;
  kubeProxyVersion: string;
  operatingSystem: string;
  architecture: string;
  swap?: { capacity: number };
};

/** An image on a node. */
export type NodeImage = { names: string[]; sizeBytes: number };

/** A way in which a node's runtime runs pods. */
export type NodeRuntimeHandler = {
  name: string;
  features: { recursiveReadOnlyMounts: boolean; userNamespaces: boolean };
};

/** Status of a Node, as far as its agent tells it. */
export interface AgentNodeStatus {
  addresses?: NodeAddress[];
  capacity: ResourceAmounts;
  allocatable: ResourceAmounts;
  conditions: NodeCondition[];
  daemonEndpoints: { kubeletEndpoint: { Port: number } };
  nodeInfo: NodeSystemInfo;
  images: NodeImage[];
  runtimeHandlers?: NodeRuntimeHandler[];
  features?: { supplementalGroupsPolicy: boolean };
}

/** A v1 Node as its agent knows it. */
export interface AgentNode extends KubeObject {
  spec?: { providerID?: string; taints?: Taint[]; unschedulable?: boolean };
  status?: Partial<AgentNodeStatus>;
}

/** A node as it was just measured. */
export interface MeasuredNode extends AgentNode {
  status: AgentNodeStatus;
}
