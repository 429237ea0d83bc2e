import { describe, expect, it } from 'vitest';

import { makeNotFoundError } from '../../core/errors/make-status-error.ts';
import type { KubeObject, OwnerReference } from '../../core/meta/kube-object.ts';
import type { ScaleAnswer } from '../../kinds/policy/pod-disruption-budget/count-expected-pods.ts';
import type { ResourceClient } from '../resources/resource-client.ts';
import {
  type DiscoveredScale,
  findControllerScale,
  type ScaledWorkload,
  type ScaleSource,
} from './find-controller-scale.ts';

function refer(kind: string, name: string, apiVersion = 'apps/v1', uid = `uid-${name}`): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true };
}

function makeWorkload(name: string, replicas: number | undefined, owner?: OwnerReference): ScaledWorkload {
  return {
    apiVersion: 'apps/v1',
    kind: 'Any',
    metadata: { name, uid: `uid-${name}`, ...(owner === undefined ? {} : { ownerReferences: [owner] }) },
    spec: replicas === undefined ? {} : { replicas },
  };
}

const scaled = (group: string, resource: string): DiscoveredScale => ({
  resource: { group, version: 'v1', resource },
  namespaced: true,
  hasScale: true,
});

const workloads: Readonly<Record<string, ScaledWorkload>> = {
  'ReplicaSet/plain': makeWorkload('plain', 3),
  'ReplicaSet/silent': makeWorkload('silent', undefined),
  'ReplicaSet/web': makeWorkload('web', 2, refer('Deployment', 'web-deployment')),
  'ReplicaSet/orphan': makeWorkload('orphan', 4, refer('Deployment', 'gone')),
  'ReplicaSet/other': makeWorkload('other', 5, refer('Rollout', 'canary', 'acme.example/v1')),
  'Deployment/web-deployment': makeWorkload('web-deployment', 7),
  'StatefulSet/db': makeWorkload('db', 5),
  'ReplicationController/old': makeWorkload('old', 6),
};
const resources: Readonly<Record<string, DiscoveredScale>> = {
  'apps/ReplicaSet': scaled('apps', 'replicasets'),
  'apps/Deployment': scaled('apps', 'deployments'),
  'apps/DaemonSet': { ...scaled('apps', 'daemonsets'), hasScale: false },
  '/Node': { ...scaled('', 'nodes'), namespaced: false, hasScale: false },
  'acme.example/Rollout': scaled('acme.example', 'rollouts'),
};
const scales: Readonly<Record<string, KubeObject & { spec?: { replicas?: number } }>> = {
  'rollouts/canary': { ...makeWorkload('canary', 9), kind: 'Scale', spec: { replicas: 9 } },
  'rollouts/idle': { ...makeWorkload('idle', undefined), kind: 'Scale', spec: {} },
  'replicasets/orphan': { ...makeWorkload('orphan', 4), kind: 'Scale', spec: { replicas: 4 } },
};

const source: ScaleSource = {
  readWorkload: async (kind, _namespace, name) => workloads[`${kind}/${name}`],
  findResource: (group, _version, kind) => resources[`${group}/${kind}`],
  client: {
    get: async ({ resource, name }: { resource: { group: string; resource: string }; name: string }) => {
      if (name === 'broken') throw new Error('no connection');
      const found = scales[`${resource.resource}/${name}`];
      if (found === undefined) throw makeNotFoundError(resource.group, resource.resource, name);
      return found;
    },
  } as unknown as ResourceClient,
};

describe('findControllerScale', () => {
  it.for<readonly [string, OwnerReference, ScaleAnswer]>([
    ['a replica set', refer('ReplicaSet', 'plain'), { uid: 'uid-plain', replicas: 3 }],
    ['one of an old group', refer('ReplicaSet', 'plain', 'extensions/v1beta1'), { uid: 'uid-plain', replicas: 3 }],
    ['one that does not say', refer('ReplicaSet', 'silent'), { uid: 'uid-silent', replicas: 1 }],
    ['the deployment of a replica set', refer('ReplicaSet', 'web'), { uid: 'uid-web-deployment', replicas: 7 }],
    ['a replica set whose deployment is gone', refer('ReplicaSet', 'orphan'), { uid: 'uid-orphan', replicas: 4 }],
    ['a replica set of another controller', refer('ReplicaSet', 'other'), { uid: 'uid-other', replicas: 5 }],
    ['a stateful set', refer('StatefulSet', 'db'), { uid: 'uid-db', replicas: 5 }],
    ['a replication controller', refer('ReplicationController', 'old', 'v1'), { uid: 'uid-old', replicas: 6 }],
    ['a kind with a scale', refer('Rollout', 'canary', 'acme.example/v1'), { uid: 'uid-canary', replicas: 9 }],
    ['a scale that does not say', refer('Rollout', 'idle', 'acme.example/v1'), { uid: 'uid-idle', replicas: 0 }],
    ['one that is gone', refer('Rollout', 'none', 'acme.example/v1'), 'absent'],
    ['a later one of the name', refer('Rollout', 'canary', 'acme.example/v1', 'uid-earlier'), 'absent'],
    ['a later replica set of the name', refer('ReplicaSet', 'plain', 'apps/v1', 'uid-earlier'), 'absent'],
    ['no scale', refer('DaemonSet', 'a'), { fault: 'daemonsets.apps does not implement the scale subresource' }],
    ['a node', refer('Node', 'a', 'v1'), { fault: 'nodes does not implement the scale subresource' }],
    ['no such kind', refer('Job', 'a', 'batch/v1'), { fault: 'no matches for kind "Job" in version "batch/v1"' }],
    [
      'no such group',
      refer('ReplicaSet', 'plain', 'other/v1'),
      { fault: 'no matches for kind "ReplicaSet" in version "other/v1"' },
    ],
    ['no version at all', refer('Job', 'a', 'a/b/c'), { fault: 'unexpected GroupVersion string: a/b/c' }],
  ])('finds the scale of %s', async ([, reference, expected]) => {
    expect(await findControllerScale(source, reference, 'n')).toEqual(expected);
  });

  it('throws what reading throws', async () => {
    const reference = refer('Rollout', 'broken', 'acme.example/v1');
    await expect(findControllerScale(source, reference, 'n')).rejects.toThrow('no connection');
  });
});
