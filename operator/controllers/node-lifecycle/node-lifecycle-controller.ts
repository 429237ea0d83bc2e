import type { NodeCondition, NodeObject, Taint } from '../../../kinds/core/node/node-object.ts';
import type { NodeTaintKeys } from '../../../kinds/core/node/node-taint-keys.ts';
import { findZone } from '../../../kinds/core/node/find-zone.ts';
import { planConditionTaints } from '../../../kinds/core/node/plan-condition-taints.ts';
import { planExecutionTaints, planReachable } from '../../../kinds/core/node/plan-execution-taints.ts';
import { excuseSilence, type NodeHealth, planNodeHealth } from '../../../kinds/core/node/plan-node-health.ts';
import { planNodeLabels } from '../../../kinds/core/node/plan-node-labels.ts';
import { planZones, type ZoneHealth, type ZoneState } from '../../../kinds/core/node/plan-zone-state.ts';
import type { EventRecorder } from '../../../platform/kube/event-recorder.ts';
import type { WorkQueue } from '../../../platform/kube/work-queue.ts';
import type { MonotonicClock } from '../../../platform/process/monotonic-clock.ts';
import { type Controller, type ControllerOptions, createControllerQueue } from '../controller-parts.ts';
import { NodeWriter, writeTaints } from './node-writer.ts';
import type { FollowedNodes } from './followed-nodes.ts';
import type { NodeLifecycleMetrics } from './node-lifecycle-metrics.ts';
import type { NodeLifecycleSettings } from './node-lifecycle-settings.ts';
import { PodReadiness } from './pod-readiness.ts';
import { runAtOnce } from './run-at-once.ts';
import { ZoneTainter } from './zone-tainter.ts';

const nodesAtOnce = 8;
/** Nodes with such a label say nothing of their zone. */
const excludingLabel = 'exclude-disruption';

export interface NodeLifecycleOptions extends ControllerOptions {
  readonly monotonicClock: Pick<MonotonicClock, 'nowNanos'>;
  readonly followed: FollowedNodes;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly keys: NodeTaintKeys;
  readonly metrics: NodeLifecycleMetrics;
  readonly settings: NodeLifecycleSettings;
}

/** What is remembered of a node between two looks. */
interface KnownNode {
  readonly uid: string | undefined;
  health: NodeHealth | undefined;
  /** What its `Ready` said last; `undefined` before it said anything. */
  ready: string | undefined;
}

/**
 * Watches nodes: those that fall silent are known no longer, those that are not ready are tainted, as fast as the state of their zone allows,
 * and their pods are marked. Every period it looks at all nodes; taints that keep new pods off follow each change at once.
 */
export class NodeLifecycleController implements Controller {
  readonly #options: NodeLifecycleOptions;
  readonly #known = new Map<string, KnownNode>();
  readonly #nodeQueue: WorkQueue;
  readonly #podReadiness: PodReadiness;
  readonly #tainter: ZoneTainter;
  readonly #writer: NodeWriter;
  #zoneStates: ReadonlyMap<string, ZoneState> = new Map();
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;
  #lastTickMillis: number;
  #cancelTick: (() => void) | undefined;
  #cancelLook: (() => void) | undefined;

  constructor(options: NodeLifecycleOptions) {
    this.#options = options;
    this.#lastTickMillis = options.clock.now();
    this.#writer = new NodeWriter(options, options.followed);
    this.#nodeQueue = createControllerQueue(options, 'node-lifecycle', (name) => this.#renew(name), nodesAtOnce);
    const isDown = (nodeName: string): boolean => {
      const ready = this.#known.get(nodeName)?.ready;
      return ready !== undefined && ready !== 'True';
    };
    this.#podReadiness = new PodReadiness({ ...options, isDown });
    this.#tainter = new ZoneTainter({ ...options, writer: this.#writer, rate: options.settings.evictionRate });
    options.followed.nodes.subscribe(({ key, object }) => {
      if (object !== undefined) this.#nodeQueue.add(key);
    });
  }

  async start(): Promise<void> {
    await this.#options.followed.start();
    this.#tick();
    this.#scheduleLook(0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTick?.();
    this.#cancelLook?.();
    await this.#running;
    await this.#tainter.close();
    await this.#options.followed.close();
    await this.#nodeQueue.close();
    await this.#podReadiness.close();
  }

  /** Resolves when what the last look and the last changes asked for is done. */
  async waitUntilIdle(): Promise<void> {
    await this.#running;
    await this.#tainter.waitUntilIdle();
    await this.#nodeQueue.waitUntilIdle();
    await this.#podReadiness.waitUntilIdle();
  }

  /** Taints that keep pods off, and older labels, as a node's newest state asks for. */
  async #renew(name: string): Promise<void> {
    const { clock, followed, keys } = this.#options;
    const node = followed.nodes.get(name);
    if (node === undefined) return;
    await this.#writer.change(node, (current) => {
      const taints = planConditionTaints(current, keys, clock.now());
      const labels = planNodeLabels(current);
      if (taints === undefined && labels === undefined) return undefined;
      return {
        ...(taints === undefined ? {} : { spec: writeTaints(taints) }),
        ...(labels === undefined ? {} : { metadata: { labels } }),
      };
    });
  }

  #scheduleLook(delayMillis: number): void {
    if (this.#isClosed) return;
    this.#cancelLook = this.#options.clock.schedule(delayMillis, () => {
      this.#running = this.#look()
        .catch((error: unknown) => this.#options.logger.error({ err: error }, 'looking at the nodes failed'))
        .finally(() => this.#scheduleLook(this.#options.settings.monitorPeriodMillis));
    });
  }

  async #look(): Promise<void> {
    const { clock, monotonicClock, followed, metrics } = this.#options;
    const startMillis = clock.now();
    const startNanos = monotonicClock.nowNanos();
    this.#excuseGap();
    await this.#tainter.hold();
    try {
      const nodes = followed.nodes.list();
      this.#forgetGone(nodes);
      const zones = new Map<string, { ready: number; notReady: number }>();
      const works = nodes.map((node) => () => this.#visit(node, startMillis, zones));
      await runAtOnce(works, nodesAtOnce);
      await this.#judgeZones(zones, nodes);
      metrics.noteZones(zones);
    } finally {
      metrics.notePass((monotonicClock.nowNanos() - startNanos) / 1e6);
      this.#tainter.release();
    }
  }

  /** Notices by a clock of its own when this process stood still, however long a look takes. */
  #tick(): void {
    if (this.#isClosed) return;
    this.#excuseGap();
    this.#cancelTick = this.#options.clock.schedule(this.#options.settings.monitorPeriodMillis, () => this.#tick());
  }

  /** A time in which this process stood still, or by which the clock leapt, is not the nodes' silence. */
  #excuseGap(): void {
    const { clock, settings, logger } = this.#options;
    const nowMillis = clock.now();
    const missedMillis = nowMillis - this.#lastTickMillis - settings.monitorPeriodMillis;
    this.#lastTickMillis = nowMillis;
    const isLeap = missedMillis > settings.monitorPeriodMillis || missedMillis < -2 * settings.monitorPeriodMillis;
    if (!isLeap) return;
    logger.warn({ missedMillis }, 'nobody watched the nodes for a time, which is not held against them');
    for (const known of this.#known.values()) {
      if (known.health !== undefined) known.health = excuseSilence(known.health, missedMillis);
    }
  }

  #forgetGone(nodes: readonly NodeObject[]): void {
    const uids = new Map(nodes.map(({ metadata }) => [metadata.name, metadata.uid]));
    for (const [name, { uid }] of this.#known) {
      if (uids.get(name) === uid) continue;
      this.#known.delete(name);
      this.#tainter.remove(name);
      const gone = { apiVersion: 'v1', kind: 'Node', metadata: { name, ...(uid === undefined ? {} : { uid }) } };
      this.#tell(gone, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
    }
  }

  async #visit(
    node: NodeObject,
    nowMillis: number,
    zones: Map<string, { ready: number; notReady: number }>,
  ): Promise<void> {
    const { name = '' } = node.metadata;
    try {
      const current = await this.#judgeNode(node, nowMillis);
      if (current === 'gone') return;
      const labels = node.metadata.labels ?? {};
      const { prefix } = this.#options.keys;
      if (`${prefix}/${excludingLabel}` in labels || `node.kubernetes.io/${excludingLabel}` in labels) return;
      const zone = findZone(node);
      const health = zones.get(zone) ?? { ready: 0, notReady: 0 };
      zones.set(zone, health);
      if (current?.status === 'True') health.ready += 1;
      else health.notReady += 1;
    } catch (error) {
      this.#options.logger.warn({ node: name, err: error }, 'a node could not be judged, it is left as it is');
    }
  }

  /** `nowMillis`: when the look began: what it finds is not older than that. */
  async #judgeNode(listed: NodeObject, nowMillis: number): Promise<NodeCondition | undefined | 'gone'> {
    const { followed, settings } = this.#options;
    const { name = '', uid } = listed.metadata;
    let node: NodeObject | undefined = listed;
    let known = this.#known.get(name);
    const isNew = known === undefined;
    if (known === undefined) {
      known = { uid, health: undefined, ready: undefined };
      this.#known.set(name, known);
      this.#tell(listed, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
      node = await this.#writeTaints(listed, (newest) => planReachable(newest, this.#options.keys));
      if (node === undefined) return 'gone';
    }
    let observed = 'Unknown';
    let current: NodeCondition | undefined;
    const written: NodeObject | undefined = await this.#writer.change(
      node,
      (newest) => {
        const renewTime = followed.findRenewTime(name);
        const plan = planNodeHealth(newest, known.health, renewTime, nowMillis, settings);
        ({ observed, current } = plan);
        known.health = plan.health;
        return plan.conditions === undefined ? undefined : { status: { conditions: plan.conditions } };
      },
      'status',
    );
    if (written === undefined) return 'gone';
    // What was written is what was seen last: it is no sign of life.
    known.health = { ...known.health, ready: current } as NodeHealth;
    known.ready = current?.status;
    await this.#applyReadiness(written, current, observed, isNew);
    return current;
  }

  async #applyReadiness(
    node: NodeObject,
    current: NodeCondition | undefined,
    observed: string,
    isNew: boolean,
  ): Promise<void> {
    if (current === undefined) return;
    const { clock, keys } = this.#options;
    const { name = '' } = node.metadata;
    const plan = planExecutionTaints(node, current.status, keys, clock.now());
    if (plan.outcome === 'queue') this.#tainter.add(node, plan.lacksTaint);
    else if (plan.outcome === 'write') {
      await this.#writeTaints(node, (newest) => {
        const again = planExecutionTaints(newest, current.status, keys, clock.now());
        return again.outcome === 'write' ? again.taints : undefined;
      });
      if (current.status === 'True') this.#tainter.remove(name);
    }
    const isLost = current.status !== 'True' && observed === 'True';
    if (isLost) this.#tell(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
    // After a restart, nobody else finishes what was begun.
    if (isLost || (isNew && current.status === 'Unknown')) this.#podReadiness.markAll(name);
  }

  async #judgeZones(zones: ReadonlyMap<string, ZoneHealth>, nodes: readonly NodeObject[]): Promise<void> {
    const { clock, keys, logger, settings } = this.#options;
    const nowMillis = clock.now();
    const plan = planZones(zones, this.#zoneStates, settings);
    for (const [zone, rate] of plan.rates) {
      this.#tainter.setRate(zone, rate);
      logger.info({ zone, state: plan.states.get(zone), rate }, 'the state of a zone has changed');
    }
    this.#zoneStates = plan.states;
    this.#tainter.keepZones(new Set(zones.keys()));
    if (plan.forgivesAll) {
      for (const known of this.#known.values()) {
        if (known.health !== undefined) known.health = { ...known.health, heardMillis: nowMillis };
      }
    }
    if (!plan.untaintsAll) return;
    const works = nodes.map((node) => async () => {
      const { name = '' } = node.metadata;
      try {
        await this.#writeTaints(node, (newest) => planReachable(newest, keys));
        this.#tainter.remove(name);
      } catch (error) {
        logger.warn({ node: name, err: error }, 'taints of a node could not be taken off');
      }
    });
    await runAtOnce(works, nodesAtOnce);
  }

  #writeTaints(node: NodeObject, decide: (newest: NodeObject) => Taint[] | undefined): Promise<NodeObject | undefined> {
    return this.#writer.change(node, (newest) => {
      const taints = decide(newest);
      return taints === undefined ? undefined : { spec: writeTaints(taints) };
    });
  }

  #tell(node: Pick<NodeObject, 'apiVersion' | 'kind' | 'metadata'>, reason: string, message: string): void {
    const { name, uid } = node.metadata;
    const metadata = { ...(name === undefined ? {} : { name }), ...(uid === undefined ? {} : { uid }) };
    this.#options.events.record({ apiVersion: 'v1', kind: 'Node', metadata }, 'Normal', reason, message);
  }
}
