import { deepEqual } from '../../core/meta/deep.ts';
import { sleep } from '../process/clock.ts';
import type { Clock } from '../process/clock.ts';
import type { Logger } from '../process/logger.ts';
import type { ResourceClient } from '../resources/resource-client.ts';
import { watchForChanges } from './watch-for-changes.ts';
import type { HostConnection } from './host-connection.ts';
import {
  readApiDiscovery,
  type DiscoveredGroups,
  type DiscoveredVersion,
  type HostResource,
} from './read-api-discovery.ts';

/** What following a host's discovery needs. */
export interface HostDiscoveryOptions {
  readonly connection: HostConnection;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Watches CRDs and APIServices, so that changes are seen at once; absent: polls only. */
  readonly client?: ResourceClient;
  /** Absent means 30 s; each wait is up to a fifth longer. */
  readonly pollMillis?: number;
}

/** A resource in the version that the host prefers. */
export interface FollowedResource extends HostResource {
  /** Every version of the group that has its kind, this one included. */
  readonly servedVersions: readonly string[];
}

/** A change of a definition shows in discovery some moments later, and for an APIService after its server has answered. */
const settleMillis = [200, 1_000, 4_000];
const jitter = 0.2;
const firstRetryMillis = 500;

const triggers = [
  { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
  { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' },
];

/** What a host serves, followed as it changes. Groups that their server does not answer for are kept as they were last known. */
export class HostDiscovery {
  readonly #options: HostDiscoveryOptions;
  readonly #documents = new Map<string, DiscoveredGroups>();
  readonly #known = new Map<string, readonly HostResource[]>();
  readonly #listeners = new Set<(resources: readonly FollowedResource[]) => void>();
  readonly #controller = new AbortController();
  #resources: readonly FollowedResource[] = [];
  #running: Promise<unknown> | undefined;
  #refreshing: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #hurry = 0;

  constructor(options: HostDiscoveryOptions) {
    this.#options = options;
  }

  /** Begins to follow; resolves when the first state is known, however often that must be tried. */
  async start(): Promise<void> {
    const { clock, client, logger } = this.#options;
    const { signal } = this.#controller;
    while (!signal.aborted) {
      try {
        await this.refresh();
        break;
      } catch (error) {
        logger.warn({ err: error }, 'the discovery of the host could not be read');
        await sleep(clock, firstRetryMillis, signal);
      }
    }
    const watches =
      client === undefined
        ? []
        : triggers.map((resource) => {
            const onFailure = (error: unknown): void =>
              logger.warn({ err: error, resource: resource.resource }, 'a watch of what the host serves failed');
            return watchForChanges({
              client,
              reference: { resource },
              clock,
              signal,
              onFailure,
              onChange: () => this.#hurryUp(),
            });
          });
    this.#running = Promise.all([this.#poll(), ...watches]);
  }

  /** Every resource in its preferred version, groups in the host's order. The array is replaced, never changed. */
  get resources(): readonly FollowedResource[] {
    return this.#resources;
  }

  /** Calls `listener` with every later state that differs. Returns a function that ends this. */
  subscribe(listener: (resources: readonly FollowedResource[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks now. Throws when the host does not answer, and leaves what is known. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Ends following; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#controller.abort();
    await this.#running;
  }

  #hurryUp(): void {
    this.#hurry = settleMillis.length;
    this.#wake?.();
  }

  async #poll(): Promise<void> {
    const { clock, logger, pollMillis = 30_000 } = this.#options;
    const { signal } = this.#controller;
    while (!signal.aborted) {
      const isHurried = this.#hurry > 0;
      const waitMillis = isHurried
        ? (settleMillis[settleMillis.length - this.#hurry] ?? 0)
        : pollMillis * (1 + Math.random() * jitter);
      if (isHurried) this.#hurry -= 1;
      const woken = new AbortController();
      this.#wake = isHurried ? undefined : () => woken.abort();
      await sleep(clock, waitMillis, AbortSignal.any([signal, woken.signal]));
      this.#wake = undefined;
      if (signal.aborted) return;
      if (woken.signal.aborted) continue;
      try {
        await this.refresh();
      } catch (error) {
        logger.warn({ err: error }, 'the discovery of the host could not be read');
      }
    }
  }

  async #read(): Promise<void> {
    for (const path of ['/api', '/apis'] as const) {
      const known = this.#documents.get(path);
      const document = await readApiDiscovery(this.#options.connection, path, known?.etag);
      if (document !== undefined) this.#documents.set(path, document);
    }
    const versions = [...this.#documents.values()].flatMap((document) => document.versions);
    const resources = this.#choosePreferred(versions);
    if (deepEqual(resources, this.#resources)) return;
    this.#resources = resources;
    for (const listener of this.#listeners) listener(resources);
  }

  #choosePreferred(versions: readonly DiscoveredVersion[]): FollowedResource[] {
    const chosen = new Map<string, HostResource & { readonly servedVersions: string[] }>();
    const served = new Set<string>();
    for (const { group, version, resources } of versions) {
      const key = `${group}/${version}`;
      served.add(key);
      if (resources !== undefined) this.#known.set(key, resources);
      for (const resource of this.#known.get(key) ?? []) {
        const name = `${group}/${resource.resource}`;
        const preferred = chosen.get(name);
        if (preferred === undefined) chosen.set(name, { ...resource, servedVersions: [version] });
        else if (preferred.kind === resource.kind) preferred.servedVersions.push(version);
      }
    }
    for (const key of this.#known.keys()) if (!served.has(key)) this.#known.delete(key);
    return [...chosen.values()];
  }
}
