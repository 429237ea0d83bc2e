import { setTimeout as wait } from 'node:timers/promises';

import { waitForValue } from '../cluster/wait-until.ts';
import type { AnyObject } from '../controllers/await-objects.ts';
import { type NodeTarget, PlayedNodes } from './node-target.ts';

/** What happened to nodes and pods, in words that are the same whoever watches them. */
export type Transcript = Record<string, unknown>;

/** Of Events, what comes after all that is waited for besides. */
const toldLast = [
  ...['RemovingNode Node b', 'NodeNotReady Pod elsewhere'],
  ...['a', 'b', 'c', 'd'].map((name) => `NodeNotReady Node ${name}`),
];

function hasTaint(suffix: string): (node: AnyObject) => boolean {
  return (node) =>
    ((node['spec'].taints ?? []) as AnyObject[]).some(({ key, effect }) => `${key}:${effect}`.endsWith(suffix));
}

function isFree(node: AnyObject): boolean {
  return (node['spec'].taints ?? []).length === 0;
}

function readConditions(object: AnyObject): string[] {
  const conditions = (object['status']?.conditions ?? []) as AnyObject[];
  return conditions
    .map(({ type, status, reason = '', message = '' }) => `${type} ${status} ${reason} ${message}`.trim())
    .toSorted();
}

function isLeaving(pod: AnyObject): boolean {
  return pod['metadata'].deletionTimestamp !== undefined;
}

/** Whether a pod leaves, and what its status says. */
async function judgePod(nodes: PlayedNodes, name: string): Promise<unknown> {
  const pod = await nodes.findPod(name);
  return { isLeaving: isLeaving(pod), conditions: readConditions(pod) };
}

/** Events of nodes and pods, without who wrote them, each once. */
async function listEvents(nodes: PlayedNodes): Promise<string[]> {
  const { items } = await nodes.send('GET', '/api/v1/namespaces/default/events');
  const lines = (items as AnyObject[]).map(
    ({ type, reason, involvedObject, message }) =>
      `${type} ${reason} ${involvedObject.kind} ${involvedObject.name}: ${message}`,
  );
  return [...new Set(lines)].toSorted();
}

/**
 * Nodes fall silent, are in trouble, come back and go, with pods on them. The target's node controller must look every half second, have a
 * grace of eight seconds for all nodes, and taint five a second.
 */
export async function playNodes(target: NodeTarget): Promise<Transcript> {
  const nodes = new PlayedNodes(target);
  const seen: Transcript = {};
  try {
    await nodes.create({ 'kubernetes.io/os': 'linux', 'topology.kubernetes.io/zone': 'z' }, 'a', 'b', 'c', 'd');
    seen['a new node'] = {
      taints: await nodes.listTaints('a'),
      labels: (await nodes.findNode('a'))['metadata'].labels,
    };

    await nodes.postStatus('b', {
      Ready: 'True',
      MemoryPressure: 'True',
      DiskPressure: 'True',
      PIDPressure: 'True',
      NetworkUnavailable: 'True',
    });
    await nodes.send('PATCH', '/api/v1/nodes/b', { spec: { unschedulable: true } }, 'application/merge-patch+json');
    await nodes.waitFor('b', (node) => node['spec'].taints?.length === 5);
    seen['a node in trouble, and cordoned'] = await nodes.listTaints('b');
    await nodes.postStatus('b', {
      MemoryPressure: 'False',
      DiskPressure: 'Unknown',
      PIDPressure: 'False',
      NetworkUnavailable: 'False',
    });
    await nodes.send('PATCH', '/api/v1/nodes/b', { spec: { unschedulable: null } }, 'application/merge-patch+json');
    await nodes.waitFor('b', isFree);

    await nodes.createPod('stays', 'a');
    await nodes.createPod('daemon', 'a', { unreachable: 'forever', 'not-ready': 'forever' });
    await nodes.createPod('hurries', 'a', { unreachable: 0, 'not-ready': 0 });
    await nodes.createPod('waits', 'a', { unreachable: 2, 'not-ready': 2 });
    await nodes.createPod('elsewhere', 'c', { unreachable: 0, 'not-ready': 0 });
    nodes.silence('a');
    await nodes.waitFor('a', hasTaint('unreachable:NoExecute'));
    await nodes.waitForPod('hurries', isLeaving);
    await nodes.waitForPod('waits', isLeaving);
    seen['a silent node'] = {
      taints: await nodes.listTaints('a'),
      conditions: readConditions(await nodes.findNode('a')),
    };
    for (const name of ['stays', 'daemon', 'hurries', 'waits', 'elsewhere']) {
      await nodes.waitForPod(
        name,
        (pod) => name === 'elsewhere' || readConditions(pod).some((line) => line.startsWith('Ready False')),
      );
      seen[`the pod that ${name}`] = await judgePod(nodes, name);
    }

    await nodes.wake('a');
    await nodes.waitFor('a', isFree);
    seen['a node that is back'] = readConditions(await nodes.findNode('a'));
    // Those that leave would be planned for once more where the node is found silent before all the others are.
    for (const name of ['hurries', 'waits']) {
      await nodes.send('DELETE', `/api/v1/namespaces/default/pods/${name}`, { gracePeriodSeconds: 0 });
    }

    await nodes.createPod('reprieved', 'd', { unreachable: 6, 'not-ready': 6 });
    await nodes.postStatus('d', { Ready: 'False' });
    await nodes.waitFor('d', hasTaint('not-ready:NoExecute'));
    seen['a node that is not ready'] = await nodes.listTaints('d');
    await nodes.postStatus('d', { Ready: 'True' });
    await nodes.waitFor('d', isFree);
    // Longer than it would have had.
    await wait(6_500);
    seen['the pod that is reprieved'] = await judgePod(nodes, 'reprieved');
    await nodes.send('DELETE', '/api/v1/namespaces/default/pods/reprieved', { gracePeriodSeconds: 0 });

    nodes.silence('d');
    await nodes.waitFor('d', hasTaint('unreachable:NoExecute'));
    nodes.silence('a', 'b');
    for (const name of ['a', 'b']) await nodes.waitFor(name, hasTaint('unreachable:NoSchedule'));
    // The last of all: were it found silent a look before the others, its pods would be planned for.
    nodes.silence('c');
    for (const name of ['a', 'b', 'c', 'd']) {
      await nodes.waitFor(
        name,
        (node) => hasTaint('unreachable:NoSchedule')(node) && !hasTaint('unreachable:NoExecute')(node),
      );
    }
    // Long enough for a node each, were they still being emptied.
    await wait(3_000);
    for (const name of ['a', 'b', 'c', 'd'])
      seen[`the node ${name} when all are silent`] = await nodes.listTaints(name);
    seen['the pod elsewhere when all are silent'] = await judgePod(nodes, 'elsewhere');

    await nodes.wake('b', 'c');
    for (const name of ['b', 'c']) await nodes.waitFor(name, isFree);
    for (const name of ['a', 'd']) await nodes.waitFor(name, hasTaint('unreachable:NoExecute'));
    seen['the node d when half are back'] = await nodes.listTaints('d');

    await nodes.send('DELETE', '/api/v1/nodes/b');
    await nodes.wake('a', 'd');
    for (const name of ['a', 'd']) await nodes.waitFor(name, isFree);
    seen['events'] = await waitForValue(
      'all to be told',
      () => listEvents(nodes),
      (lines) => toldLast.every((told) => lines.some((line) => line.includes(told))),
    );
    return seen;
  } finally {
    nodes.stop();
  }
}
