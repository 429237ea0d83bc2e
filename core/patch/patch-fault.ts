import type { JsonValue } from '../meta/json.ts';

/**
 * How Kubernetes answers a patch that cannot be applied. `malformed`: 400. `failed`: 422, the patch does not fit the object.
 * `unexpected`: Kubernetes has no status of its own for it and answers 500, although the client is to blame.
 */
export type PatchFaultKind = 'malformed' | 'failed' | 'unexpected';

/** The patched document, or why there is none, in Kubernetes' words. */
export type PatchResult<T extends JsonValue = JsonValue> = { value: T } | { fault: string; kind: PatchFaultKind };

/** Carries a fault out of nested steps of a patch; never leaves this folder. */
export class PatchFault extends Error {
  readonly kind: PatchFaultKind;

  constructor(kind: PatchFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Runs the steps of a patch, and turns a PatchFault that they throw into a value. */
export function capturePatchFault<T extends JsonValue>(apply: () => T): PatchResult<T> {
  try {
    return { value: apply() };
  } catch (error) {
    if (error instanceof PatchFault) return { fault: error.message, kind: error.kind };
    throw error;
  }
}
