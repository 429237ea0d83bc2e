import { findZone } from '../../../kinds/core/node/find-zone.ts';
import { findCondition, type NodeObject } from '../../../kinds/core/node/node-object.ts';
import type { NodeTaintKeys } from '../../../kinds/core/node/node-taint-keys.ts';
import { planTainting } from '../../../kinds/core/node/plan-execution-taints.ts';
import type { MonotonicClock } from '../../../platform/process/monotonic-clock.ts';
import type { ControllerOptions } from '../controller-parts.ts';
import { type NodeWriter, writeTaints } from './node-writer.ts';
import type { FollowedNodes } from './followed-nodes.ts';
import type { NodeLifecycleMetrics } from './node-lifecycle-metrics.ts';
import { ZoneQueue } from './zone-queue.ts';

const retryMillis = 50;

export interface ZoneTainterOptions extends ControllerOptions {
  /** For times that are tolerated, and rates: whatever is done to the machine's clock. */
  readonly monotonicClock: Pick<MonotonicClock, 'nowNanos'>;
  readonly followed: FollowedNodes;
  readonly keys: NodeTaintKeys;
  readonly metrics: NodeLifecycleMetrics;
  readonly writer: NodeWriter;
  /** Of a zone that nothing is known of, in nodes a second. */
  readonly rate: number;
}

/** Taints the nodes that are down so that their pods go, zone by zone, each at its rate. Does nothing while it is held. */
export class ZoneTainter {
  readonly #options: ZoneTainterOptions;
  readonly #queues = new Map<string, ZoneQueue>();
  /** By the name of a node that is down. */
  readonly #zones = new Map<string, string>();
  #isHeld = false;
  #isClosed = false;
  #running: Promise<void> | undefined;
  #cancel: (() => void) | undefined;

  constructor(options: ZoneTainterOptions) {
    this.#options = options;
  }

  /** A node is down; `lacksTaint`: it must be tainted even though it was before. */
  add(node: NodeObject, lacksTaint: boolean): void {
    const { name = '' } = node.metadata;
    const zone = findZone(node);
    const queue = this.#queueOf(zone);
    if (this.#zones.get(name) !== zone && this.remove(name)) queue.addServed(name);
    this.#zones.set(name, zone);
    if (lacksTaint) queue.addAgain(name);
    else queue.add(name);
  }

  /** A node is no longer down, or no longer there; returns whether it had its turn. */
  remove(name: string): boolean {
    const zone = this.#zones.get(name);
    if (zone === undefined) return false;
    this.#zones.delete(name);
    return this.#queues.get(zone)?.remove(name) ?? false;
  }

  /** Forgets all other zones: they have no nodes any more. One that has just let a node through is kept until it would let another. */
  keepZones(zones: ReadonlySet<string>): void {
    const nowMillis = this.#nowMillis();
    for (const [zone, queue] of this.#queues) {
      if (!zones.has(zone) && queue.isAtRest(nowMillis)) this.#queues.delete(zone);
    }
  }

  setRate(zone: string, rate: number): void {
    this.#queueOf(zone).setRate(rate, this.#nowMillis());
  }

  /** Until `release`, nodes only wait: the rates may be about to change. Resolves when none is being tainted. */
  async hold(): Promise<void> {
    this.#isHeld = true;
    this.#cancel?.();
    await this.#running;
  }

  release(): void {
    this.#isHeld = false;
    this.#run();
  }

  /** Resolves when those whose turn it is are tainted. */
  async waitUntilIdle(): Promise<void> {
    await this.#running;
  }

  /** Resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.hold();
  }

  #nowMillis(): number {
    return this.#options.monotonicClock.nowNanos() / 1e6;
  }

  #queueOf(zone: string): ZoneQueue {
    let queue = this.#queues.get(zone);
    if (queue === undefined) {
      queue = new ZoneQueue(this.#options.rate);
      this.#queues.set(zone, queue);
    }
    return queue;
  }

  /** Taints those whose turn it is, and comes back when it is the next one's. */
  #run(): void {
    if (this.#isHeld || this.#isClosed || this.#running !== undefined) return;
    this.#cancel?.();
    this.#running = this.#taintDue().finally(() => {
      this.#running = undefined;
      this.#scheduleNext();
    });
  }

  #scheduleNext(): void {
    if (this.#isHeld || this.#isClosed) return;
    const { clock } = this.#options;
    const nowMillis = this.#nowMillis();
    const times = [...this.#queues.values()].flatMap((queue) => queue.findNextMillis(nowMillis) ?? []);
    if (times.length === 0) return;
    this.#cancel = clock.schedule(Math.max(retryMillis, Math.min(...times) - nowMillis), () => this.#run());
  }

  async #taintDue(): Promise<void> {
    for (const [zone, queue] of this.#queues) {
      for (;;) {
        const name = this.#isHeld ? undefined : queue.take(this.#nowMillis());
        if (name === undefined) break;
        const isDone = await this.#taint(zone, name);
        // Later, and in its turn: the others must not wait for one that cannot be written.
        if (!isDone) queue.addAgain(name);
      }
    }
  }

  async #taint(zone: string, name: string): Promise<boolean> {
    const { clock, followed, keys, logger, metrics, writer } = this.#options;
    const node = followed.nodes.get(name);
    if (node === undefined || findCondition(node.status?.conditions, 'Ready')?.status === 'True') return true;
    try {
      await writer.change(node, (newest) => {
        const taints = planTainting(newest, keys, clock.now());
        return taints === undefined ? undefined : { spec: writeTaints(taints) };
      });
      metrics.noteTainting(zone);
      return true;
    } catch (error) {
      logger.warn({ node: name, err: error }, 'a node could not be tainted, it is tried again');
      return false;
    }
  }
}
