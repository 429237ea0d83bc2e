import { EnforceableIndex, isSameGeneration } from '../../../admission/enforceable-index.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { flowSchemaKind } from '../../../kinds/flowcontrol/flow-schema/definition.ts';
import type { FlowClassifier } from '../../../kinds/flowcontrol/flow-schema/flow-classifier.ts';
import type { FlowSchema } from '../../../kinds/flowcontrol/flow-schema/schema.ts';
import { planFlowConfiguration, type FlowConfiguration } from '../../../kinds/flowcontrol/plan-flow-configuration.ts';
import { priorityLevelConfigurationKind } from '../../../kinds/flowcontrol/priority-level-configuration/definition.ts';
import { findLevelFault } from '../../../kinds/flowcontrol/priority-level-configuration/find-level-fault.ts';
import type { PriorityLevelConfiguration } from '../../../kinds/flowcontrol/priority-level-configuration/schema.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import type { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import { createIndex, type Controller, type ControllerOptions } from '../controller-parts.ts';
import { compileClassifier } from './compile-classifier.ts';
import { nameFlowSchemas, namePriorityLevels } from './flow-resources.ts';

/** What follows the configuration of flow control needs. */
export interface FollowedFlowConfigurationOptions extends ControllerOptions {
  readonly domain: string;
  /** Compiles the classifier of schemas; absent: `compileClassifier`. */
  readonly compile?: (schemas: readonly FlowSchema[]) => Promise<FlowClassifier>;
}

/** Is told what comes in force, with the classifier that its schemas are compiled to. */
export type FlowConfigurationListener = (configuration: FlowConfiguration, classifier: FlowClassifier) => void;

/** By what requests are classified and dispatched, as it changes. */
export interface FlowConfigurationSource {
  current(): FlowConfiguration;
  /** Calls `listener` for each later change. Returns a function that ends this. */
  subscribe(listener: FlowConfigurationListener): () => void;
}

/** How long it is waited after a plan for the next one, in times of what it took. */
const pausePerPlan = 9;
const maxPauseMillis = 1_000;

/** Whether a change is one of the metadata or status alone. */
function isUntouched({ object, previous }: { readonly object?: KubeObject; readonly previous?: KubeObject }): boolean {
  return object !== undefined && previous !== undefined && isSameGeneration(object, previous);
}

/**
 * Follows FlowSchemas and PriorityLevelConfigurations, in every process that serves requests. Before they are known, what every server has is
 * in force.
 */
export class FollowedFlowConfiguration implements Controller, FlowConfigurationSource {
  /** The schemas that can be acted on. */
  readonly schemas: EnforceableIndex<FlowSchema>;
  /** The levels that can be acted on. */
  readonly levels: EnforceableIndex<PriorityLevelConfiguration>;
  readonly #indexes: readonly [CollectionIndex<FlowSchema>, CollectionIndex<PriorityLevelConfiguration>];
  readonly #domain: string;
  readonly #clock: Clock;
  readonly #compile: (schemas: readonly FlowSchema[]) => Promise<FlowClassifier>;
  readonly #listeners = new Set<FlowConfigurationListener>();
  #current: FlowConfiguration;
  readonly #waiting: (() => void)[] = [];
  #pauseMillis = 0;
  #cancel: () => void = () => undefined;
  #state: 'unknown' | 'planning' | 'planned' | 'outdated' | 'closed' = 'unknown';
  #isKnown = false;
  /** Whether something has changed while it was planned. */
  #hasChanged = false;

  constructor(options: FollowedFlowConfigurationOptions) {
    const { clock, domain } = options;
    this.#domain = domain;
    this.#clock = clock;
    this.#compile = options.compile ?? ((schemas) => compileClassifier(schemas));
    this.#current = planFlowConfiguration([], [], domain);
    const schemas = createIndex<FlowSchema>(options, nameFlowSchemas(domain));
    const levels = createIndex<PriorityLevelConfiguration>(options, namePriorityLevels(domain));
    this.#indexes = [schemas, levels];
    this.schemas = new EnforceableIndex({ kind: flowSchemaKind, index: schemas, domain, clock });
    this.levels = new EnforceableIndex({ kind: priorityLevelConfigurationKind, index: levels, domain, clock });
    for (const index of [this.schemas, this.levels]) {
      index.subscribe((change) => {
        if (!isUntouched(change)) this.#replan();
      });
    }
  }

  async start(): Promise<void> {
    await Promise.all(this.#indexes.map((index) => index.start()));
    if (this.#state === 'unknown') await this.#plan();
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#cancel();
    await Promise.all(this.#indexes.map((index) => index.close()));
  }

  current(): FlowConfiguration {
    return this.#current;
  }

  /** Whether what is stored is known. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Whether a level is stored that requests can be dispatched by. */
  hasLevel(name: string): boolean {
    const level = this.levels.get(name);
    return level !== undefined && findLevelFault(level) === undefined;
  }

  /** Names of the schemas that refer to a level. */
  listReferring(levelName: string): string[] {
    return this.schemas
      .list()
      .filter(({ spec }) => spec.priorityLevelConfiguration.name === levelName)
      .map(({ metadata }) => metadata.name ?? '');
  }

  /** Calls `listener` once it is known what is stored; at once when it is. */
  whenKnown(listener: () => void): void {
    if (this.isKnown) listener();
    else this.#waiting.push(listener);
  }

  subscribe(listener: FlowConfigurationListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Many changes that arrive together are one, and however many there are, planning leaves others most of the time. */
  #replan(): void {
    if (this.#state === 'planning') this.#hasChanged = true;
    if (this.#state !== 'planned') return;
    this.#state = 'outdated';
    const plan = (): void => {
      if (this.#state === 'outdated') void this.#plan();
    };
    if (this.#pauseMillis === 0) setImmediate(plan);
    else this.#cancel = this.#clock.schedule(this.#pauseMillis, plan);
  }

  /** Large schemas take a while, during which what was planned before is in force. */
  async #plan(): Promise<void> {
    const startMillis = this.#clock.now();
    this.#state = 'planning';
    this.#hasChanged = false;
    const configuration = planFlowConfiguration(this.schemas.list(), this.levels.list(), this.#domain);
    const classifier = await this.#compile(configuration.schemas);
    if (this.#isClosed()) return;
    this.#state = 'planned';
    this.#isKnown = true;
    this.#current = configuration;
    for (const listener of this.#listeners) listener(configuration, classifier);
    for (const listener of this.#waiting.splice(0)) listener();
    this.#pauseMillis = Math.min(maxPauseMillis, pausePerPlan * (this.#clock.now() - startMillis));
    if (this.#hasChanged) this.#replan();
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }
}
