import { afterEach, describe, expect, it } from 'vitest';

import { type NodeRig, startNodeRig } from './testdata/start-node-rig.ts';
import type { NodeLifecycleSettings } from './node-lifecycle-settings.ts';

let rig: NodeRig;

async function start(settings: Partial<NodeLifecycleSettings> = {}): Promise<void> {
  rig = await startNodeRig({
    monitorPeriodMillis: 1_000,
    monitorGraceMillis: 10_000,
    startupGraceMillis: 20_000,
    ...settings,
  });
}

afterEach(() => rig.stop());

/** Makes nodes that are ready. */
async function createReady(...names: string[]): Promise<void> {
  for (const name of names) {
    await rig.createNode(name);
    await rig.postStatus(name);
  }
  await rig.settle();
}

/** The nodes that speak while time passes; the others are silent. */
function speak(...names: string[]): () => Promise<void> {
  return async () => {
    for (const name of names) await rig.postStatus(name);
  };
}

async function readReady(name: string): Promise<string> {
  const { status } = await rig.findNode(name);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return `${ready?.status} ${ready?.reason}`;
}

describe('a new node', () => {
  it('takes no pods before it is ready, and is told of', async () => {
    await start();
    await rig.createNode('a', { 'kubernetes.io/os': 'linux' });
    expect(await rig.listTaints('a')).toEqual(['not-ready:NoSchedule']);
    await rig.postStatus('a', 'False');
    await rig.pass(1);
    expect(await rig.listTaints('a')).toContain('not-ready:NoSchedule');
    await rig.postStatus('a');
    await rig.pass(2);
    expect(await rig.listTaints('a')).toEqual([]);
    expect((await rig.findNode('a')).metadata.labels).toMatchObject({ 'beta.kubernetes.io/os': 'linux' });
    expect(rig.events).toContain(
      'node-controller Normal RegisteredNode Node a: Node a event: Registered Node a in Controller',
    );
  });

  it('has the longer grace before it posts its status', async () => {
    await start();
    await rig.createNode('a');
    await rig.pass(19);
    expect((await rig.findNode('a')).status?.conditions ?? []).toEqual([]);
    await rig.pass(3);
    expect(await readReady('a')).toBe('Unknown NodeStatusNeverUpdated');
  });
});

describe('a node that falls silent', () => {
  it('is unknown after its grace, takes no pods, and its pods leave', async () => {
    await start();
    await createReady('a', 'b');
    await rig.createPod('p', 'a');
    await rig.createPod('q', 'b');
    await rig.pass(10, speak('b'));
    expect(await readReady('a')).toBe('True Agent');
    await rig.pass(3, speak('b'));
    expect(await readReady('a')).toBe('Unknown NodeStatusUnknown');
    expect(await rig.listTaints('a')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
    expect((await rig.findPod('p'))?.status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }]);
    expect((await rig.findPod('q'))?.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
    expect(rig.events).toContain('node-controller Normal NodeNotReady Node a: Node a status is now: NodeNotReady');
    expect(rig.events).toContain('node-controller Warning NodeNotReady Pod p: Node is not ready');
    expect(await rig.readMetric('node_collector_evictions_total{zone=""}')).toBe(1);
    expect(await rig.readMetric('node_collector_unhealthy_nodes_in_zone{zone=""}')).toBe(1);
    expect(await rig.readMetric('node_collector_zone_health{zone=""}')).toBe(50);
  });

  it('is as before when it speaks again', async () => {
    await start();
    await createReady('a', 'b');
    await rig.pass(13, speak('b'));
    expect(await rig.listTaints('a')).toHaveLength(2);
    await rig.pass(2, speak('a', 'b'));
    expect(await readReady('a')).toBe('True Agent');
    expect(await rig.listTaints('a')).toEqual([]);
  });

  it('is heard of by its Lease as well', async () => {
    await start();
    await createReady('a', 'b');
    await rig.pass(25, async () => {
      await rig.renewLease('a');
      await rig.postStatus('b');
    });
    expect(await readReady('a')).toBe('True Agent');
  });

  it('swaps its taints when it says that it is not ready, without another turn', async () => {
    await start({ evictionRate: 0.000_1 });
    await createReady('a', 'b');
    await rig.pass(13, speak('b'));
    expect(await rig.listTaints('a')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
    await rig.postStatus('a', 'False');
    await rig.pass(2, speak('b'));
    expect((await rig.listTaints('a')).toSorted()).toEqual(['not-ready:NoExecute', 'not-ready:NoSchedule']);
  });

  it('marks a pod that comes to it afterwards', async () => {
    await start();
    await createReady('a', 'b');
    await rig.pass(13, speak('b'));
    await rig.createPod('late', 'a', [{ operator: 'Exists' }]);
    await rig.settle();
    // It was not ready when it came, and became so by a status from before.
    await rig.restart();
    expect((await rig.findPod('late'))?.status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }]);
  });
});

describe('a node that goes', () => {
  it('is told of, and another of its name is new', async () => {
    await start();
    await createReady('a');
    await rig.pass(1, speak('a'));
    await rig.client.delete({ resource: { group: '', version: 'v1', resource: 'nodes' }, name: 'a' });
    await rig.createNode('a');
    await rig.pass(2);
    const told = rig.events.filter((event) => event.startsWith('node-controller'));
    expect(told.map((event) => event.split(' ')[2])).toEqual(['RegisteredNode', 'RemovingNode', 'RegisteredNode']);
  });
});

describe('the rate', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
  const countTainted = async (): Promise<number> => {
    const taints = await Promise.all(names.map((name) => rig.listTaints(name)));
    return taints.filter((list) => list.includes('unreachable:NoExecute')).length;
  };

  it('empties one node after the other while a zone is well', async () => {
    await start();
    await createReady(...names);
    const others = speak(...names.slice(3));
    await rig.pass(12, others);
    expect(await countTainted()).toBe(1);
    await rig.pass(9, others);
    expect(await countTainted()).toBe(2);
    await rig.pass(10, others);
    expect(await countTainted()).toBe(3);
  }, 30_000);

  it('stands still when more than half of a small zone fails', async () => {
    await start();
    await createReady(...names);
    await rig.pass(40, speak(...names.slice(6)));
    expect(await readReady('a')).toBe('Unknown NodeStatusUnknown');
    expect(await countTainted()).toBe(0);
  }, 30_000);

  it('is slow when more than half of a large zone fails', async () => {
    await start({ largeZoneSize: 5, secondaryEvictionRate: 0.05 });
    await createReady(...names);
    await rig.pass(45, speak(...names.slice(6)));
    expect(await countTainted()).toBe(2);
  }, 30_000);

  it('stops for good when all nodes fail, and takes off what it put on', async () => {
    await start();
    await createReady('a', 'b', 'c');
    await rig.pass(13, speak('b', 'c'));
    expect(await rig.listTaints('a')).toContain('unreachable:NoExecute');
    await rig.pass(60);
    for (const name of ['a', 'b', 'c']) expect(await rig.listTaints(name)).toEqual(['unreachable:NoSchedule']);
    // The first one back is believed, and the others have their whole grace again.
    await rig.pass(9, speak('c'));
    expect(await rig.listTaints('a')).toEqual(['unreachable:NoSchedule']);
    expect(await rig.listTaints('c')).toEqual([]);
  }, 30_000);

  it('leaves a zone alone that is well while another fails whole', async () => {
    await start();
    for (const name of ['a', 'b']) await rig.createNode(name, { 'topology.kubernetes.io/zone': name });
    for (const name of ['a', 'b']) await rig.postStatus(name);
    await rig.pass(13, speak('b'));
    expect(await rig.listTaints('a')).toContain('unreachable:NoExecute');
    expect(await rig.listTaints('b')).toEqual([]);
    expect(await rig.readMetric('node_collector_zone_size{zone="/a"}')).toBe(1);
  });

  it('is forgotten when its nodes have moved, and moves do not empty them twice', async () => {
    await start();
    const label = 'topology.kubernetes.io/zone';
    for (const name of ['a', 'b', 'c']) await rig.createNode(name, { [label]: 'old' });
    for (const name of ['a', 'b', 'c']) await rig.postStatus(name);
    await rig.pass(13, speak('b', 'c'));
    expect(await rig.listTaints('a')).toContain('unreachable:NoExecute');
    const reference = { resource: { group: '', version: 'v1', resource: 'nodes' } };
    for (const name of ['a', 'b', 'c']) {
      const patch = { metadata: { labels: { [label]: 'new' } } };
      await rig.client.patch({ ...reference, name }, 'application/merge-patch+json', patch);
    }
    await rig.pass(3, speak('b', 'c'));
    for (const metric of ['zone_size', 'evictions_total']) {
      expect(await rig.readMetric(`node_collector_${metric}{zone="/old"}`)).toBeUndefined();
    }
    expect(await rig.readMetric('node_collector_zone_size{zone="/new"}')).toBe(3);
    expect(await rig.readMetric('node_collector_evictions_total{zone="/new"}')).toBe(0);
  }, 30_000);

  it('does not count a node that is excluded', async () => {
    await start();
    await rig.createNode('x', { 'node.kubernetes.io/exclude-disruption': '' });
    await rig.postStatus('x');
    await createReady('a');
    await rig.pass(20, speak('x'));
    // As far as its zone is concerned, all nodes have failed.
    expect(await rig.listTaints('a')).toEqual(['unreachable:NoSchedule']);
  });
});

describe('what is not the fault of the nodes', () => {
  it('is a restart: a silence from before is not counted, and taints are taken off and come in their turn', async () => {
    await start();
    await createReady('a', 'b', 'c');
    await rig.pass(8, speak('c'));
    await rig.restart();
    await rig.pass(9, speak('c'));
    expect(await readReady('a')).toBe('True Agent');
    await rig.pass(4, speak('c'));
    expect(await readReady('a')).toBe('Unknown NodeStatusUnknown');
    await rig.pass(10, speak('c'));
    const before = await Promise.all(['a', 'b'].map((name) => rig.listTaints(name)));
    expect(before.flat().filter((taint) => taint.endsWith('NoExecute'))).toHaveLength(2);
    await rig.restart();
    const after = await Promise.all(['a', 'b'].map((name) => rig.listTaints(name)));
    expect(after.flat().filter((taint) => taint.endsWith('NoExecute'))).toHaveLength(1);
  }, 30_000);

  it('is a time in which the process stood still', async () => {
    await start();
    await createReady('a', 'b');
    await rig.pass(2, speak('a', 'b'));
    // One leap, as after a suspension: nobody could be heard meanwhile.
    rig.leap(600);
    await rig.pass(5);
    expect(await readReady('a')).toBe('True Agent');
    await rig.pass(8, speak('b'));
    expect(await readReady('a')).toBe('Unknown NodeStatusUnknown');
  });
});
