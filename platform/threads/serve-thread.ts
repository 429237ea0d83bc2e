import { parentPort } from 'node:worker_threads';
import type { ThreadReply, ThreadRequest } from './thread-messages.ts';

/** Makes the thread that calls it one of a ThreadPool: it answers each task by `work`. Throws outside of a thread. */
export function serveThread<Input, Output>(work: (input: Input) => Output): void {
  if (parentPort === null) throw new Error('this is no thread of a pool');
  const port = parentPort;
  port.on('message', ({ id, input }: ThreadRequest) => {
    const send = (reply: ThreadReply): void => port.postMessage(reply);
    try {
      send({ id, output: work(input as Input) });
    } catch (error) {
      send({ id, failure: String((error as Error).stack ?? error) });
    }
  });
}
