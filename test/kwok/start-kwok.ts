import { fileURLToPath } from 'node:url';

import { buildKwok } from '../cluster/build-kwok.ts';
import { waitUntil } from '../cluster/wait-until.ts';
import { type ClientProgram, startClientProgram } from '../controllers/start-client-program.ts';

/** An API server to have simulated nodes at; `request` acts as an administrator, and its answer has the object as one or the other. */
export interface KwokTarget {
  readonly kubeconfig: string;
  request(
    method: string,
    path: string,
    options?: { readonly body?: unknown },
  ): Promise<{ readonly status: number; readonly json?: unknown; readonly body?: unknown }>;
}

/** A taint as nodes have it. */
export interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** A node to be simulated, with labels besides those of its name and system. */
export interface KwokNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly NodeTaint[];
}

interface NodeObject {
  readonly spec?: { readonly taints?: readonly NodeTaint[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Marks the nodes that kwok plays; others it leaves alone. */
const annotation = ['kwok.x-k8s.io/node', 'fake'] as const;

async function createNode(target: KwokTarget, { name, labels, taints }: KwokNode): Promise<void> {
  const common = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
  const metadata = { name, labels: { ...common, ...labels }, annotations: { [annotation[0]]: annotation[1] } };
  const spec = taints === undefined ? {} : { taints };
  const { status } = await target.request('POST', '/api/v1/nodes', {
    body: { apiVersion: 'v1', kind: 'Node', metadata, spec },
  });
  if (status !== 201) throw new Error(`the node ${name} was answered ${status}`);
}

async function takesPods(target: KwokTarget, { name, taints = [] }: KwokNode): Promise<boolean> {
  const answer = await target.request('GET', `/api/v1/nodes/${name}`);
  const node = (answer.json ?? answer.body) as NodeObject;
  const isReady = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  return isReady === true && (node.spec?.taints ?? []).length === taints.length;
}

/** So many nodes, named `kwok-1` and so on. */
export function listKwokNodes(count: number): KwokNode[] {
  return Array.from({ length: count }, (_, i) => ({ name: `kwok-${i + 1}` }));
}

/**
 * Starts kwok with these nodes: they are ready and renew their Leases, and their pods run and become ready as their readiness probes say.
 * Resolves when the nodes take pods, which somebody's node controller must allow; nobody renews anything after `stop`.
 */
export async function startKwok(target: KwokTarget, nodes: readonly KwokNode[]): Promise<ClientProgram> {
  const command = await buildKwok();
  const stages = fileURLToPath(new URL('stages.yaml', import.meta.url));
  const program = await startClientProgram('kwok', 'env', (folder) => [
    // The settings of the person at this machine stay out of it.
    ...[`HOME=${folder}`, command, `--kubeconfig=${target.kubeconfig}`, `--config=${stages}`],
    ...[`--manage-nodes-with-annotation-selector=${annotation.join('=')}`, '--node-lease-duration-seconds=40'],
  ]);
  try {
    for (const node of nodes) await createNode(target, node);
    for (const node of nodes) {
      await waitUntil(`the node ${node.name} to take pods`, async () => {
        await program.checkAlive();
        return takesPods(target, node);
      });
    }
    return program;
  } catch (cause) {
    const log = await program.readLog().catch(() => '');
    await program.stop();
    throw new Error(`there are no simulated nodes: ${log.slice(-3000)}`, { cause });
  }
}
