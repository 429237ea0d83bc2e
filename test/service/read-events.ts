import type { IncomingMessage } from 'node:http';

/** One frame of a watch. */
export interface WatchedEvent {
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- objects of any kind, looked into by tests
  readonly object: { readonly metadata: { readonly name?: string; readonly namespace?: string } } & Record<string, any>;
}

/** Appends the frames of a watch to `events` until one is the last or the stream ends; then ends the request. */
export async function readEvents(
  stream: IncomingMessage,
  events: WatchedEvent[],
  isLast: (event: WatchedEvent) => boolean,
): Promise<void> {
  let rest = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = JSON.parse(line) as WatchedEvent;
      events.push(event);
      if (!isLast(event)) continue;
      stream.destroy();
      return;
    }
  }
}
