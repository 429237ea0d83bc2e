// oxlint-disable-next-line typescript/no-explicit-any -- pods, looked into
type Pod = any;

interface NamespaceHealth {
  readonly healthy: Set<string>;
  most: number;
  /** The fewest since there were most. */
  least: number;
}

/** How many healthy pods namespaces had at each revision, from the events of a watch. */
export class HealthHistory {
  readonly #namespaces = new Map<string, NamespaceHealth>();

  /** Takes in one event; they come in the order of the store. */
  note(type: string, pod: Pod): void {
    const { namespace = '', uid = '', deletionTimestamp } = pod.metadata;
    const health = this.#find(namespace);
    const conditions = (pod.status?.conditions ?? []) as { type: string; status: string }[];
    const isReady = conditions.some((one) => one.type === 'Ready' && one.status === 'True');
    const isHealthy = type !== 'DELETED' && isReady && deletionTimestamp === undefined;
    if (isHealthy) health.healthy.add(uid);
    else health.healthy.delete(uid);
    const { size } = health.healthy;
    if (size > health.most) {
      health.most = size;
      health.least = size;
    }
    health.least = Math.min(health.least, size);
  }

  /** The most healthy pods that a namespace ever had, and the fewest at any revision since. */
  read(namespace: string): { readonly most: number; readonly least: number } {
    const { most, least } = this.#find(namespace);
    return { most, least };
  }

  /** Healthy pods after the last event. */
  countNow(namespace: string): number {
    return this.#find(namespace).healthy.size;
  }

  #find(namespace: string): NamespaceHealth {
    const found = this.#namespaces.get(namespace);
    if (found !== undefined) return found;
    const made = { healthy: new Set<string>(), most: 0, least: 0 };
    this.#namespaces.set(namespace, made);
    return made;
  }
}
