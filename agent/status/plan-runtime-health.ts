import type { RuntimeCondition, RuntimeStatus } from '../cri/container-runtime.ts';

/** What is known of a runtime from how it answered so far. */
export interface RuntimeHealth {
  /** When it last said that it is ready; `undefined` when it never did. */
  readonly readyMillis: number | undefined;
  /** What is wrong with it, as it said itself. */
  readonly runtimeError: string | undefined;
  readonly networkError: string | undefined;
  /** What it last said of its network; `undefined` when it said nothing. */
  readonly network: RuntimeCondition | undefined;
}

/** Before a runtime was asked. */
export const unknownRuntimeHealth: RuntimeHealth = {
  readyMillis: undefined,
  runtimeError: undefined,
  networkError: 'network state unknown',
  network: undefined,
};

/** A runtime that has not been ready for as long is down. */
const downMillis = 30_000;

function formatCondition(condition: RuntimeCondition | undefined): string {
  if (condition === undefined) return '<nil>';
  const { type, status, reason, message } = condition;
  return `${type}=${String(status)} reason:${reason} message:${message}`;
}

/** What is known after a runtime was asked; `status` is `undefined` when it gave no answer: then what it said before still stands. */
export function planRuntimeHealth(
  known: RuntimeHealth,
  status: RuntimeStatus | undefined,
  nowMillis: number,
): RuntimeHealth {
  if (status === undefined) return known;
  const find = (type: string): RuntimeCondition | undefined =>
    status.conditions.find((condition) => condition.type === type);
  const [runtime, network] = [find('RuntimeReady'), find('NetworkReady')];
  const networkError =
    network?.status === true ? undefined : `container runtime network not ready: ${formatCondition(network)}`;
  if (runtime?.status !== true) {
    const runtimeError = `container runtime not ready: ${formatCondition(runtime)}`;
    return { readyMillis: known.readyMillis, runtimeError, networkError, network };
  }
  return { readyMillis: nowMillis, runtimeError: undefined, networkError, network };
}

/** All that keeps pods from running by the fault of the runtime; empty when nothing does. */
export function listRuntimeErrors(health: RuntimeHealth, nowMillis: number): string[] {
  const { readyMillis, runtimeError, networkError } = health;
  const errors: (string | undefined)[] = [];
  if (readyMillis === undefined) errors.push('container runtime status check may not have completed yet');
  else if (nowMillis >= readyMillis + downMillis) errors.push('container runtime is down');
  errors.push(runtimeError, networkError);
  return errors.filter((error) => error !== undefined);
}

/** Whether a runtime was heard of in time for what it said of its network to count. */
export function isHeardOf(health: RuntimeHealth, nowMillis: number): boolean {
  return health.readyMillis !== undefined && nowMillis < health.readyMillis + downMillis;
}
