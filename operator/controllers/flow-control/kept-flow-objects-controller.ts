import { checkEnforceable } from '../../../admission/check-enforceable.ts';
import { hasReason } from '../../../core/errors/status.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import { flowSchemaKind } from '../../../kinds/flowcontrol/flow-schema/definition.ts';
import {
  planKeptFlowSchemas,
  planKeptPriorityLevels,
  type KeptObjectWrite,
} from '../../../kinds/flowcontrol/plan-kept-objects.ts';
import { priorityLevelConfigurationKind } from '../../../kinds/flowcontrol/priority-level-configuration/definition.ts';
import type { KindDefinition } from '../../../kinds/kind-definition.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import { createControllerQueue, type Controller, type ControllerOptions } from '../controller-parts.ts';
import { nameFlowSchemas, namePriorityLevels } from './flow-resources.ts';

/** What the controller needs. */
export interface KeptFlowObjectsOptions extends ControllerOptions {
  readonly domain: string;
}

const fieldManager = 'api-priority-and-fairness-config-producer-v1';
const periodMillis = 60_000;

/** Makes the mandatory and suggested FlowSchemas and PriorityLevelConfigurations, and keeps them: looks at all of them every minute. */
export class KeptFlowObjectsController implements Controller {
  readonly #options: KeptFlowObjectsOptions;
  readonly #queue: WorkQueue;

  constructor(options: KeptFlowObjectsOptions) {
    this.#options = options;
    this.#queue = createControllerQueue(options, 'kept-flow-objects', () => this.#keepAll());
  }

  /** Resolves when all was tried once. */
  async start(): Promise<void> {
    this.#queue.add('all');
    await this.#queue.waitUntilIdle();
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }

  async #keepAll(): Promise<WorkResult> {
    const { domain } = this.#options;
    // Levels first: a schema whose level is not there says so.
    await this.#keep(namePriorityLevels(domain), priorityLevelConfigurationKind, planKeptPriorityLevels);
    await this.#keep(nameFlowSchemas(domain), flowSchemaKind, planKeptFlowSchemas);
    return { againAfterMillis: periodMillis };
  }

  async #keep<T extends KubeObject>(
    resource: ResourceName,
    kind: KindDefinition<T>,
    plan: (stored: readonly T[], domain: string) => readonly KeptObjectWrite<T>[],
  ): Promise<void> {
    const { client, clock, domain } = this.#options;
    const { items } = await client.list<T>({ resource });
    // What a host let in against the rules is compared as it is stored.
    const stored = items.map((raw) => checkEnforceable(kind, raw, { domain, nowMillis: clock.now() }).object ?? raw);
    await Promise.all(plan(stored, domain).map((write) => this.#write(resource, write)));
  }

  async #write<T extends KubeObject>(resource: ResourceName, write: KeptObjectWrite<T>): Promise<void> {
    const { client } = this.#options;
    try {
      if (write.action === 'create') await client.create({ resource }, write.object, { fieldManager });
      else if (write.action === 'delete') await client.delete({ resource, name: write.name });
      else await client.update({ resource, name: write.object.metadata.name ?? '' }, write.object, { fieldManager });
    } catch (error) {
      // Somebody else was there first: the next look tells what is left to do.
      if (!['AlreadyExists', 'Conflict', 'NotFound'].some((reason) => hasReason(error, reason))) throw error;
    }
  }
}
