import { describe, expect, it } from 'vitest';
import { makeExpiredError } from '../../core/errors/make-status-error.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { ManualClock } from '../process/manual-clock.ts';
import { type CollectionChange, CollectionIndex } from './collection-index.ts';
import type { ListOptions, ObjectList, ResourceClient, WatchEvent, WatchOptions } from './resource-client.ts';

function object(name: string, version: number, namespace = 'a'): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, resourceVersion: String(version) } };
}

type Step = WatchEvent | { readonly fails: unknown };

/** Answers lists from a fixed state and watches from a script; a watch ends with `fails`, or goes on until it is aborted. */
class ScriptedSource {
  items: KubeObject[] = [];
  version = 1;
  listFailures: unknown[] = [];
  readonly lists: ListOptions[] = [];
  readonly watches: (string | undefined)[] = [];
  #steps: Step[] = [];
  #wake: () => void = () => undefined;

  push(...steps: Step[]): void {
    this.#steps.push(...steps);
    this.#wake();
  }

  async list(_reference: unknown, options: ListOptions = {}): Promise<ObjectList> {
    this.lists.push(options);
    const failure = this.listFailures.shift();
    if (failure !== undefined) throw failure;
    const start = Number(options.continue ?? 0);
    const end = start + 2;
    const rest = end < this.items.length ? { continue: String(end) } : {};
    return { metadata: { resourceVersion: String(this.version), ...rest }, items: this.items.slice(start, end) };
  }

  async *watch(_reference: unknown, options: WatchOptions = {}): AsyncIterable<WatchEvent> {
    this.watches.push(options.resourceVersion);
    options.signal?.addEventListener('abort', () => this.#wake());
    for (;;) {
      const step = this.#steps.shift();
      if (step === undefined) {
        if (options.signal?.aborted) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else if ('fails' in step) {
        throw step.fails;
      } else {
        yield step;
      }
    }
  }
}

function follow(source: ScriptedSource) {
  const clock = new ManualClock();
  const failures: unknown[] = [];
  const index = new CollectionIndex({
    client: source as unknown as ResourceClient,
    reference: { resource: { group: '', version: 'v1', resource: 'configmaps' } },
    clock,
    onFailure: (error) => failures.push(error),
  });
  const changes: string[] = [];
  index.subscribe((change) => {
    const sort = change.object === undefined ? '-' : change.previous === undefined ? '+' : '~';
    changes.push(sort + change.key);
  });
  return { clock, index, failures, changes };
}

/** Lets everything run that can. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('CollectionIndex', () => {
  it('lists page by page, then follows', async () => {
    const source = new ScriptedSource();
    source.items = [object('one', 1), object('two', 2), object('three', 3, 'b')];
    source.version = 3;
    const { index, changes } = follow(source);
    await index.start();
    expect(index.list().length).toBe(3);
    expect(index.list('b').map((each) => each.metadata.name)).toEqual(['three']);
    source.push(
      { type: 'MODIFIED', object: object('one', 4) },
      { type: 'DELETED', object: object('three', 5, 'b') },
      { type: 'ADDED', object: object('four', 6) },
    );
    await settle();
    expect(changes).toEqual(['+a/one', '+a/two', '+b/three', '~a/one', '-b/three', '+a/four']);
    expect(index.get('one', 'a')?.metadata.resourceVersion).toBe('4');
    expect(index.list('b')).toEqual([]);
    await index.close();
  });

  it('resumes where it was after a watch broke off, bookmarks included', async () => {
    const source = new ScriptedSource();
    const { clock, index, failures } = follow(source);
    await index.start();
    source.push({ type: 'BOOKMARK', object: object('', 9) }, { fails: new Error('reset') });
    await settle();
    expect(failures.length).toBe(1);
    clock.advance(100);
    await settle();
    expect(source.watches).toEqual(['1', '9']);
    expect(source.lists.length).toBe(1);
    await index.close();
  });

  it('lists anew when its position has expired, and tells of what changed meanwhile', async () => {
    const source = new ScriptedSource();
    source.items = [object('gone', 1), object('kept', 1)];
    const { index, changes, failures } = follow(source);
    await index.start();
    changes.length = 0;
    source.items = [object('kept', 1), object('new', 7)];
    source.version = 8;
    source.push({ fails: makeExpiredError('too old resource version') });
    await settle();
    expect(changes).toEqual(['-a/gone', '+a/new']);
    expect(failures).toEqual([]);
    expect(source.watches).toEqual(['1', '8']);
    await index.close();
  });

  it('waits before it lists anew what expires again at once', async () => {
    const source = new ScriptedSource();
    source.listFailures = [1, 2, 3].map(() => makeExpiredError('the page is too old'));
    const { clock, index, failures } = follow(source);
    const started = index.start();
    await settle();
    expect(source.lists.length).toBe(2);
    clock.advance(200);
    await settle();
    expect(source.lists.length).toBe(3);
    clock.advance(400);
    await started;
    expect(failures).toEqual([]);
    await index.close();
  });

  it('tries again with growing delays until the first list is in', async () => {
    const source = new ScriptedSource();
    source.listFailures = [new Error('one'), new Error('two')];
    const { clock, index, failures } = follow(source);
    const started = index.start();
    await settle();
    clock.advance(100);
    await settle();
    clock.advance(199);
    await settle();
    expect(source.lists.length).toBe(2);
    clock.advance(1);
    await started;
    expect(failures.map(String)).toEqual(['Error: one', 'Error: two']);
    await index.close();
  });

  it('keeps what is left of an object, listed and watched', async () => {
    const source = new ScriptedSource();
    source.items = [{ ...object('listed', 1), large: true } as KubeObject];
    const told: CollectionChange<KubeObject>[] = [];
    const index = new CollectionIndex({
      client: source as unknown as ResourceClient,
      clock: new ManualClock(),
      reference: { resource: { group: '', version: 'v1', resource: 'configmaps' } },
      onFailure: () => undefined,
      reduce: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
    });
    index.subscribe((change) => told.push(change));
    await index.start();
    source.push({ type: 'MODIFIED', object: { ...object('listed', 2), large: true } as KubeObject });
    await settle();
    expect(told).toEqual([
      { key: 'a/listed', object: object('listed', 1) },
      { key: 'a/listed', object: object('listed', 2), previous: object('listed', 1) },
    ]);
    await index.close();
  });

  it('ends while it waits', async () => {
    const source = new ScriptedSource();
    source.listFailures = [new Error('one')];
    const { clock, index } = follow(source);
    void index.start();
    await settle();
    await index.close();
    expect(clock.pendingCount).toBe(0);
  });
});
