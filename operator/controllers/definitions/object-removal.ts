import { hasReason } from '../../../core/errors/status.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import { parseTime } from '../../../core/time/time.ts';
import {
  findCondition,
  saysTheSame,
  withCondition,
  type DefinitionStatus,
} from '../../../kinds/apiextensions/custom-resource-definition/conditions.ts';
import type { CustomResourceDefinition } from '../../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';
import {
  cleanupFinalizer,
  planTermination,
  type CleanupPlan,
  type CleanupStage,
} from '../../../kinds/apiextensions/custom-resource-definition/plan-termination.ts';
import type { WorkResult } from '../../../platform/kube/work-queue.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import type { ControllerOptions } from '../controller-parts.ts';
import { writeDefinitionStatus } from './write-definition-status.ts';

/** What the removal of objects needs. */
export interface ObjectRemovalOptions extends ControllerOptions {
  /** Reads and deletes what is stored of defined kinds; nobody is asked about it. */
  readonly objects: ResourceClient;
  /** Whether anything is stored of a resource, known as a kind or not. */
  readonly holdsObjects: (resource: ResourceName) => Promise<boolean>;
  /** Whether a kind of the program has the definition's objects. */
  readonly isOverlapping: (definition: CustomResourceDefinition) => boolean;
}

/** How soon objects that are left are looked at again: often at first, then at leisure. */
const eagerMillis = 30_000;
const eagerDelayMillis = 250;
const laterDelayMillis = 5_000;
/** After so long the definition says that objects remain, as Kubernetes does after its wait. */
const patienceMillis = 60_000;

/** Deletes the objects of definitions that are deleted, and lets these go when none is left. */
export class ObjectRemoval {
  readonly #options: ObjectRemovalOptions;

  constructor(options: ObjectRemovalOptions) {
    this.#options = options;
  }

  /** Does the next step; resolves to when to look again, `undefined` when the definition goes. Throws when its objects cannot be removed. */
  async advance(definition: CustomResourceDefinition, plan: CleanupPlan): Promise<WorkResult | undefined> {
    try {
      if (plan.step === 'release') return await this.#release(definition, plan.status);
      if (this.#options.isOverlapping(definition)) {
        return await this.#release(definition, describeOverlap(definition, this.#options.clock.now()));
      }
      return await this.#removeObjects(definition);
    } catch (error) {
      if (hasReason(error, 'Conflict')) return { againAfterMillis: eagerDelayMillis };
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #removeObjects(deleted: CustomResourceDefinition): Promise<WorkResult | undefined> {
    const { clock } = this.#options;
    const sinceMillis = parseTime(deleted.metadata.deletionTimestamp ?? '') ?? clock.now();
    const isLate = clock.now() - sinceMillis > patienceMillis;
    const said = findCondition(deleted, 'Terminating')?.reason;
    // What was said of the last try holds until another one ends otherwise: each word is a write.
    const isSaid = said === 'InstanceDeletionFailed' || (isLate && said === 'InstanceDeletionCheck');
    const definition = isSaid ? deleted : await this.#report(deleted, { stage: 'inProgress' });
    const outcome = await this.#deleteAll(nameStored(definition));
    if (outcome === undefined) {
      return this.#release(definition, planTermination(definition, { stage: 'completed' }, clock.now()));
    }
    if (outcome.stage !== 'remaining') {
      await this.#report(definition, outcome);
      throw new Error(outcome.failure);
    }
    await this.#report(definition, isLate ? outcome : { stage: 'inProgress' });
    return { againAfterMillis: clock.now() - sinceMillis < eagerMillis ? eagerDelayMillis : laterDelayMillis };
  }

  /** Asks for the deletion of what is left; `undefined` when nothing is. */
  async #deleteAll(resource: ResourceName): Promise<Extract<CleanupStage, { readonly failure: string }> | undefined> {
    const { objects } = this.#options;
    try {
      if (await isEmpty(objects, resource)) return undefined;
    } catch (error) {
      if (hasReason(error, 'NotFound') && !(await this.#options.holdsObjects(resource))) return undefined;
      return { stage: 'listFailed', failure: describe(error) };
    }
    try {
      await objects.deleteCollection({ resource });
      if (await isEmpty(objects, resource)) return undefined;
      return { stage: 'remaining', failure: 'context deadline exceeded' };
    } catch (error) {
      return { stage: 'deletionFailed', failure: describe(error) };
    }
  }

  /** The definition with a condition that says how far its removal is; itself when it says so already. */
  async #report(definition: CustomResourceDefinition, stage: CleanupStage): Promise<CustomResourceDefinition> {
    const status = planTermination(definition, stage, this.#options.clock.now());
    const next = findCondition({ status }, 'Terminating');
    if (saysTheSame(next, findCondition(definition, 'Terminating'))) return definition;
    return writeDefinitionStatus(this.#options.client, definition, status);
  }

  async #release(definition: CustomResourceDefinition, status: DefinitionStatus): Promise<undefined> {
    const finalizers = (definition.metadata.finalizers ?? []).filter((name) => name !== cleanupFinalizer);
    await writeDefinitionStatus(this.#options.client, definition, status, finalizers);
    return undefined;
  }
}

async function isEmpty(objects: ResourceClient, resource: ResourceName): Promise<boolean> {
  return (await objects.list({ resource }, { limit: 1 })).items.length === 0;
}

function nameStored({ spec, status }: CustomResourceDefinition): ResourceName {
  const version = spec.versions.find(({ storage }) => storage)?.name ?? '';
  return { group: spec.group, version, resource: status?.acceptedNames?.plural ?? spec.names.plural };
}

function describeOverlap(definition: CustomResourceDefinition, nowMillis: number): DefinitionStatus {
  const condition = {
    ...{ type: 'Terminating', status: 'False' as const, reason: 'OverlappingBuiltInResource' },
    message: 'instances overlap with built-in resources in storage',
  };
  return withCondition(definition.status ?? {}, condition, nowMillis);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
