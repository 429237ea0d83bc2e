import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../process/clock.ts';
import { createSilentLogger } from '../process/logger.ts';
import type { ResourceClient, WatchEvent } from '../resources/resource-client.ts';
import type { Enforcement } from './enforcement.ts';
import { FollowedEnforcement, type SettingsObject } from './follow-enforcement.ts';

function makeSettings(data: Record<string, string> | undefined, resourceVersion: string): SettingsObject {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 's', namespace: 'n', resourceVersion } };
  return data === undefined ? object : { ...object, data };
}

/** The two verbs of the seam that following needs, over one object that a test changes. */
class SettingsClient {
  readonly #events: WatchEvent[] = [];
  #wake: () => void = () => undefined;
  readonly #first: SettingsObject | undefined;

  constructor(first: SettingsObject | undefined) {
    this.#first = first;
  }

  async list() {
    return { metadata: { resourceVersion: '1' }, items: this.#first === undefined ? [] : [this.#first] };
  }

  async *watch(_reference: unknown, options: { signal?: AbortSignal }) {
    while (options.signal?.aborted !== true) {
      yield* this.#events.splice(0);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        options.signal?.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  send(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: SettingsObject): void {
    this.#events.push({ type, object });
    this.#wake();
  }
}

describe('FollowedEnforcement', () => {
  let followed: FollowedEnforcement;
  let faults: string[];
  let metrics: Registry;
  let client: SettingsClient;

  beforeEach(() => {
    faults = [];
    metrics = new Registry();
  });

  afterEach(() => followed.close());

  async function start(first: SettingsObject | undefined): Promise<Enforcement> {
    client = new SettingsClient(first);
    followed = new FollowedEnforcement({
      ...{ client: client as unknown as ResourceClient, clock: systemClock, logger: createSilentLogger(), metrics },
      ...{ namespace: 'n', name: 's', onFault: (fault) => faults.push(fault) },
    });
    await followed.start();
    return followed.current();
  }

  it.for<[string, Record<string, string> | undefined, Enforcement, number]>([
    ['Enforce', { enforcement: 'Enforce' }, 'Enforce', 0],
    ['Audit', { enforcement: 'Audit' }, 'Audit', 0],
    ['Off with space around it', { enforcement: ' Off\n' }, 'Off', 0],
    ['what nobody understands', { enforcement: 'off' }, 'Enforce', 1],
    ['nothing', {}, 'Enforce', 1],
    ['no data', undefined, 'Enforce', 1],
  ])('reads %s', async ([, data, mode, count]) => {
    expect(await start(makeSettings(data, '1'))).toBe(mode);
    expect(faults).toHaveLength(count);
    expect(await metrics.metrics()).toContain(`bailiwick_enforcement{mode="${mode}"} 1`);
  });

  it('enforces, and says so, where there are no settings', async () => {
    expect(await start(undefined)).toBe('Enforce');
    expect(faults).toEqual(['there are no settings']);
  });

  it('follows changes, and keeps the last setting when all are gone', async () => {
    await start(makeSettings({ enforcement: 'Enforce' }, '1'));
    const modes: Enforcement[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    followed.subscribe((mode) => {
      modes.push(mode);
      if (modes.length === 3) resolve();
    });
    client.send('MODIFIED', makeSettings({ enforcement: 'Off' }, '2'));
    client.send('DELETED', makeSettings({ enforcement: 'Off' }, '3'));
    client.send('ADDED', makeSettings({ enforcement: 'Audit' }, '4'));
    client.send('MODIFIED', makeSettings({ enforcement: 'odd' }, '5'));
    await promise;
    expect(modes).toEqual(['Off', 'Audit', 'Enforce']);
    expect(faults).toHaveLength(1);
  });
});
