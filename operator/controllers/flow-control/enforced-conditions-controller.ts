import type { EnforceableIndex } from '../../../admission/enforceable-index.ts';
import { hasReason } from '../../../core/errors/status.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import { formatTime } from '../../../core/time/time.ts';
import type { FlowCondition } from '../../../kinds/flowcontrol/flow-conditions.ts';
import { hasFlowCondition, planFlowEnforcedCondition } from '../../../kinds/flowcontrol/plan-enforced-condition.ts';
import type { WorkQueue } from '../../../platform/kube/work-queue.ts';
import { createControllerQueue, type Controller, type ControllerOptions } from '../controller-parts.ts';
import { nameFlowSchemas, namePriorityLevels } from './flow-resources.ts';
import type { FollowedFlowConfiguration } from './followed-flow-configuration.ts';

/** What the controller needs. */
export interface EnforcedConditionsOptions extends ControllerOptions {
  readonly domain: string;
  /** Started and closed by whoever made it. */
  readonly configuration: FollowedFlowConfiguration;
}

interface WithConditions extends KubeObject {
  readonly spec: unknown;
  readonly status?: { readonly conditions?: readonly FlowCondition[] };
}

const fieldManager = 'bailiwick-flow-control';
const concurrency = 4;

/**
 * Says in the status of FlowSchemas and PriorityLevelConfigurations at a host whether requests are dispatched by them, and which. Of several
 * replicas of the operator only the leader runs it.
 */
export class EnforcedConditionsController implements Controller {
  readonly #options: EnforcedConditionsOptions;
  /** Keys are `schemas/NAME` and `levels/NAME`. */
  readonly #queue: WorkQueue;
  readonly #ends: (() => void)[] = [];

  constructor(options: EnforcedConditionsOptions) {
    this.#options = options;
    this.#queue = createControllerQueue(options, 'flow-conditions', (key) => this.#reconcile(key), concurrency);
  }

  async start(): Promise<void> {
    const { configuration } = this.#options;
    this.#ends.push(
      configuration.schemas.subscribe(({ key }) => this.#queue.add(`schemas/${key}`)),
      configuration.levels.subscribe(({ key }) => {
        this.#queue.add(`levels/${key}`);
        for (const name of configuration.listReferring(key)) this.#queue.add(`schemas/${name}`);
      }),
    );
    configuration.whenKnown(() => this.#lookAtAll());
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end();
    await this.#queue.close();
  }

  #lookAtAll(): void {
    for (const kind of ['schemas', 'levels'] as const) {
      const index: EnforceableIndex = this.#options.configuration[kind] as unknown as EnforceableIndex;
      for (const { metadata } of index.list()) this.#queue.add(`${kind}/${metadata.name}`);
      for (const { object } of index.listInvalid()) this.#queue.add(`${kind}/${object.metadata.name}`);
    }
  }

  async #reconcile(key: string): Promise<void> {
    const { configuration, domain } = this.#options;
    if (!configuration.isKnown) return;
    const name = key.slice(key.indexOf('/') + 1);
    if (key.startsWith('levels/')) {
      await this.#say(configuration.levels, name, namePriorityLevels(domain));
      return;
    }
    const levelName = configuration.schemas.get(name)?.spec.priorityLevelConfiguration.name;
    const isMissing = levelName !== undefined && !configuration.hasLevel(levelName);
    await this.#say(configuration.schemas, name, nameFlowSchemas(domain), isMissing ? levelName : undefined);
  }

  async #say<T extends WithConditions>(
    index: EnforceableIndex<T>,
    name: string,
    resource: ResourceName,
    missingLevel?: string,
  ): Promise<void> {
    const { client, clock } = this.#options;
    const valid = index.get(name);
    const invalid =
      valid === undefined ? index.listInvalid().find(({ object }) => object.metadata.name === name) : undefined;
    const object = valid ?? invalid?.object;
    if (object === undefined) return;
    const condition = planFlowEnforcedCondition({
      generation: object.metadata.generation ?? 0,
      faults: invalid?.faults ?? [],
      ...(missingLevel === undefined ? {} : { missingLevel }),
    });
    if (hasFlowCondition(object.status?.conditions, condition)) return;
    const { apiVersion, kind } = object;
    const conditions = [{ ...condition, lastTransitionTime: formatTime(clock.now()) }];
    try {
      await client.patch(
        { resource, name },
        'application/apply-patch+yaml',
        { apiVersion, kind, metadata: { name }, status: { conditions } },
        { fieldManager, force: true },
        'status',
      );
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }
}
