import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { parseTime } from '../../../core/time/time.ts';
import { formatDuration } from '../../format-age.ts';
import { readFlag, readItems, readNumber, readObject, readText } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';

interface Restarts {
  count: number;
  lastMillis: number;
}

function addRestarts(restarts: Restarts, status: JsonObject): void {
  restarts.count += readNumber(status, 'restartCount') ?? 0;
  const finished = parseTime(readText(status, 'lastState', 'terminated', 'finishedAt')) ?? 0;
  restarts.lastMillis = Math.max(restarts.lastMillis, finished);
}

function describeTermination(terminated: JsonObject): string {
  const signal = readNumber(terminated, 'signal') ?? 0;
  if (readText(terminated, 'reason') !== '') return readText(terminated, 'reason');
  return signal === 0 ? `ExitCode:${readNumber(terminated, 'exitCode') ?? 0}` : `Signal:${signal}`;
}

function hasTrueCondition(pod: KubeObject, type: string): boolean {
  const found = readItems(pod, 'status', 'conditions').find((condition) => condition['type'] === type);
  return found !== undefined && found['status'] === 'True';
}

/** What the init containers make of a pod's state: `reason` while they are not done. */
function readInitState(pod: KubeObject): {
  reason: string | undefined;
  ready: number;
  restarts: Restarts;
  sidecarRestarts: Restarts;
} {
  const specs = readItems(pod, 'spec', 'initContainers');
  const sidecars = new Set(
    specs.filter((spec) => spec['restartPolicy'] === 'Always').map((spec) => readText(spec, 'name')),
  );
  const state = { ready: 0, restarts: { count: 0, lastMillis: 0 }, sidecarRestarts: { count: 0, lastMillis: 0 } };
  for (const [index, status] of readItems(pod, 'status', 'initContainerStatuses').entries()) {
    const isSidecar = sidecars.has(readText(status, 'name'));
    addRestarts(state.restarts, status);
    if (isSidecar) addRestarts(state.sidecarRestarts, status);
    const terminated = readObject(status, 'state', 'terminated');
    if (terminated && (readNumber(terminated, 'exitCode') ?? 0) === 0) continue;
    if (isSidecar && readFlag(status, 'started')) {
      if (readFlag(status, 'ready')) state.ready += 1;
      continue;
    }
    if (terminated) return { ...state, reason: `Init:${describeTermination(terminated)}` };
    const waiting = readText(status, 'state', 'waiting', 'reason');
    if (waiting !== '' && waiting !== 'PodInitializing') return { ...state, reason: `Init:${waiting}` };
    return { ...state, reason: `Init:${index}/${specs.length}` };
  }
  return { ...state, reason: undefined };
}

/** What the containers make of a pod's state; `reason` is `undefined` when they have nothing to say. */
function readContainerState(pod: KubeObject, restarts: Restarts): { reason: string | undefined; ready: number } {
  let reason: string | undefined;
  let ready = 0;
  for (const status of readItems(pod, 'status', 'containerStatuses').toReversed()) {
    addRestarts(restarts, status);
    const waiting = readText(status, 'state', 'waiting', 'reason');
    const terminated = readObject(status, 'state', 'terminated');
    if (waiting !== '') reason = waiting;
    else if (terminated) reason = describeTermination(terminated);
    else if (readFlag(status, 'ready') && readObject(status, 'state', 'running')) ready += 1;
  }
  if (reason === 'Completed' && ready > 0) reason = hasTrueCondition(pod, 'Ready') ? 'Running' : 'NotReady';
  return { reason, ready };
}

function readPhaseReason(pod: KubeObject): string {
  const gated = readItems(pod, 'status', 'conditions').some(
    (condition) => condition['type'] === 'PodScheduled' && condition['reason'] === 'SchedulingGated',
  );
  if (gated) return 'SchedulingGated';
  return readText(pod, 'status', 'reason') || readText(pod, 'status', 'phase');
}

function overrideWhenDeleted(pod: KubeObject, reason: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  if (readText(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  const phase = readText(pod, 'status', 'phase');
  return phase === 'Failed' || phase === 'Succeeded' ? reason : 'Terminating';
}

function formatReadinessGates(pod: KubeObject): string {
  const gates = readItems(pod, 'spec', 'readinessGates');
  if (gates.length === 0) return '<none>';
  const passed = gates.filter((gate) => hasTrueCondition(pod, readText(gate, 'conditionType')));
  return `${passed.length}/${gates.length}`;
}

/** The row of a pod: Name, Ready, Status, Restarts, Age, IP, Node, Nominated Node, Readiness Gates. */
export function printPod(pod: KubeObject, nowMillis: number): string[] {
  const sidecars = readItems(pod, 'spec', 'initContainers').filter((spec) => spec['restartPolicy'] === 'Always');
  const total = readItems(pod, 'spec', 'containers').length + sidecars.length;
  const init = readInitState(pod);
  let { ready, restarts } = init;
  let reason = init.reason ?? readPhaseReason(pod);
  if (init.reason === undefined || hasTrueCondition(pod, 'Initialized')) {
    restarts = init.sidecarRestarts;
    const containers = readContainerState(pod, restarts);
    ready += containers.ready;
    reason = containers.reason ?? reason;
  }
  const ago =
    restarts.count !== 0 && restarts.lastMillis !== 0
      ? ` (${formatDuration(nowMillis - restarts.lastMillis)} ago)`
      : '';
  return [
    nameOf(pod),
    `${ready}/${total}`,
    overrideWhenDeleted(pod, reason),
    `${restarts.count}${ago}`,
    ageOf(pod, nowMillis),
    readText(pod, 'status', 'podIPs', 0, 'ip') || '<none>',
    readText(pod, 'spec', 'nodeName') || '<none>',
    readText(pod, 'status', 'nominatedNodeName') || '<none>',
    formatReadinessGates(pod),
  ];
}
