import { RuntimeFailure } from '../../agent/cri/runtime-failure.ts';

/** The failure of a call to a runtime; throws when it does not fail, or otherwise. */
export async function catchFailure(call: Promise<unknown>): Promise<RuntimeFailure> {
  const error: unknown = await call.then(
    () => new Error('the call did not fail'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof RuntimeFailure) return error;
  throw error;
}
