import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatTime } from '../../../core/time/time.ts';
import { checkDns1123Label } from '../../../core/validation/names.ts';
import type { StatusRules, WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, readItems, readNumber, readText } from '../../workloads/read-field.ts';
import { applyPodDefaults } from './apply-pod-defaults.ts';
import { computeQosClass } from './compute-qos-class.ts';
import { validateNewPod, validatePodStatusUpdate, validatePodUpdate } from './validate-pod.ts';

function makeFirstStatus(pod: KubeObject, nowMillis: number): JsonObject {
  const status: JsonObject = { phase: 'Pending', qosClass: computeQosClass(pod) };
  if (readItems(pod, 'spec', 'schedulingGates').length > 0) {
    const message = 'Scheduling is blocked due to non-empty scheduling gates';
    const times = { lastProbeTime: null, lastTransitionTime: formatTime(nowMillis) };
    status['conditions'] = [{ ...times, type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message }];
  }
  return status;
}

/** How pods are written. */
export const podRules: WorkloadRules = {
  applyDefaults: applyPodDefaults,
  prepareForCreate(pod, context) {
    Object.assign(pod, { status: makeFirstStatus(pod, context.nowMillis) });
  },
  validate: validateNewPod,
  validateUpdate: validatePodUpdate,
  warnOnCreate(pod) {
    const faults = checkDns1123Label(pod.metadata.name ?? '');
    if (faults.length === 0) return [];
    const advice = 'which can result in surprising behavior; a DNS label is recommended';
    return [`metadata.name: this is used in the Pod's hostname, ${advice}: [${faults.join(' ')}]`];
  },
  defaultGracePeriodSeconds(pod) {
    const phase = readText(pod, 'status', 'phase');
    // Nothing runs yet, or any more, that could end gracefully.
    if (readText(pod, 'spec', 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
    const seconds = readNumber(pod, 'spec', 'terminationGracePeriodSeconds') ?? 0;
    return seconds < 0 ? 1 : seconds;
  },
};

/** How the status of pods is written. */
export const podStatusRules: StatusRules = {
  keptMetadata: ['deletionTimestamp', 'ownerReferences'],
  prepare(pod, old) {
    const status = ensureObject(pod, 'status');
    if (readText(status, 'qosClass') === '') status['qosClass'] = readText(old, 'status', 'qosClass');
  },
  validate: validatePodStatusUpdate,
};
