/** Before the slash of the keys that Kubernetes itself uses. */
export const kubernetesTaintPrefix = 'node.kubernetes.io';

/** Keys of the taints that follow from what is known of a node. */
export interface NodeTaintKeys {
  /** What stands before the slash. */
  readonly prefix: string;
  readonly notReady: string;
  readonly unreachable: string;
  readonly unschedulable: string;
  readonly memoryPressure: string;
  readonly diskPressure: string;
  readonly networkUnavailable: string;
  readonly pidPressure: string;
}

/** The keys of a domain: `node.kubernetes.io/…` of Kubernetes' own, `node.DOMAIN/…` of any other; `prefix` says otherwise. */
export function readNodeTaintKeys(domain: string, prefix?: string): NodeTaintKeys {
  const chosen = prefix ?? (domain === 'k8s.io' ? kubernetesTaintPrefix : `node.${domain}`);
  return {
    prefix: chosen,
    notReady: `${chosen}/not-ready`,
    unreachable: `${chosen}/unreachable`,
    unschedulable: `${chosen}/unschedulable`,
    memoryPressure: `${chosen}/memory-pressure`,
    diskPressure: `${chosen}/disk-pressure`,
    networkUnavailable: `${chosen}/network-unavailable`,
    pidPressure: `${chosen}/pid-pressure`,
  };
}
