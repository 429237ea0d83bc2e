import { describe, expect, it } from 'vitest';
import { makeForbiddenError, makeNotFoundError } from '../../core/errors/make-status-error.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { createSilentLogger } from '../process/logger.ts';
import { ManualClock } from '../process/manual-clock.ts';
import type { ResourceClient } from '../resources/resource-client.ts';
import { EventRecorder } from './event-recorder.ts';
import { HostUnreachableError } from './host-unreachable-error.ts';

interface StoredEvent extends KubeObject {
  count: number;
  message: string;
  lastTimestamp: string;
}

/** Holds Events; what `failures` has is thrown first. */
function makeSink() {
  const events: StoredEvent[] = [];
  const failures: Error[] = [];
  const failOnce = (): void => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  };
  const client = {
    create: async (_reference: object, event: StoredEvent) => {
      failOnce();
      events.push(event);
      return event;
    },
    patch: async ({ name }: { name: string }, _type: string, patch: object) => {
      failOnce();
      const event = events.find(({ metadata }) => metadata.name === name);
      if (event === undefined) throw makeNotFoundError('', 'events', name);
      return Object.assign(event, patch);
    },
  } as unknown as ResourceClient;
  return { client, events, failures };
}

function makeRecorder() {
  const sink = makeSink();
  const clock = new ManualClock();
  const options = { clock, logger: createSilentLogger(), component: 'tester', instance: 'host-1' };
  const recorder = new EventRecorder({ ...options, client: sink.client, registry: buildKindRegistry('example.com') });
  return { ...sink, clock, recorder };
}

const quota = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', namespace: 'n', uid: 'u', resourceVersion: '7', labels: { a: 'b' } },
};
const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'n', uid: name } });

describe('EventRecorder', () => {
  it('writes what happened, to whom, and who says so', async () => {
    const { events, recorder } = makeRecorder();
    recorder.record(quota, 'Normal', 'Enforced', 'it is in force');
    await recorder.waitUntilIdle();
    expect(events).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: expect.stringMatching(/^q\.[0-9a-f]+$/) as string, namespace: 'n' },
        involvedObject: {
          apiVersion: 'core.example.com/v1',
          kind: 'ResourceQuota',
          name: 'q',
          namespace: 'n',
          uid: 'u',
          resourceVersion: '7',
        },
        type: 'Normal',
        reason: 'Enforced',
        message: 'it is in force',
        count: 1,
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        source: { component: 'tester', host: 'host-1' },
        reportingComponent: 'tester',
        reportingInstance: 'host-1',
      },
    ]);
  });

  it('keeps events of cluster-scoped objects in the namespace default', async () => {
    const { events, recorder } = makeRecorder();
    recorder.record({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'x' } }, 'Warning', 'R', 'm');
    await recorder.waitUntilIdle();
    expect(events[0]?.metadata.namespace).toBe('default');
  });

  it('counts equal events, and begins anew when the one that counted is gone', async () => {
    const { clock, events, recorder } = makeRecorder();
    for (let i = 0; i < 3; i += 1) {
      recorder.record(quota, 'Warning', 'Full', 'it is full');
      clock.advance(1_000);
    }
    await recorder.waitUntilIdle();
    expect(events.map(({ count, lastTimestamp }) => [count, lastTimestamp])).toEqual([[3, '2026-01-01T00:00:02Z']]);
    events.length = 0;
    recorder.record(quota, 'Warning', 'Full', 'it is full');
    await recorder.waitUntilIdle();
    expect(events).toMatchObject([{ count: 4, firstTimestamp: '2026-01-01T00:00:00Z' }]);
  });

  it('combines events that differ in their message only, when there are many', async () => {
    const { events, recorder } = makeRecorder();
    for (let i = 0; i < 15; i += 1) recorder.record(quota, 'Warning', 'Full', `message ${i}`);
    await recorder.waitUntilIdle();
    expect(events.length).toBe(10);
    expect(events.at(-1)).toMatchObject({ count: 6, message: '(combined from similar events): message 14' });
  });

  it('lets one object have 25, and one more every five minutes', async () => {
    const { clock, events, recorder } = makeRecorder();
    const send = async (reasons: number, start: number) => {
      for (let i = 0; i < reasons; i += 1) recorder.record(quota, 'Normal', `Reason${start + i}`, 'm');
      await recorder.waitUntilIdle();
    };
    await send(40, 0);
    expect(events.length).toBe(25);
    clock.advance(600_000);
    await send(5, 100);
    expect(events.length).toBe(27);
    recorder.record(pod('other'), 'Normal', 'R', 'm');
    await recorder.waitUntilIdle();
    expect(events.length).toBe(28);
  });

  it('tries again when nobody answers, and not when it is refused', async () => {
    const { clock, events, failures, recorder } = makeRecorder();
    failures.push(new HostUnreachableError('x'), new HostUnreachableError('x'));
    recorder.record(pod('a'), 'Normal', 'R', 'm');
    for (let i = 0; i < 2; i += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(events).toEqual([]);
      clock.advance(10_000);
    }
    await recorder.waitUntilIdle();
    expect(events.length).toBe(1);
    failures.push(makeForbiddenError('', 'events', 'x', 'no'));
    recorder.record(pod('b'), 'Normal', 'R', 'm');
    recorder.record(pod('c'), 'Normal', 'R', 'm');
    await recorder.waitUntilIdle();
    expect(events.map(({ metadata }) => metadata.name?.split('.')[0])).toEqual(['a', 'c']);
  });

  it('drops what comes faster than it is taken, and never throws', async () => {
    const { events, recorder } = makeRecorder();
    for (let i = 0; i < 3_000; i += 1) recorder.record(pod(`p${i}`), 'Normal', 'R', 'm');
    await recorder.waitUntilIdle();
    expect(events.length).toBe(1_000);
    recorder.record({ apiVersion: 'v1', kind: 'Pod', metadata: {} }, 'Normal', 'R', 'm');
    await recorder.waitUntilIdle();
  });

  it('cuts a message that is too long, between characters', async () => {
    const { events, recorder } = makeRecorder();
    recorder.record(quota, 'Normal', 'R', 'ä'.repeat(1_000));
    await recorder.waitUntilIdle();
    expect(Buffer.byteLength(events[0]?.message ?? '')).toBeLessThanOrEqual(1_024);
    expect(events[0]?.message).toMatch(/^ä+\.\.\.$/);
  });

  it('ends within two seconds, and takes nothing more', async () => {
    const { clock, events, failures, recorder } = makeRecorder();
    failures.push(...Array.from({ length: 20 }, () => new HostUnreachableError('x')));
    recorder.record(pod('a'), 'Normal', 'R', 'm');
    const closed = recorder.close();
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(2_000);
    await closed;
    await recorder.waitUntilIdle();
    recorder.record(pod('b'), 'Normal', 'R', 'm');
    await recorder.waitUntilIdle();
    expect(events).toEqual([]);
    expect(clock.pendingCount).toBe(0);
  });
});
