import { Gauge } from 'prom-client';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { ResourceName } from '../../core/meta/resource-name.ts';
import type { Clock } from '../process/clock.ts';
import type { Logger } from '../process/logger.ts';
import type { Registry } from '../process/metrics.ts';
import { CollectionIndex } from '../resources/collection-index.ts';
import type { ResourceClient } from '../resources/resource-client.ts';
import { type Enforcement, enforcements, type EnforcementSource } from './enforcement.ts';

/** The settings of a release, as far as they are read here. */
export interface SettingsObject extends KubeObject {
  data?: Record<string, string>;
}

const settingsResource: ResourceName = { group: '', version: 'v1', resource: 'configmaps' };

/** What to follow the setting with. */
export interface FollowedEnforcementOptions {
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The release's. */
  readonly namespace: string;
  /** Of the ConfigMap. */
  readonly name: string;
  /** Where `bailiwick_enforcement` goes; absent: nowhere. */
  readonly metrics?: Registry;
  /** Told of a setting that cannot be understood, each time it is written; `settings` is absent when there are none. */
  readonly onFault?: (fault: string, settings: SettingsObject | undefined) => void;
}

function readEnforcement(settings: SettingsObject): Enforcement | undefined {
  const text = settings.data?.['enforcement']?.trim();
  return enforcements.find((mode) => mode === text);
}

/**
 * The setting `enforcement` of a release's ConfigMap. One that is not there at the start, or not understood, means Enforce; when the whole
 * ConfigMap goes, the last setting stays: it goes when the release is uninstalled, and must not bring back then what was switched off.
 */
export class FollowedEnforcement implements EnforcementSource {
  readonly #options: FollowedEnforcementOptions;
  readonly #index: CollectionIndex<SettingsObject>;
  readonly #listeners = new Set<(mode: Enforcement) => void>();
  readonly #gauge: Gauge | undefined;
  #current: Enforcement = 'Enforce';

  constructor(options: FollowedEnforcementOptions) {
    const { client, clock, logger, namespace, name, metrics } = options;
    this.#options = options;
    this.#index = new CollectionIndex<SettingsObject>({
      client,
      clock,
      reference: { resource: settingsResource, namespace },
      fieldSelector: `metadata.name=${name}`,
      onFailure: (error) => logger.warn({ configMap: name, err: error }, 'following the settings failed, trying again'),
    });
    this.#index.subscribe(({ object }) => this.#take(object));
    if (metrics !== undefined) {
      this.#gauge = new Gauge({
        name: 'bailiwick_enforcement',
        help: 'Whether decisions bind: 1 for the mode in force.',
        labelNames: ['mode'],
        registers: [metrics],
      });
    }
    this.#show();
  }

  /** Begins to follow the setting; resolves when it is known. */
  async start(): Promise<void> {
    await this.#index.start();
    const { name, namespace } = this.#options;
    if (this.#index.get(name, namespace) === undefined) this.#report('there are no settings', undefined);
  }

  current(): Enforcement {
    return this.#current;
  }

  subscribe(listener: (mode: Enforcement) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends following; the last setting stays. */
  close(): Promise<void> {
    return this.#index.close();
  }

  #take(settings: SettingsObject | undefined): void {
    const { logger, name } = this.#options;
    if (settings === undefined) {
      logger.warn({ configMap: name, enforcement: this.#current }, 'the settings are gone, the last ones stay');
      return;
    }
    const read = readEnforcement(settings);
    if (read === undefined) this.#report(`enforcement must be one of ${enforcements.join(', ')}`, settings);
    this.#change(read ?? 'Enforce');
  }

  #report(fault: string, settings: SettingsObject | undefined): void {
    const { logger, name, onFault } = this.#options;
    logger.error({ configMap: name, fault }, 'the settings cannot be understood, decisions are enforced');
    onFault?.(fault, settings);
  }

  #change(mode: Enforcement): void {
    if (mode === this.#current) return;
    this.#current = mode;
    this.#options.logger.info({ enforcement: mode }, 'enforcement changed');
    this.#show();
    for (const listener of this.#listeners) listener(mode);
  }

  #show(): void {
    for (const mode of enforcements) this.#gauge?.set({ mode }, mode === this.#current ? 1 : 0);
  }
}
