import type { RuntimeContainer, Sandbox } from '../cri/container-runtime.ts';

/** Sandboxes of the pod of this name, those that run before those that ended, new ones before old ones. */
export function choosePodSandboxes(sandboxes: readonly Sandbox[], namespace: string, pod: string): Sandbox[] {
  return sandboxes
    .filter((sandbox) => sandbox.namespace === namespace && sandbox.name === pod)
    .toSorted(
      (left, right) =>
        Number(right.state === 'Ready') - Number(left.state === 'Ready') ||
        right.createdAtMillis - left.createdAtMillis ||
        right.attempt - left.attempt,
    );
}

/** The container of this name that runs, or else the one that was made last; `undefined` when the sandbox has none of the name. */
export function chooseContainer(containers: readonly RuntimeContainer[], name: string): RuntimeContainer | undefined {
  return containers
    .filter((container) => container.name === name)
    .toSorted(
      (left, right) =>
        Number(right.state === 'Running') - Number(left.state === 'Running') ||
        right.createdAtMillis - left.createdAtMillis ||
        right.attempt - left.attempt,
    )[0];
}
