import type { Service } from '../service/start-service.ts';
import type { AnyObject } from './await-objects.ts';

const patchType = { 'content-type': 'application/merge-patch+json' };

async function writeStatus(service: Service, pod: AnyObject, status: AnyObject): Promise<void> {
  const { namespace, name } = pod['metadata'] as { namespace: string; name: string };
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
  const answer = await service.request('PATCH', path, { headers: patchType, body: { status } });
  // A controller may have deleted the pod meanwhile.
  if (answer.status !== 200 && answer.status !== 404)
    throw new Error(`a pod's status cannot be written: ${answer.text}`);
}

/** Does to pods what a kubelet would: those without a status run from now on, and are ready. */
export async function runPods(service: Service, pods: readonly AnyObject[]): Promise<void> {
  const waiting = pods.filter((pod) => pod['status']?.phase !== 'Running' && pod['status']?.phase !== 'Succeeded');
  await Promise.all(
    waiting.map((pod) => {
      const conditions = ['Ready', 'ContainersReady'].map((type) => ({
        ...{ type, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
      }));
      const podIP = `10.0.0.${1 + Math.floor(Math.random() * 250)}`;
      return writeStatus(service, pod, { phase: 'Running', conditions, podIP, podIPs: [{ ip: podIP }] });
    }),
  );
}

/** Ends pods well, as a kubelet would when their containers did. */
export async function endPods(service: Service, pods: readonly AnyObject[]): Promise<void> {
  await Promise.all(pods.map((pod) => writeStatus(service, pod, { phase: 'Succeeded' })));
}
