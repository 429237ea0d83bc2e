import type { AnyObject } from '../controllers/await-objects.ts';

/** A pod of a scenario, which its node reports on. */
export interface ScenarioPod {
  readonly name: string;
  /** Kind and name of its controller; absent: it has none. */
  readonly owner?: readonly [kind: string, name: string];
  readonly ready?: boolean;
  /** Whether it is being deleted, and its node has not ended it. */
  readonly isGoing?: boolean;
}

/** What there is, a budget, and what its status must become. */
export interface CountScenario {
  readonly name: string;
  /** `Kind/name`, with how many replicas each wants; a Deployment's replica set has its name. */
  readonly workloads?: Readonly<Record<string, number>>;
  readonly pods?: readonly ScenarioPod[];
  readonly budget: AnyObject;
  /** Written into the status before it is counted: pods whose eviction was granted, and how many seconds ago. */
  readonly granted?: Readonly<Record<string, number>>;
  /** `desired/expected/healthy/allowed`. */
  readonly counts: string;
  /** Reason and message of the condition DisruptionAllowed, where it is not the one of the counts. */
  readonly fault?: string;
}

/** Pods of one controller, all Ready. */
function listPods(count: number, kind: string, name: string): ScenarioPod[] {
  return Array.from({ length: count }, (_, i) => ({ name: `${name}-${i}`, owner: [kind, name] }));
}

const alone = (count: number): ScenarioPod[] => Array.from({ length: count }, (_, i) => ({ name: `alone-${i}` }));

/** What Kubernetes' own controller and ours must count alike. */
export const countScenarios: readonly CountScenario[] = [
  { name: 'a budget without pods', budget: { minAvailable: 1 }, counts: '1/0/0/0' },
  { name: 'a number of pods that nobody manages', pods: alone(3), budget: { minAvailable: 2 }, counts: '2/3/3/1' },
  { name: 'too few pods', pods: alone(1), budget: { minAvailable: 2 }, counts: '2/1/1/0' },
  { name: 'nothing that must stay', pods: alone(2), budget: { minAvailable: 0 }, counts: '0/2/2/2' },
  { name: 'a budget that asks for nothing', pods: alone(2), budget: {}, counts: '0/0/2/0' },
  {
    name: 'pods that are not Ready, and such as go',
    pods: [...alone(2), { name: 'sick', ready: false }, { name: 'going', isGoing: true }],
    budget: { minAvailable: 1 },
    counts: '1/4/2/1',
  },
  {
    name: 'a percentage of a deployment, rounded up',
    workloads: { 'Deployment/web': 10 },
    pods: listPods(4, 'ReplicaSet', 'web'),
    budget: { minAvailable: '28%' },
    counts: '3/10/4/1',
  },
  {
    name: 'a percentage of a replica set that may be missing, rounded up',
    workloads: { 'ReplicaSet/web': 3 },
    pods: listPods(3, 'ReplicaSet', 'web'),
    budget: { maxUnavailable: '34%' },
    counts: '1/3/3/2',
  },
  {
    name: 'a number of a stateful set that may be missing',
    workloads: { 'StatefulSet/db': 5 },
    pods: listPods(5, 'StatefulSet', 'db'),
    budget: { maxUnavailable: 2 },
    counts: '3/5/5/2',
  },
  {
    name: 'a replication controller',
    workloads: { 'ReplicationController/old': 4 },
    pods: listPods(3, 'ReplicationController', 'old'),
    budget: { minAvailable: '50%' },
    counts: '2/4/3/1',
  },
  {
    name: 'a kind of somebody else with a scale subresource',
    workloads: { 'Rollout/canary': 6 },
    pods: listPods(6, 'Rollout', 'canary'),
    budget: { maxUnavailable: '50%' },
    counts: '3/6/6/3',
  },
  {
    name: 'several controllers',
    workloads: { 'ReplicaSet/a': 3, 'StatefulSet/b': 4, 'Deployment/c': 2 },
    pods: [...listPods(3, 'ReplicaSet', 'a'), ...listPods(2, 'StatefulSet', 'b'), ...listPods(1, 'ReplicaSet', 'c')],
    budget: { minAvailable: '50%' },
    counts: '5/9/6/1',
  },
  {
    name: 'pods without a controller among others',
    workloads: { 'ReplicaSet/a': 2 },
    pods: [...listPods(2, 'ReplicaSet', 'a'), ...alone(2)],
    budget: { minAvailable: '50%' },
    counts: '1/2/4/3',
  },
  { name: 'only pods without a controller', pods: alone(2), budget: { maxUnavailable: 1 }, counts: '0/0/2/0' },
  {
    name: 'a deployment that wants none',
    workloads: { 'Deployment/web': 0 },
    pods: listPods(1, 'ReplicaSet', 'web'),
    budget: { maxUnavailable: '50%' },
    counts: '0/0/1/0',
  },
  {
    name: 'more that may be missing than there are',
    workloads: { 'ReplicaSet/a': 2 },
    pods: listPods(2, 'ReplicaSet', 'a'),
    budget: { maxUnavailable: 5 },
    counts: '0/2/2/2',
  },
  {
    name: 'a budget of which none may be missing',
    workloads: { 'ReplicaSet/a': 2 },
    pods: listPods(2, 'ReplicaSet', 'a'),
    budget: { maxUnavailable: 0 },
    counts: '2/2/2/0',
  },
  {
    name: 'pods of a daemon set',
    workloads: { 'DaemonSet/agent': 0 },
    pods: listPods(1, 'DaemonSet', 'agent'),
    budget: { maxUnavailable: 1 },
    counts: '0/0/0/0',
    fault: 'SyncFailed: daemonsets.apps does not implement the scale subresource',
  },
  {
    name: 'pods of a job',
    workloads: { 'Job/once': 0 },
    pods: listPods(1, 'Job', 'once'),
    budget: { minAvailable: '50%' },
    counts: '0/0/0/0',
    fault: 'SyncFailed: jobs.batch does not implement the scale subresource',
  },
  {
    name: 'pods of a replica set that is gone',
    pods: listPods(1, 'ReplicaSet', 'gone'),
    budget: { minAvailable: '50%' },
    counts: '0/0/0/0',
    fault: 'SyncFailed: found no controllers for pod "gone-0"',
  },
  {
    name: 'pods of a kind that nobody knows',
    pods: listPods(1, 'Unknown', 'x'),
    budget: { maxUnavailable: 1 },
    counts: '0/0/0/0',
    fault: 'SyncFailed: no matches for kind "Unknown" in version "acme.example/v1"',
  },
  {
    name: 'grants that stand, that are too old, and of pods that go',
    pods: [...alone(4), { name: 'going', isGoing: true }],
    budget: { minAvailable: 1 },
    granted: { 'alone-0': 10, 'alone-1': 110, 'alone-2': 300, going: 10 },
    counts: '1/5/2/1',
  },
];
