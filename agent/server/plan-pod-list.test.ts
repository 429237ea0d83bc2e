import { describe, expect, it } from 'vitest';
import type { ContainerState, RuntimeContainer, RuntimeContainerDetails, Sandbox } from '../cri/container-runtime.ts';
import { planPodList } from './plan-pod-list.ts';

const second = 1_000;

function sandbox(id: string, more: Partial<Sandbox> = {}): Sandbox {
  return {
    ...{ id, name: 'web', namespace: 'shop', uid: 'u1', attempt: 0, state: 'Ready', createdAtMillis: 10 * second },
    ...{ labels: {}, annotations: {}, runtimeHandler: '' },
    ...more,
  };
}

function container(id: string, state: ContainerState, more: Partial<RuntimeContainer> = {}): RuntimeContainer {
  return {
    ...{ id, sandboxId: 's1', name: 'main', attempt: 0, image: 'web:1', imageRef: 'sha256:a', state },
    ...{ createdAtMillis: 11 * second, labels: {}, annotations: {} },
    ...more,
  };
}

function details(id: string, state: ContainerState, exitCode: number): RuntimeContainerDetails {
  const { sandboxId: _, ...rest } = container(id, state);
  return {
    ...rest,
    ...{ startedAtMillis: 12 * second, finishedAtMillis: state === 'Exited' ? 13 * second : undefined, exitCode },
    ...{ reason: state === 'Exited' ? 'Error' : '', message: '', logPath: '' },
  };
}

interface Item {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: object;
  readonly status: { readonly phase: string; readonly containerStatuses: readonly object[] };
}

function plan(
  sandboxes: readonly Sandbox[],
  containers: readonly RuntimeContainer[],
  known: readonly RuntimeContainerDetails[] = [],
): readonly Item[] {
  const list = planPodList({
    ...{ runtimeName: 'containerd', nodeName: 'n', sandboxes, containers },
    details: new Map(known.map((each) => [each.id, each])),
    addresses: new Map([['s1', ['10.0.0.5', 'fd00::5']]]),
  });
  return list.items as readonly Item[];
}

describe('planPodList', () => {
  it('describes a pod', () => {
    const labels = { app: 'web', 'io.kubernetes.pod.name': 'web' };
    expect(
      plan(
        [sandbox('s1', { labels, annotations: { a: 'b' }, runtimeHandler: 'kata' })],
        [container('c1', 'Running', { attempt: 2 })],
        [details('c1', 'Running', 0)],
      ),
    ).toEqual([
      {
        metadata: {
          ...{ name: 'web', namespace: 'shop', uid: 'u1', creationTimestamp: '1970-01-01T00:00:10Z' },
          ...{ labels: { app: 'web' }, annotations: { a: 'b' } },
        },
        spec: {
          nodeName: 'n',
          runtimeClassName: 'kata',
          containers: [{ name: 'main', image: 'web:1', resources: {} }],
        },
        status: {
          phase: 'Running',
          podIP: '10.0.0.5',
          podIPs: [{ ip: '10.0.0.5' }, { ip: 'fd00::5' }],
          startTime: '1970-01-01T00:00:10Z',
          containerStatuses: [
            {
              ...{ name: 'main', ready: true, restartCount: 2, image: 'web:1', imageID: 'sha256:a' },
              state: { running: { startedAt: '1970-01-01T00:00:12Z' } },
              lastState: {},
              containerID: 'containerd://c1',
            },
          ],
        },
      },
    ]);
  });

  it('takes the last sandbox of a pod, and the last attempt of a container', () => {
    const [pod, ...others] = plan(
      [sandbox('s1', { state: 'NotReady' }), sandbox('s2', { attempt: 1, createdAtMillis: 20 * second })],
      [
        container('c1', 'Exited'),
        container('c2', 'Running', { sandboxId: 's2', createdAtMillis: 21 * second }),
        container('c3', 'Exited', { name: 'init' }),
        container('stray', 'Running', { sandboxId: 'gone' }),
      ],
    );
    expect(others).toEqual([]);
    expect(pod?.status.containerStatuses).toMatchObject([
      { name: 'init', containerID: 'containerd://c3' },
      { name: 'main', containerID: 'containerd://c2' },
    ]);
  });

  it.for<[ContainerState[], number[], Sandbox['state'], string]>([
    [[], [], 'Ready', 'Pending'],
    [[], [], 'NotReady', 'Unknown'],
    [['Created'], [0], 'Ready', 'Pending'],
    [['Running', 'Exited'], [0, 1], 'Ready', 'Running'],
    [['Exited', 'Exited'], [0, 0], 'NotReady', 'Succeeded'],
    [['Exited', 'Exited'], [0, 3], 'NotReady', 'Failed'],
    [['Unknown'], [0], 'NotReady', 'Pending'],
  ])('gives containers %j with %j in a sandbox that is %s the phase %s', ([states, codes, state, phase]) => {
    const containers = states.map((each, i) => container(`c${i}`, each, { name: `n${i}` }));
    const known = states.map((each, i) => details(`c${i}`, each, codes[i] ?? 0));
    expect(plan([sandbox('s1', { state })], containers, known)[0]?.status.phase).toBe(phase);
  });

  it('tells how a container ended', () => {
    const [pod] = plan([sandbox('s1')], [container('c1', 'Exited')], [details('c1', 'Exited', 3)]);
    expect(pod?.status.containerStatuses).toMatchObject([
      {
        ready: false,
        state: {
          terminated: {
            ...{ exitCode: 3, reason: 'Error', startedAt: '1970-01-01T00:00:12Z' },
            ...{ finishedAt: '1970-01-01T00:00:13Z', containerID: 'containerd://c1' },
          },
        },
      },
    ]);
  });

  it('sorts pods by namespace and name', () => {
    const pods = plan(
      [
        sandbox('a', { uid: 'a', namespace: 'b', name: 'a' }),
        sandbox('b', { uid: 'b', namespace: 'a', name: 'z' }),
        sandbox('c', { uid: 'c', namespace: 'a', name: 'y' }),
      ],
      [],
    );
    expect(pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(['a/y', 'a/z', 'b/a']);
  });
});
