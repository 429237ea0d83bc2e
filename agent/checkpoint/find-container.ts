import { checkDns1123Label, checkDns1123Subdomain } from '../../core/validation/names.ts';
import type { ContainerRuntime, RuntimeContainer, Sandbox } from '../cri/container-runtime.ts';
import type { CheckpointRefusal, CheckpointRequest } from './checkpoint-record.ts';
import { chooseContainer, choosePodSandboxes } from './choose-container.ts';
import { podNotFound, refuseContainer, refuseFailed, timeoutInvalid } from './plan-refusal.ts';

/** A container that can be dumped, and its pod's sandbox. */
export interface FoundContainer {
  readonly sandbox: Sandbox;
  readonly container: RuntimeContainer;
}

/** The container of this name in the first of the sandboxes where it runs, or else in the first that has it. */
async function findIn(
  sandboxes: readonly Sandbox[],
  name: string,
  runtime: ContainerRuntime,
  signal: AbortSignal,
): Promise<FoundContainer | undefined> {
  let stopped: FoundContainer | undefined;
  for (const sandbox of sandboxes) {
    const container = chooseContainer(await runtime.listContainers({ sandboxId: sandbox.id }, { signal }), name);
    if (container?.state === 'Running') return { sandbox, container };
    if (container !== undefined) stopped ??= { sandbox, container };
  }
  return stopped;
}

/**
 * The container that a request is about, or why there is no dumping it: what the kubelet refuses, in its order and its words. Throws
 * `RuntimeFailure`.
 */
export async function findContainer(
  runtime: ContainerRuntime,
  request: CheckpointRequest,
  signal: AbortSignal,
): Promise<FoundContainer | { readonly refusal: CheckpointRefusal }> {
  const { namespace, pod, container: name, timeoutSeconds = 0 } = request;
  // Names of files are made of them.
  if ([...checkDns1123Label(namespace), ...checkDns1123Subdomain(pod)].length > 0) return { refusal: podNotFound };
  const sandboxes = choosePodSandboxes(await runtime.listSandboxes(undefined, { signal }), namespace, pod);
  if (sandboxes.length === 0) return { refusal: podNotFound };
  const found = checkDns1123Label(name).length > 0 ? undefined : await findIn(sandboxes, name, runtime, signal);
  if (found === undefined) return { refusal: refuseContainer(name) };
  if (Number.isNaN(timeoutSeconds)) return { refusal: timeoutInvalid };
  if (timeoutSeconds < 0) {
    const cause = 'CheckpointContainer requires the timeout value to be > 0';
    return { refusal: refuseFailed(request, 'InvalidTimeout', cause) };
  }
  if (found.container.state === 'Running') return found;
  return { refusal: refuseFailed(request, 'NotRunning', `container ${name} not found`) };
}
