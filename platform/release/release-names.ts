/** Names of a release's objects on a host; namespaced ones live in the release's namespace. The chart uses the same. */
export interface ReleaseNames {
  readonly operator: string;
  readonly webhooks: string;
  readonly review: string;
  /** Lease of the operator's leader. */
  readonly leaderLease: string;
  /** ConfigMap with the release's settings (`enforcement`). */
  readonly settings: string;
  /** Secret with the authorities and the key that signs; only the operator reads it. */
  readonly authority: string;
  /** Secret (kubernetes.io/tls, with `ca.crt`: every authority to trust) of the webhooks' certificate. */
  readonly webhooksCertificate: string;
  /** The same for the operator's API service. */
  readonly operatorCertificate: string;
  /** DaemonSet and service account of the node agents. */
  readonly agent: string;
  /** Secret with the authorities of the agents' serving certificates and the key that signs; only the operator reads it. */
  readonly agentsAuthority: string;
  /** Name of both webhook configurations, cluster-scoped: unique by release and namespace. */
  readonly webhookConfiguration: string;
}

/** The names of the objects of release `release` in `namespace`. */
export function buildReleaseNames(release: string, namespace: string): ReleaseNames {
  return {
    operator: `${release}-operator`,
    webhooks: `${release}-webhooks`,
    review: `${release}-operator`,
    leaderLease: `${release}-operator`,
    settings: `${release}-settings`,
    authority: `${release}-authority`,
    webhooksCertificate: `${release}-webhooks-tls`,
    operatorCertificate: `${release}-operator-tls`,
    agent: `${release}-agent`,
    agentsAuthority: `${release}-agents-authority`,
    webhookConfiguration: `${namespace}.${release}`,
  };
}
