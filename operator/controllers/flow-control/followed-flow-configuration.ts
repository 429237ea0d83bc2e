import { EnforceableIndex } from '../../../admission/enforceable-index.ts';
import { isSameGeneration } from '../../../admission/enforceable-index.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { flowSchemaKind } from '../../../kinds/flowcontrol/flow-schema/definition.ts';
import type { FlowSchema } from '../../../kinds/flowcontrol/flow-schema/schema.ts';
import { planFlowConfiguration, type FlowConfiguration } from '../../../kinds/flowcontrol/plan-flow-configuration.ts';
import { priorityLevelConfigurationKind } from '../../../kinds/flowcontrol/priority-level-configuration/definition.ts';
import type { PriorityLevelConfiguration } from '../../../kinds/flowcontrol/priority-level-configuration/schema.ts';
import type { KindDefinition } from '../../../kinds/kind-definition.ts';
import type { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import { createIndex, type Controller, type ControllerOptions } from '../controller-parts.ts';

/** What follows the configuration of flow control needs. */
export interface FollowedFlowConfigurationOptions extends ControllerOptions {
  readonly domain: string;
}

/** By what requests are classified and dispatched, as it changes. */
export interface FlowConfigurationSource {
  current(): FlowConfiguration;
  /** Calls `listener` for each later change. Returns a function that ends this. */
  subscribe(listener: (configuration: FlowConfiguration) => void): () => void;
}

/** Whether a change is one of the metadata or status alone. */
function isUntouched({ object, previous }: { readonly object?: KubeObject; readonly previous?: KubeObject }): boolean {
  return object !== undefined && previous !== undefined && isSameGeneration(object, previous);
}

/** Follows FlowSchemas and PriorityLevelConfigurations, in every process that serves requests; before they are known, what every server has is in force. */
export class FollowedFlowConfiguration implements Controller, FlowConfigurationSource {
  readonly #options: FollowedFlowConfigurationOptions;
  readonly #schemas: CollectionIndex<FlowSchema>;
  readonly #levels: CollectionIndex<PriorityLevelConfiguration>;
  readonly #validSchemas: EnforceableIndex<FlowSchema>;
  readonly #validLevels: EnforceableIndex<PriorityLevelConfiguration>;
  readonly #listeners = new Set<(configuration: FlowConfiguration) => void>();
  #current: FlowConfiguration;
  #isKnown = false;

  constructor(options: FollowedFlowConfigurationOptions) {
    this.#options = options;
    const { clock, domain } = options;
    this.#current = planFlowConfiguration([], [], domain);
    this.#schemas = createIndex<FlowSchema>(options, this.#name(flowSchemaKind));
    this.#levels = createIndex<PriorityLevelConfiguration>(options, this.#name(priorityLevelConfigurationKind));
    this.#validSchemas = new EnforceableIndex({ kind: flowSchemaKind, index: this.#schemas, domain, clock });
    this.#validLevels = new EnforceableIndex({
      ...{ kind: priorityLevelConfigurationKind, index: this.#levels, domain, clock },
    });
    for (const index of [this.#validSchemas, this.#validLevels]) {
      index.subscribe((change) => {
        if (this.#isKnown && !isUntouched(change)) this.#plan();
      });
    }
  }

  async start(): Promise<void> {
    await Promise.all([this.#schemas.start(), this.#levels.start()]);
    this.#isKnown = true;
    this.#plan();
  }

  async close(): Promise<void> {
    await Promise.all([this.#schemas.close(), this.#levels.close()]);
  }

  current(): FlowConfiguration {
    return this.#current;
  }

  subscribe(listener: (configuration: FlowConfiguration) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #name({ version, plural }: Pick<KindDefinition, 'version' | 'plural'>) {
    return { group: `flowcontrol.apiserver.${this.#options.domain}`, version, resource: plural };
  }

  #plan(): void {
    const { domain } = this.#options;
    this.#current = planFlowConfiguration(this.#validSchemas.list(), this.#validLevels.list(), domain);
    for (const listener of this.#listeners) listener(this.#current);
  }
}
