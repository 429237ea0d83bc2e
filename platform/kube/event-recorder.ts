import { StatusError, hasReason } from '../../core/errors/status.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { formatTime } from '../../core/time/time.ts';
import type { KindRegistry } from '../../kinds/registry.ts';
import { sleep } from '../process/clock.ts';
import type { Clock } from '../process/clock.ts';
import type { Logger } from '../process/logger.ts';
import { findHostApiVersion } from '../resources/host-groups.ts';
import type { ResourceClient } from '../resources/resource-client.ts';
import { EventCorrelator, type EventWrite } from './event-correlator.ts';

/** What an event is about: an object, or as much of one. */
export type EventSubject = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

export type EventType = 'Normal' | 'Warning';

/** Who reports, and through what. */
export interface EventRecorderOptions {
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of the program: `bailiwick-operator`. */
  readonly component: string;
  /** Which of its replicas. */
  readonly instance: string;
  /** Given on a host: Events name our kinds as the host does. */
  readonly registry?: KindRegistry;
}

interface Report {
  readonly subject: EventSubject;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly atMillis: number;
}

const events = { group: '', version: 'v1', resource: 'events' };
const maxWaiting = 1_000;
const maxTries = 12;
const retryMillis = 10_000;
const flushMillis = 2_000;
/** An Event's message may have 1,024 bytes; multi-byte text has fewer characters. */
const maxMessageBytes = 1_024;
const maxNameLength = 253;

function cutMessage(message: string): string {
  if (Buffer.byteLength(message) <= maxMessageBytes) return message;
  const cut = Buffer.from(message)
    .subarray(0, maxMessageBytes - 3)
    .toString('utf8');
  return `${cut.replace(/\uFFFD+$/, '')}...`;
}

/**
 * Writes core/v1 Events, where `kubectl describe` shows them, one after the other and behind the caller's back: `record` neither waits nor
 * throws, and what comes faster than the host takes it is dropped and counted in the log.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #correlator = new EventCorrelator();
  readonly #waiting: Report[] = [];
  readonly #controller = new AbortController();
  #running: Promise<void> | undefined;
  #closed = false;
  #dropped = 0;
  #serial = 0n;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  /** Tells of something that happened to `subject`, now. Cluster-scoped objects have their Events in `default`. */
  record(subject: EventSubject, type: EventType, reason: string, message: string): void {
    if (this.#closed) return;
    if (this.#waiting.length >= maxWaiting) {
      this.#dropped += 1;
      return;
    }
    const { apiVersion, kind, metadata } = subject;
    // The object may change, or be large, while its Event waits.
    const { name, namespace, uid, resourceVersion } = metadata;
    const kept = {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined || namespace === '' ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    const atMillis = this.#options.clock.now();
    this.#waiting.push({ subject: { apiVersion, kind, metadata: kept }, type, reason, message, atMillis });
    this.#running ??= this.#drain();
  }

  /** Resolves when nothing waits any more. */
  async waitUntilIdle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Writes what waits for two seconds at most, and takes nothing more. */
  async close(): Promise<void> {
    this.#closed = true;
    const done = new AbortController();
    await Promise.race([this.waitUntilIdle(), sleep(this.#options.clock, flushMillis, done.signal)]);
    done.abort();
    this.#waiting.length = 0;
    this.#controller.abort();
  }

  async #drain(): Promise<void> {
    // A turn first, so that a caller in the middle of its work goes on.
    await Promise.resolve();
    for (let report = this.#waiting.shift(); report !== undefined; report = this.#waiting.shift()) {
      try {
        await this.#report(report);
      } catch (error) {
        this.#options.logger.warn({ err: error, reason: report.reason }, 'an event could not be written');
      }
      if (this.#dropped > 0) {
        this.#options.logger.warn({ count: this.#dropped }, 'events were dropped: too many waited');
        this.#dropped = 0;
      }
    }
    this.#running = undefined;
  }

  async #report(report: Report): Promise<void> {
    const { subject, type, reason, message, atMillis } = report;
    const { apiVersion, kind, metadata } = subject;
    const objectKey = JSON.stringify([apiVersion, kind, metadata.namespace, metadata.name, metadata.uid]);
    const write = this.#correlator.correlate({ objectKey, type, reason, message: cutMessage(message), atMillis });
    if (write === undefined) return;
    const { clock } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#write(report, write);
      } catch (error) {
        // A refusal stays one; only a host that does not answer may answer later.
        if (error instanceof StatusError || tries === maxTries || this.#controller.signal.aborted) throw error;
        await sleep(clock, retryMillis, this.#controller.signal);
      }
    }
  }

  async #write(report: Report, write: EventWrite): Promise<void> {
    const { client } = this.#options;
    const namespace = report.subject.metadata.namespace ?? 'default';
    const message = cutMessage(write.message);
    if (write.name !== undefined) {
      const patch = { count: write.count, lastTimestamp: formatTime(report.atMillis), message };
      try {
        const reference = { resource: events, namespace, name: write.name };
        await client.patch(reference, 'application/merge-patch+json', patch);
        return;
      } catch (error) {
        // Events live for an hour.
        if (!hasReason(error, 'NotFound')) throw error;
      }
    }
    const name = this.#makeName(report);
    await client.create({ resource: events, namespace }, this.#compose(report, write, namespace, name, message));
    this.#correlator.noteName(write.key, name);
  }

  #compose(
    { subject, type, reason, atMillis }: Report,
    write: EventWrite,
    namespace: string,
    name: string,
    message: string,
  ) {
    const { component, instance, registry } = this.#options;
    const { kind, metadata } = subject;
    const apiVersion =
      registry === undefined ? subject.apiVersion : findHostApiVersion(registry, subject.apiVersion, kind);
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: { apiVersion, kind, ...metadata },
      reason,
      message,
      type,
      count: write.count,
      firstTimestamp: formatTime(write.firstMillis),
      lastTimestamp: formatTime(atMillis),
      source: { component, host: instance },
      reportingComponent: component,
      reportingInstance: instance,
    };
  }

  /** As client-go names them: the object, and the nanoseconds in hexadecimal, which here also tell Events of one millisecond apart. */
  #makeName({ subject, atMillis }: Report): string {
    this.#serial = (this.#serial + 1n) % 1_000_000n;
    const suffix = `.${(BigInt(Math.floor(atMillis)) * 1_000_000n + this.#serial).toString(16)}`;
    return `${(subject.metadata.name ?? '').slice(0, maxNameLength - suffix.length)}${suffix}`;
  }
}
