import { describe, expect, it } from 'vitest';

import { formatFieldError } from '../../../core/errors/make-field-error.ts';
import { deepClone } from '../../../core/meta/deep.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { bindPod, validateBinding } from './bind-pod.ts';
import { ephemeralContainersStrategy, resizeStrategy } from './partial-strategies.ts';
import { podKind } from './definition.ts';
import { setPodCondition } from './pod-condition.ts';

interface Container {
  name: string;
  image: string;
  command?: string[];
  resources?: object;
}

interface Pod extends KubeObject {
  spec: { containers: Container[]; nodeName?: string; schedulingGates?: object[]; ephemeralContainers?: Container[] };
  status: { phase: string; qosClass: string; conditions?: object[] };
}

const context = { domain: 'bailiwick.dev', nowMillis: 0 };

function makePod(change: (pod: Pod) => void = () => undefined): Pod {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', generation: 1 },
    spec: { containers: [{ name: 'c', image: 'x', resources: { requests: { cpu: '1' } } }] },
  } as unknown as Pod;
  podKind.strategy.applyDefaults(pod, context);
  podKind.strategy.prepareForCreate(pod, context);
  change(pod);
  return pod;
}

function makeBinding(target: object): KubeObject {
  const metadata = { name: 'p', annotations: { why: 'fits' } };
  return { apiVersion: 'v1', kind: 'Binding', metadata, target } as KubeObject;
}

describe('binding a pod', () => {
  it('puts it on the node, says so in a condition, and takes the annotations over', () => {
    const pod = makePod();
    expect(bindPod(pod, makeBinding({ name: 'node-1' }), 1000)).toBeUndefined();
    expect(pod.spec.nodeName).toBe('node-1');
    expect(pod.metadata.annotations).toEqual({ why: 'fits' });
    expect(pod.status.conditions).toEqual([
      { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: '1970-01-01T00:00:01Z' },
    ]);
  });

  it.for<[string, (pod: Pod) => void, string]>([
    ['is bound', (pod) => (pod.spec.nodeName = 'a'), 'pod p is already assigned to node "a"'],
    ['has gates', (pod) => (pod.spec.schedulingGates = [{}]), 'pod p has non-empty .spec.schedulingGates'],
    [
      'is being deleted',
      (pod) => (pod.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'),
      'pod p is being deleted, cannot be assigned to a host',
    ],
  ])('is refused when the pod %s', ([, change, obstacle]) => {
    const pod = makePod(change);
    const before = deepClone(pod);
    expect(bindPod(pod, makeBinding({ name: 'node-1' }), 0)).toBe(obstacle);
    expect(pod).toEqual(before);
  });

  it('needs a node by name', () => {
    expect(validateBinding(makeBinding({ kind: 'Rack', name: '' })).map(formatFieldError)).toEqual([
      'target.kind: Unsupported value: "Rack": supported values: "Node", "<empty>"',
      'target.name: Required value',
    ]);
  });
});

describe('a condition of a pod', () => {
  it('keeps its time of transition while its status stays', () => {
    const pod = makePod();
    setPodCondition(pod, { type: 'Ready', status: 'True' }, 1000);
    setPodCondition(pod, { type: 'Ready', status: 'True', reason: 'Still' }, 2000);
    expect(pod.status.conditions).toMatchObject([{ reason: 'Still', lastTransitionTime: '1970-01-01T00:00:01Z' }]);
    setPodCondition(pod, { type: 'Ready', status: 'False' }, 3000);
    expect(pod.status.conditions).toMatchObject([{ status: 'False', lastTransitionTime: '1970-01-01T00:00:03Z' }]);
  });
});

function writePartially(strategy: typeof resizeStrategy, change: (pod: Pod) => void): { pod: Pod; faults: string[] } {
  const old = makePod();
  const pod = deepClone(old);
  change(pod);
  strategy.prepareForUpdate(pod, old, context);
  return { pod, faults: strategy.validateUpdate(pod, old, context).map(formatFieldError) };
}

describe('resizing a pod', () => {
  it('changes what containers ask for, and nothing else', () => {
    const { pod, faults } = writePartially(resizeStrategy, ({ spec, metadata }) => {
      spec.containers[0]!.resources = { requests: { cpu: '2' } };
      spec.containers[0]!.image = 'y';
      metadata.labels = { a: 'b' };
    });
    expect(faults).toEqual([]);
    expect(pod.spec.containers[0]).toMatchObject({ image: 'x', resources: { requests: { cpu: '2' } } });
    expect(pod.metadata).toMatchObject({ generation: 2 });
    expect(pod.metadata.labels).toBeUndefined();
  });

  it.for<[string, object, string]>([
    [
      'the quality of service',
      { requests: { cpu: '1', memory: '1' }, limits: { cpu: '1', memory: '1' } },
      'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    ],
    [
      'by removing a request',
      { requests: { memory: '1' } },
      'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
    ],
    [
      'other resources',
      { requests: { cpu: '1', 'ephemeral-storage': '1' } },
      'spec: Forbidden: only cpu and memory resources are mutable',
    ],
  ])('may not change %s', ([, resources, fault]) => {
    const { faults } = writePartially(resizeStrategy, ({ spec }) => {
      spec.containers[0]!.resources = resources;
    });
    expect(faults).toEqual([fault]);
  });
});

describe('debugging a pod', () => {
  it('adds ephemeral containers, and nothing else', () => {
    const { pod, faults } = writePartially(ephemeralContainersStrategy, (changed) => {
      changed.spec.ephemeralContainers = [{ name: 'e', image: 'x' }];
      changed.spec.containers[0]!.image = 'y';
      podKind.strategy.applyDefaults(changed, context);
    });
    expect(faults).toEqual([]);
    expect(pod.spec.ephemeralContainers).toMatchObject([{ name: 'e' }]);
    expect(pod.spec.containers[0]?.image).toBe('x');
  });
});

describe('a changed pod', () => {
  it.for<[string, (pod: Pod) => void, RegExp | undefined]>([
    ['an image', ({ spec }) => (spec.containers[0]!.image = 'y'), undefined],
    ['a command', ({ spec }) => (spec.containers[0]!.command = ['y']), /^spec: Forbidden: pod updates may not change/],
    ['the containers', ({ spec }) => (spec.containers = []), /^spec.containers: Forbidden: pod updates may not add/],
  ])('that has another value of %s is checked', ([, change, fault]) => {
    const old = makePod();
    const pod = deepClone(old);
    change(pod);
    const faults = podKind.strategy.validateUpdate(pod, old, context).map(formatFieldError);
    if (fault === undefined) expect(faults).toEqual([]);
    else expect(faults.at(-1)).toMatch(fault);
  });
});
