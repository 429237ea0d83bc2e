import type { CheckpointFailure, CheckpointRefusal, CheckpointRequest } from './checkpoint-record.ts';

/** There is no such pod on the node, in the kubelet's words. */
export const podNotFound: CheckpointRefusal = {
  status: 404,
  reason: 'NotFound',
  failure: 'NotFound',
  message: 'pod does not exist',
};

/** The query's timeout is no number, in the kubelet's words and with its code. */
export const timeoutInvalid: CheckpointRefusal = {
  status: 404,
  reason: 'NotFound',
  failure: 'InvalidTimeout',
  message: 'cannot parse value of timeout parameter',
};

/** The agent ends. */
export const stopping: CheckpointRefusal = {
  status: 503,
  reason: 'ServiceUnavailable',
  failure: 'Canceled',
  message: 'the node agent is shutting down',
};

/** As many requests wait as may. */
export const tooManyWaiting: CheckpointRefusal = {
  status: 429,
  reason: 'TooManyRequests',
  failure: 'Busy',
  message: 'too many checkpoints are waiting on this node, please try again later',
};

/** The pod has no container of this name, in the kubelet's words. */
export function refuseContainer(name: string): CheckpointRefusal {
  return { status: 404, reason: 'NotFound', failure: 'NotFound', message: `container ${name} does not exist` };
}

/** A checkpoint that failed for `cause`, in the kubelet's words. */
export function refuseFailed(
  { namespace, pod, container }: CheckpointRequest,
  failure: CheckpointFailure,
  cause: string,
): CheckpointRefusal {
  const message = `checkpointing of ${namespace}/${pod}/${container} failed (${cause})`;
  return { status: 500, reason: 'InternalError', failure, message };
}
