import type { ServerResponse } from 'node:http';

/** A reason of its own keeps every request's end from making an exception, with its stack. */
const GONE = new Error('the request has ended');

/** A signal that aborts when the answer has ended, whether all of it was sent or the client went away, or when `shutdown` aborts. */
export function makeEndSignal(response: ServerResponse, shutdown: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const end = (): void => gone.abort(GONE);
  if (response.destroyed || shutdown.aborted) {
    end();
    return gone.signal;
  }
  response.once('close', () => {
    shutdown.removeEventListener('abort', end);
    end();
  });
  shutdown.addEventListener('abort', end, { once: true });
  return gone.signal;
}
