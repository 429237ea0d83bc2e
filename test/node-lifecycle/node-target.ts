import type { AnyObject } from '../controllers/await-objects.ts';
import { waitUntil } from '../cluster/wait-until.ts';

/** An API server whose nodes somebody watches. */
export interface NodeTarget {
  /** Before the slash of the taints that its node controller writes. */
  readonly prefix: string;
  /** Makes a request as an administrator; the answer's body is parsed. */
  send(
    method: string,
    path: string,
    body?: unknown,
    contentType?: string,
  ): Promise<{ status: number; body: AnyObject }>;
}

const merge = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const beatMillis = 800;

function formatNow(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

/** Nodes of a target, played by the test: their agents post statuses and renew Leases until they are silenced. */
export class PlayedNodes {
  readonly #target: NodeTarget;
  readonly #beating = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(target: NodeTarget) {
    this.#target = target;
  }

  /** Creates nodes that are ready and renew their Leases; resolves when nothing keeps pods off them. */
  async create(labels: Record<string, string>, ...names: string[]): Promise<void> {
    for (const name of names) {
      await this.send('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } });
      await this.renew(name);
      await this.postStatus(name);
      this.#beating.add(name);
    }
    this.#timer ??= setInterval(() => {
      // One that fails is tried again soon enough.
      for (const name of this.#beating) this.renew(name).catch(() => undefined);
    }, beatMillis);
    for (const name of names) await this.waitFor(name, (node) => (node['spec'].taints ?? []).length === 0);
  }

  /** From now on nothing is heard of these nodes. */
  silence(...names: string[]): void {
    for (const name of names) this.#beating.delete(name);
  }

  /** They speak again, and say that they are ready. */
  async wake(...names: string[]): Promise<void> {
    for (const name of names) {
      this.#beating.add(name);
      await this.renew(name);
      await this.postStatus(name);
    }
  }

  /** What a node's agent says of itself, with a heartbeat of now. */
  async postStatus(name: string, conditions: Record<string, string> = { Ready: 'True' }): Promise<void> {
    const now = formatNow();
    const list = Object.entries(conditions).map(([type, status]) => ({
      ...{ type, status, reason: 'Played', message: 'by a test', lastHeartbeatTime: now, lastTransitionTime: now },
    }));
    await this.send('PATCH', `/api/v1/nodes/${name}/status`, { status: { conditions: list } }, strategic);
  }

  async renew(name: string): Promise<void> {
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
    const answer = await this.#target.send('PATCH', `${leases}/${name}`, { spec }, merge);
    if (answer.status !== 404) return;
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec };
    await this.send('POST', leases, lease);
  }

  /** Creates a pod that runs on a node and is ready; `tolerations` are of taints by their names after the prefix, for so many seconds. */
  async createPod(name: string, nodeName: string, tolerations: Record<string, number | 'forever'> = {}): Promise<void> {
    const list = Object.entries(tolerations).map(([key, seconds]) => ({
      ...{ key: `${this.#target.prefix}/${key}`, operator: 'Exists', effect: 'NoExecute' },
      ...(seconds === 'forever' ? {} : { tolerationSeconds: seconds }),
    }));
    const spec = { nodeName, containers: [{ name: 'c', image: 'example.com/c' }], tolerations: list };
    await this.send('POST', '/api/v1/namespaces/default/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec,
    });
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Played', lastTransitionTime: formatNow() }];
    const path = `/api/v1/namespaces/default/pods/${name}/status`;
    await this.send('PATCH', path, { status: { phase: 'Running', conditions } }, merge);
  }

  async findNode(name: string): Promise<AnyObject> {
    return this.send('GET', `/api/v1/nodes/${name}`);
  }

  async findPod(name: string): Promise<AnyObject> {
    return this.send('GET', `/api/v1/namespaces/default/pods/${name}`);
  }

  /** Waits until a node is as `check` wants it. */
  async waitFor(name: string, check: (node: AnyObject) => boolean): Promise<void> {
    let last: AnyObject = {};
    const probe = async (): Promise<boolean> => check((last = await this.findNode(name)));
    await waitUntil(`the node ${name}`, probe).catch((cause: unknown) => {
      throw new Error(`the node ${name} stays ${JSON.stringify([last['spec'], last['status']?.conditions])}`, {
        cause,
      });
    });
  }

  /** Waits until a pod is as `check` wants it. */
  async waitForPod(name: string, check: (pod: AnyObject) => boolean): Promise<void> {
    let last: AnyObject = {};
    const probe = async (): Promise<boolean> => check((last = await this.findPod(name)));
    await waitUntil(`the pod ${name}`, probe).catch((cause: unknown) => {
      throw new Error(`the pod ${name} stays ${JSON.stringify(last)}`, { cause });
    });
  }

  /** Taints as `KEY:EFFECT`, sorted, without the prefix of the target's own. */
  async listTaints(name: string): Promise<string[]> {
    const { spec } = await this.findNode(name);
    const taints = (spec.taints ?? []) as { key: string; effect: string }[];
    return taints.map(({ key, effect }) => `${this.shorten(key)}:${effect}`).toSorted();
  }

  /** A key without the prefix of the target's own. */
  shorten(key: string): string {
    return key.replace(`${this.#target.prefix}/`, '');
  }

  /** Makes a request that must succeed, and returns its body. */
  async send(method: string, path: string, body?: unknown, contentType?: string): Promise<AnyObject> {
    const answer = await this.#target.send(method, path, body, contentType);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Nobody speaks any more. */
  stop(): void {
    clearInterval(this.#timer);
    this.#beating.clear();
  }
}
