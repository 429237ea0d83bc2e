import { hasReason } from '../../../core/errors/status.ts';
import type { JsonValue } from '../../../core/meta/json.ts';
import { formatTime } from '../../../core/time/time.ts';
import { planDanglingCondition } from '../../../kinds/flowcontrol/flow-schema/plan-dangling-condition.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import { createControllerQueue, type Controller, type ControllerOptions } from '../controller-parts.ts';
import { nameFlowSchemas } from './flow-resources.ts';
import type { FollowedFlowConfiguration } from './followed-flow-configuration.ts';

/** What the controller needs. */
export interface DanglingConditionOptions extends ControllerOptions {
  readonly domain: string;
  /** Started and closed by whoever made it. */
  readonly configuration: FollowedFlowConfiguration;
}

const fieldManager = 'api-priority-and-fairness-config-consumer-v1';
const concurrency = 4;
/** Two who do not agree must not write without end: this many writes to one schema in a minute, then a pause. */
const maxWrites = 6;
const windowMillis = 60_000;
const pauseMillis = 30_000;

/** Says in the status of every FlowSchema whether its level is there. */
export class DanglingConditionController implements Controller {
  readonly #options: DanglingConditionOptions;
  readonly #queue: WorkQueue;
  readonly #ends: (() => void)[] = [];
  /** When each schema was written within the last minute, by name. */
  readonly #writes = new Map<string, number[]>();
  /** What was last written to which version of each, by name. */
  readonly #written = new Map<string, string>();

  constructor(options: DanglingConditionOptions) {
    this.#options = options;
    this.#queue = createControllerQueue(options, 'dangling-condition', (name) => this.#reconcile(name), concurrency);
  }

  async start(): Promise<void> {
    const { configuration } = this.#options;
    this.#ends.push(
      configuration.schemas.subscribe(({ key, object }) => {
        if (object !== undefined) {
          this.#queue.add(key);
          return;
        }
        this.#writes.delete(key);
        this.#written.delete(key);
      }),
      configuration.levels.subscribe(({ key }) => {
        for (const name of configuration.listReferring(key)) this.#queue.add(name);
      }),
    );
    configuration.whenKnown(() => this.#lookAtAll());
    await this.#queue.waitUntilIdle();
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end();
    await this.#queue.close();
  }

  #lookAtAll(): void {
    for (const { metadata } of this.#options.configuration.schemas.list()) this.#queue.add(metadata.name ?? '');
  }

  async #reconcile(name: string): Promise<WorkResult | undefined> {
    const { client, clock, configuration, domain } = this.#options;
    const schema = configuration.schemas.get(name);
    // Before all levels are known, each would seem to be missing.
    if (schema === undefined || !configuration.isKnown) return undefined;
    const condition = planDanglingCondition(
      schema,
      configuration.hasLevel(schema.spec.priorityLevelConfiguration.name),
    );
    if (condition === undefined) return undefined;
    const { resourceVersion } = schema.metadata;
    const written = `${resourceVersion} ${condition.message}`;
    // What was written is on its way back.
    if (this.#written.get(name) === written) return undefined;
    const nowMillis = clock.now();
    const recent = (this.#writes.get(name) ?? []).filter((millis) => millis > nowMillis - windowMillis);
    if (recent.length >= maxWrites) return { againAfterMillis: pauseMillis };
    this.#writes.set(name, [...recent, nowMillis]);
    const conditions = [{ ...condition, lastTransitionTime: formatTime(nowMillis) }];
    const applied: JsonValue = {
      ...{ apiVersion: schema.apiVersion, kind: schema.kind, metadata: { name } },
      status: { conditions },
    };
    try {
      await client.patch(
        { resource: nameFlowSchemas(domain), name },
        'application/apply-patch+yaml',
        applied,
        { fieldManager, force: true },
        'status',
      );
      this.#written.set(name, written);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
    return undefined;
  }
}
