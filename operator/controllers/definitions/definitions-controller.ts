import { hasReason } from '../../../core/errors/status.ts';
import { Deferred } from '../../../core/load/deferred.ts';
import type { DefinitionStatus } from '../../../kinds/apiextensions/custom-resource-definition/conditions.ts';
import type { CustomResourceDefinition } from '../../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';
import { planApiApproval } from '../../../kinds/apiextensions/custom-resource-definition/plan-api-approval.ts';
import { planEstablishing } from '../../../kinds/apiextensions/custom-resource-definition/plan-establishing.ts';
import { planNames } from '../../../kinds/apiextensions/custom-resource-definition/plan-names.ts';
import {
  differsOnlyInTermination,
  planCleanup,
} from '../../../kinds/apiextensions/custom-resource-definition/plan-termination.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import type { DefinableKindRegistry } from '../../../kinds/registry.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import type { CollectionChange, CollectionIndex } from '../../../platform/resources/collection-index.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import { createControllerQueue, createIndex, type Controller, type ControllerOptions } from '../controller-parts.ts';
import { CustomKinds } from './custom-kinds.ts';
import { definitionResource } from './definition-resource.ts';
import { ObjectRemoval } from './object-removal.ts';
import { writeDefinitionStatus } from './write-definition-status.ts';

/** What the controller needs. */
export interface DefinitionsOptions extends ControllerOptions {
  /** Where the kinds are served. */
  readonly registry: DefinableKindRegistry;
  /** Where the kinds are known as they are stored, for `objects`. */
  readonly stored: DefinableKindRegistry;
  /** Reads and deletes what is stored of the kinds in `stored`; nobody is asked about it. */
  readonly objects: ResourceClient;
  /** Whether anything is stored of a resource, known as a kind or not. */
  readonly holdsObjects: (resource: ResourceName) => Promise<boolean>;
}

/** So many definitions are emptied at once. */
const removalsAtOnce = 4;

/**
 * Makes definitions into kinds that are served, for as long as there are definitions: gives them their names, establishes them, keeps
 * the registry in step with every change, and removes the objects of those that are deleted.
 */
export class DefinitionsController implements Controller {
  readonly #options: DefinitionsOptions;
  readonly #definitions: CollectionIndex<CustomResourceDefinition>;
  /** What was written here and may not be in the index yet. */
  readonly #written = new Map<string, CustomResourceDefinition>();
  /** What makes kinds, with all that judges their objects: without definitions nothing of it is needed. */
  readonly #maker = new Deferred(() => import('../../../kinds/apiextensions/custom-resource/define-custom-kinds.ts'));
  readonly #kinds: CustomKinds;
  readonly #names: WorkQueue;
  readonly #removals: WorkQueue;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
    const { logger } = options;
    this.#definitions = createIndex<CustomResourceDefinition>(options, definitionResource);
    this.#kinds = new CustomKinds({
      ...options,
      define: (definition) => this.#maker.value.defineCustomKinds(definition),
      onFailure: ({ metadata }, error) =>
        logger.error({ definition: metadata.name, err: error }, 'a definition cannot be served'),
    });
    // One at a time: which definition gets a name depends on what the others have.
    this.#names = createControllerQueue(options, 'definitions', (name) => this.#establish(name));
    const removal = new ObjectRemoval({
      ...options,
      isOverlapping: (definition) => this.#kinds.isOverlapping(definition),
    });
    this.#removals = createControllerQueue(
      options,
      'definition removal',
      (name) => this.#remove(name, removal),
      removalsAtOnce,
    );
    this.#definitions.subscribe((change) => this.#handle(change));
  }

  /** Resolves when everything that is established is served. */
  async start(): Promise<void> {
    await this.#definitions.start();
    if (this.#definitions.list().length > 0) await this.#prepare();
  }

  async close(): Promise<void> {
    await this.#definitions.close();
    await Promise.all([this.#names.close(), this.#removals.close()]);
  }

  /** Resolves when every definition that is known has its names, and those that are deleted were looked at. */
  async waitUntilIdle(): Promise<void> {
    await this.#names.waitUntilIdle();
    await this.#removals.waitUntilIdle();
  }

  #handle({ key, object, previous }: CollectionChange<CustomResourceDefinition>): void {
    const written = this.#written.get(key);
    if (object === undefined || written === undefined || isNewer(object, written)) this.#written.delete(key);
    this.#serve();
    if (object === undefined) {
      if (previous !== undefined) this.#reconsiderGroup(previous);
      return;
    }
    this.#names.add(key);
    // The removal itself says how far it is: that must not begin it anew, past its pauses.
    if (object.metadata.deletionTimestamp === undefined) return;
    if (previous === undefined || !differsOnlyInTermination(previous, object)) this.#removals.add(key);
  }

  /** Definitions as they are known here, the newest state of each. */
  #list(): CustomResourceDefinition[] {
    return this.#definitions
      .list()
      .map((definition) => this.#written.get(definition.metadata.name ?? '') ?? definition);
  }

  #find(name: string): CustomResourceDefinition | undefined {
    const known = this.#definitions.get(name);
    return known === undefined ? undefined : (this.#written.get(name) ?? known);
  }

  /** Serves what came before kinds could be made. */
  async #prepare(): Promise<void> {
    if (this.#maker.isLoaded) return;
    await this.#maker.load();
    this.#serve();
  }

  #serve(): void {
    if (!this.#maker.isLoaded) return;
    this.#kinds.replace(this.#list());
  }

  /** A name that one definition gives up may be what another one waits for. */
  #reconsiderGroup({ metadata, spec }: CustomResourceDefinition): void {
    for (const { metadata: other, spec: otherSpec } of this.#definitions.list()) {
      if (otherSpec.group === spec.group && other.name !== metadata.name) this.#names.add(other.name ?? '');
    }
  }

  async #establish(name: string): Promise<void> {
    await this.#prepare();
    const { clock } = this.#options;
    const named = await this.#advance(name, (definition) => planNames(definition, this.#list(), clock.now()));
    if (named !== undefined) this.#reconsiderGroup(named);
    // The kind is served by now: whoever sees that it is established can use it.
    await this.#advance(name, (definition) => planEstablishing(definition, clock.now()));
    await this.#advance(name, (definition) => planApiApproval(definition, clock.now()));
  }

  /** Writes what is planned; `undefined` when that is nothing, or somebody else wrote meanwhile, which brings the definition back. */
  async #advance(
    name: string,
    plan: (definition: CustomResourceDefinition) => DefinitionStatus | undefined,
  ): Promise<CustomResourceDefinition | undefined> {
    const definition = this.#find(name);
    const status = definition && plan(definition);
    if (definition === undefined || status === undefined) return undefined;
    try {
      const written = await writeDefinitionStatus(this.#options.client, definition, status);
      this.#written.set(name, written);
      this.#serve();
      return written;
    } catch (error) {
      if (hasReason(error, 'Conflict') || hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #remove(name: string, removal: ObjectRemoval): Promise<WorkResult | undefined> {
    const definition = this.#definitions.get(name);
    const plan = definition && planCleanup(definition, this.#options.clock.now());
    if (definition === undefined || plan === undefined) return undefined;
    await this.#prepare();
    return removal.advance(definition, plan);
  }
}

function isNewer(left: CustomResourceDefinition, right: CustomResourceDefinition): boolean {
  const [first = '', second = ''] = [left.metadata.resourceVersion, right.metadata.resourceVersion];
  return Number(first) >= Number(second);
}
