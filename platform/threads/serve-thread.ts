import { parentPort } from 'node:worker_threads';
import type { ThreadReply, ThreadRequest } from './thread-messages.ts';

/** Makes the thread that calls it one of a ThreadPool: it answers each task by `work`. Throws outside of a thread. */
export function serveThread<Input, Output>(work: (input: Input) => Output | Promise<Output>): void {
  if (parentPort === null) throw new Error('this is no thread of a pool');
  const port = parentPort;
  const answer = async ({ id, input }: ThreadRequest): Promise<void> => {
    const send = (reply: ThreadReply): void => port.postMessage(reply);
    try {
      send({ id, output: await work(input as Input) });
    } catch (error) {
      send({ id, failure: String((error as Error).stack ?? error) });
    }
  };
  port.on('message', (request: ThreadRequest) => void answer(request));
}
