import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Taint } from '../../../kinds/core/node/node-object.ts';
import type { Toleration } from '../../../kinds/core/node/tolerations.ts';
import { type NodeRig, startNodeRig } from './testdata/start-node-rig.ts';

const nodes = { group: '', version: 'v1', resource: 'nodes' };
const effect = 'NoExecute';
const own = { key: 'acme.example/a', value: 'v', effect };
const other = { key: 'acme.example/b', effect };

let rig: NodeRig;

// Nobody looks at the nodes' health here, so that only the taints of the tests count.
beforeEach(async () => {
  rig = await startNodeRig({ monitorPeriodMillis: 86_400_000 });
  await rig.createNode('a');
  await rig.settle();
});
afterEach(() => rig.stop());

async function taint(...taints: Taint[]): Promise<void> {
  await rig.client.patch({ resource: nodes, name: 'a' }, 'application/merge-patch+json', { spec: { taints } });
  await rig.settle();
}

function tolerate({ key }: Taint, seconds?: number): Toleration {
  return { key, operator: 'Exists', effect, ...(seconds === undefined ? {} : { tolerationSeconds: seconds }) };
}

/** Whether a pod is there, told to go, or gone. */
async function judge(name: string): Promise<string> {
  const pod = await rig.findPod(name);
  if (pod === undefined) return 'gone';
  return pod.metadata.deletionTimestamp === undefined ? 'there' : 'leaving';
}

function told(): string[] {
  return rig.events.filter((event) => event.startsWith('taint-eviction-controller'));
}

describe('a pod on a node that is tainted', () => {
  it('leaves at once when it does not tolerate the taint, and its status says why', async () => {
    await rig.createPod('p', 'a');
    await rig.createPod('q', 'a', [tolerate(own)]);
    await taint(own);
    expect([await judge('p'), await judge('q')]).toEqual(['leaving', 'there']);
    expect((await rig.findPod('p'))?.status?.conditions).toContainEqual(
      expect.objectContaining({
        ...{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' },
        ...{ message: 'Taint manager: deleting due to NoExecute taint', observedGeneration: 1 },
      }),
    );
    expect(told()).toEqual([
      'taint-eviction-controller Normal TaintManagerEviction Pod p: Marking for deletion Pod default/p',
    ]);
    expect(await rig.readMetric('taint_eviction_controller_pod_deletions_total')).toBe(1);
  });

  it('leaves when the shortest of the times that it tolerates is over', async () => {
    await rig.createPod('p', 'a', [tolerate(own, 60), tolerate(other, 5)]);
    await taint(own, other);
    await rig.pass(4);
    expect(await judge('p')).toBe('there');
    await rig.pass(2);
    expect(await judge('p')).toBe('leaving');
  });

  it.for([-3_600, 3_600])('is not moved by a clock that is set otherwise, by %d seconds', async (seconds) => {
    await rig.createPod('p', 'a', [tolerate(own, 10)]);
    await taint(own);
    await rig.pass(4);
    rig.setClock(seconds);
    await rig.pass(5);
    expect(await judge('p')).toBe('there');
    await rig.pass(2);
    expect(await judge('p')).not.toBe('there');
  });

  it('stays when the taint goes before that, and is told of', async () => {
    await rig.createPod('p', 'a', [tolerate(own, 5)]);
    await taint(own);
    await rig.pass(3);
    await taint();
    await rig.pass(5);
    expect(await judge('p')).toBe('there');
    expect(told()).toEqual([
      'taint-eviction-controller Normal TaintManagerEviction Pod p: Cancelling deletion of Pod default/p',
    ]);
  });

  it('has its whole time again when the taint comes back', async () => {
    await rig.createPod('p', 'a', [tolerate(own, 5)]);
    await taint(own);
    await rig.pass(3);
    await taint();
    await taint(own);
    await rig.pass(4);
    expect(await judge('p')).toBe('there');
    await rig.pass(2);
    expect(await judge('p')).toBe('leaving');
  });

  it('leaves for a second taint, though it has time for the first', async () => {
    await rig.createPod('p', 'a', [tolerate(own, 60)]);
    await taint(own);
    await rig.pass(2);
    expect(await judge('p')).toBe('there');
    await taint(own, other);
    expect(await judge('p')).toBe('leaving');
  });

  it('has the default time for a node in trouble', async () => {
    await rig.createPod('p', 'a');
    await taint({ key: 'node.bailiwick.dev/unreachable', effect });
    await rig.pass(1);
    expect(await judge('p')).toBe('there');
  });

  it("is heard when it tolerates Kubernetes' taint of the same name, as daemons do", async () => {
    await rig.createPod('p', 'a', [tolerate({ key: 'node.kubernetes.io/unreachable', effect })]);
    await rig.createPod('q', 'a', [tolerate({ key: 'node.kubernetes.io/unreachable', effect }, 0)]);
    await taint({ key: 'node.bailiwick.dev/unreachable', effect });
    expect([await judge('p'), await judge('q')]).toEqual(['there', 'leaving']);
  });

  it('leaves when it comes to a tainted node', async () => {
    await taint(own);
    await rig.createPod('p', 'a');
    await rig.settle();
    expect(await judge('p')).toBe('leaving');
  });

  it('begins anew after a restart', async () => {
    await rig.createPod('p', 'a', [tolerate(own, 5)]);
    await taint(own);
    await rig.pass(4);
    await rig.restart();
    await rig.pass(4);
    expect(await judge('p')).toBe('there');
    await rig.pass(2);
    expect(await judge('p')).toBe('leaving');
  });

  it('is not taken for another that has its name', async () => {
    await rig.createPod('p', 'a', [tolerate(own, 5)]);
    await taint(own);
    await rig.pass(4);
    const reference = { resource: { group: '', version: 'v1', resource: 'pods' }, namespace: 'default', name: 'p' };
    await rig.client.delete(reference, { gracePeriodSeconds: 0 });
    await rig.createPod('p', 'a', [tolerate(own, 5)]);
    await rig.settle();
    await rig.pass(3);
    expect(await judge('p')).toBe('there');
    await rig.pass(3);
    expect(await judge('p')).toBe('leaving');
  });

  it('goes in its time when its node is gone', async () => {
    await rig.createPod('p', 'a', [tolerate(own, 5)]);
    await taint(own);
    await rig.client.delete({ resource: nodes, name: 'a' });
    await rig.settle();
    expect(await judge('p')).toBe('there');
    await rig.pass(6);
    expect(await judge('p')).toBe('leaving');
  });
});
