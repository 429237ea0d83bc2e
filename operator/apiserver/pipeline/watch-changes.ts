import { decodeTyped } from '../../../core/decode/decode-typed.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { WatchEvent } from '../../../platform/resources/resource-client.ts';
import type { PipelineServices } from './pipeline-services.ts';
import { decodeStoredFor } from './stored-encoding.ts';
import { watchObjects, type ObjectChange, type WatchRequest } from './watch-objects.ts';
import type { ResourceTarget } from './resource-target.ts';

/** Annotation of the bookmark that ends the state at the start of a watch. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

function toEvent<T extends KubeObject>(target: ResourceTarget, change: ObjectChange): WatchEvent<T> {
  return { type: change.type, object: decodeStoredFor(target, change.value) as unknown as T };
}

/** An object of a kind with nothing in it: what the kind always shows is there. Kinds that users define show nothing. */
function makeEmptyObject({ definedBy, schema }: ResourceTarget['kind']): object {
  const decoded = definedBy === undefined ? decodeTyped({}, schema) : { fault: '' };
  return 'fault' in decoded ? {} : decoded.object;
}

/** A bookmark: an empty object of the kind with a resourceVersion, and the mark of the end of the initial state. */
export function makeBookmark(target: ResourceTarget, revision: number, endsInitial: boolean): KubeObject {
  return {
    ...makeEmptyObject(target.kind),
    kind: target.kind.kind,
    apiVersion: target.apiVersion,
    metadata: {
      resourceVersion: String(revision),
      ...(endsInitial ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}),
    },
  };
}

/** Changes as decoded events, until the signal aborts or the timeout is over. Throws a 410 StatusError when they expired. */
export async function* watchChanges<T extends KubeObject>(
  services: PipelineServices,
  request: WatchRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent<T>> {
  if (signal?.aborted === true) return;
  const watch = await watchObjects(services, request);
  const state = { ended: false };
  const end = (): void => {
    state.ended = true;
    watch.close();
  };
  signal?.addEventListener('abort', end, { once: true });
  const { timeoutSeconds } = request.parameters;
  const timer = timeoutSeconds > 0 ? setTimeout(end, timeoutSeconds * 1000) : undefined;
  try {
    for (let part = watch.readInitial(); part.length > 0; part = watch.readInitial()) {
      for (const change of part) {
        if (state.ended) return;
        yield toEvent<T>(request.target, change);
      }
    }
    if (watch.marksInitialEnd) {
      yield { type: 'BOOKMARK', object: makeBookmark(request.target, watch.revision, true) as unknown as T };
    }
    while (!state.ended) {
      const changes = await watch.read();
      for (const change of changes) {
        if (state.ended) return;
        yield toEvent<T>(request.target, change);
      }
      if (changes.length > 0) continue;
      if (watch.isOver) return;
      if (!state.ended) await watch.wait();
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    watch.close();
  }
}
