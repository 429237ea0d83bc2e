import { hasReason } from '../../core/errors/status.ts';
import type { EventRecorder } from '../../platform/kube/event-recorder.ts';
import { sleep, type Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { raceAbort } from '../presence/race-abort.ts';
import type { AgentNode } from '../status/agent-node.ts';
import type { NodeChange } from '../status/plan-conditions.ts';
import type { NodeStatusSource } from '../status/node-status-source.ts';
import { planLabels, planNewNode, type RegistrationSettings } from './plan-registration.ts';
import { adoptExtended, planStatusPatch, planStatusWrite } from './plan-status-write.ts';

/** What a node is registered and kept with. */
export interface NodeRegistrationOptions {
  readonly client: ResourceClient;
  readonly source: NodeStatusSource;
  /** `undefined`: the Node is made by someone else. */
  readonly settings: RegistrationSettings | undefined;
  /** Between two measurements. */
  readonly updateMillis: number;
  /** Between two writes of a status that does not change. */
  readonly reportMillis: number;
  /** Tells what changes; absent: nobody is told. */
  readonly events?: Pick<EventRecorder, 'record'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 to 1, for jitter; absent means the machine's. */
  readonly random?: () => number;
}

const nodes = { group: '', version: 'v1', resource: 'nodes' };
const firstStepMillis = 100;
const maxStepMillis = 7_000;
const maxTries = 5;
const jitterFactor = 0.04;
/** While a node comes up it is looked at more often, so that it is ready as soon as its runtime is. */
const startingMillis = 500;
const startingPeriodMillis = 120_000;

/** Registers this machine as a Node and keeps the Node's status, as a kubelet does. */
export class NodeRegistration {
  readonly #options: NodeRegistrationOptions;
  readonly #random: () => number;
  #reportedMillis: number | undefined;
  #delayMillis = 0;
  #isReady = false;

  constructor(options: NodeRegistrationOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  /** Registers the node and keeps its status until the signal aborts. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger, settings, source, updateMillis } = this.#options;
    if (settings !== undefined) await this.#register(settings, signal);
    const startedMillis = clock.now();
    while (!signal.aborted) {
      try {
        await this.#update(signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ node: source.nodeName, err: error }, 'the status of the node could not be written');
      }
      const isStarting = !this.#isReady && clock.now() < startedMillis + startingPeriodMillis;
      const pauseMillis = isStarting ? Math.min(startingMillis, updateMillis) : updateMillis;
      await sleep(clock, pauseMillis * (1 + jitterFactor * this.#random()), signal);
    }
  }

  /** Tries until it succeeds, less and less often. */
  async #register(settings: RegistrationSettings, signal: AbortSignal): Promise<void> {
    const { clock, logger, source } = this.#options;
    for (let stepMillis = firstStepMillis; !signal.aborted; stepMillis = Math.min(2 * stepMillis, maxStepMillis)) {
      try {
        await raceAbort(this.#registerOnce(settings), signal);
        logger.info({ node: source.nodeName }, 'the node is registered');
        return;
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ node: source.nodeName, err: error }, 'the node could not be registered');
      }
      await sleep(clock, stepMillis, signal);
    }
  }

  async #registerOnce(settings: RegistrationSettings): Promise<void> {
    const { client, logger, source } = this.#options;
    const { node: measured, changes } = await source.read(undefined);
    try {
      await client.create<AgentNode>({ resource: nodes }, planNewNode(measured, settings));
      this.#tell(changes);
      return;
    } catch (error) {
      // Who may not make nodes may still own one that is there.
      if (!hasReason(error, 'AlreadyExists') && !hasReason(error, 'Forbidden')) throw error;
    }
    const reference = { resource: nodes, name: source.nodeName };
    const existing = await client.get<AgentNode>(reference);
    const labels = planLabels(existing, measured);
    if (labels === undefined) return;
    logger.info({ node: source.nodeName, labels }, 'the labels of the node are brought up to date');
    await client.patch(reference, 'application/merge-patch+json', { metadata: { labels } });
  }

  async #update(signal: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await raceAbort(this.#updateOnce(tries === 1), signal);
        return;
      } catch (error) {
        if (signal.aborted || tries === maxTries) throw error;
      }
    }
  }

  async #updateOnce(isFirst: boolean): Promise<void> {
    const { client, clock, logger, reportMillis, source } = this.#options;
    const reference = { resource: nodes, name: source.nodeName };
    // Not newer than the server's own memory has it, which costs the store nothing; after a failure, as it is.
    const written = await client.get<AgentNode>(reference, isFirst ? { resourceVersion: '0' } : {});
    const reading = await source.read(written);
    const measured = adoptExtended(written, reading.node);
    const nowMillis = clock.now();
    const plan = planStatusWrite({
      written,
      measured,
      reportedMillis: this.#reportedMillis,
      reportMillis,
      delayMillis: this.#delayMillis,
      nowMillis,
      random: this.#random(),
    });
    if (plan.reason !== undefined) {
      const patch = planStatusPatch(written, measured);
      await client.patch(reference, 'application/strategic-merge-patch+json', patch, {}, 'status');
      logger.debug({ node: source.nodeName, reason: plan.reason }, 'the status of the node is written');
      this.#reportedMillis = nowMillis;
    }
    this.#delayMillis = plan.delayMillis;
    this.#tell(reading.changes);
    this.#isReady ||= measured.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  }

  #tell(changes: readonly NodeChange[]): void {
    const { events, source } = this.#options;
    const name = source.nodeName;
    // `kubectl describe node` looks for Events by this uid.
    const subject = { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name } };
    for (const { type, reason, message } of changes) {
      events?.record(subject, type, reason, message ?? `Node ${name} status is now: ${reason}`);
    }
  }
}
