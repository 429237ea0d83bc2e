import { readEvents } from '../service/read-events.ts';
import type { Service } from '../service/start-service.ts';

/** An object of any kind, looked into by a test. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export type AnyObject = Record<string, any>;

const watchSeconds = 20;
const timeoutMillis = 240_000;

/**
 * Waits until the objects of a collection are as `check` wants them, and returns them; looks again after every change of the collection.
 * Throws, with what is there, when it takes too long, and when `checkAlive` does.
 */
export async function awaitObjects(
  service: Service,
  path: string,
  check: (items: AnyObject[]) => boolean,
  checkAlive: () => Promise<void>,
): Promise<AnyObject[]> {
  const deadline = Date.now() + timeoutMillis;
  for (;;) {
    const { status, json, text } = await service.request('GET', path);
    if (status !== 200) throw new Error(`${path} cannot be listed: ${text}`);
    const { items, metadata } = json as { items: AnyObject[]; metadata: { resourceVersion: string } };
    if (check(items)) return items;
    await checkAlive();
    if (Date.now() > deadline) throw new Error(`${path} stays ${JSON.stringify(items, undefined, 1).slice(0, 6_000)}`);
    const query = `watch=true&timeoutSeconds=${watchSeconds}&resourceVersion=${metadata.resourceVersion}`;
    const stream = await service.open('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`);
    await readEvents(stream, [], () => true);
  }
}
