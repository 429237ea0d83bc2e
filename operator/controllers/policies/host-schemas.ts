import { declareShape, type DeclaredShape, type DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import type { HostConnection } from '../../../platform/kube/host-connection.ts';
import { watchForChanges } from '../../../platform/kube/watch-for-changes.ts';
import { sleep, type Clock } from '../../../platform/process/clock.ts';
import type { Logger } from '../../../platform/process/logger.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import { readOpenApiGroup, readOpenApiIndex, type OpenApiGroup } from './open-api-groups.ts';
import { formatGroupVersion, type GroupVersion, type SchemaSnapshot, type SchemaSource } from './schema-source.ts';

/** What following a host's schemas needs. */
export interface HostSchemasOptions {
  readonly connection: HostConnection;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Watches definitions, so that changes are seen soon. */
  readonly client: ResourceClient;
  /** Absent means 60 s; each wait is up to a fifth longer. */
  readonly pollMillis?: number;
}

/** A changed definition shows in the host's documents some moments later. */
const settleMillis = [500, 1_500, 4_000, 10_000];
const jitter = 0.2;
const definitions = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

/** One group and version as it was read; without an address and a document where the host has none. */
interface KnownGroup {
  readonly address: string | undefined;
  readonly group?: OpenApiGroup;
  readonly shapes: Map<string, DeclaredShape | undefined>;
  readonly types: Map<string, DeclaredType | undefined>;
}

/** The schemas of what a host serves, custom resources included, followed as they change. */
export class HostSchemas implements SchemaSource {
  readonly #options: HostSchemasOptions;
  readonly #groups = new Map<GroupVersion, KnownGroup>();
  readonly #listeners = new Set<() => void>();
  readonly #controller = new AbortController();
  #running: Promise<unknown> | undefined;
  #wake: (() => void) | undefined;
  #hurry = 0;

  constructor(options: HostSchemasOptions) {
    this.#options = options;
  }

  async read(groups: readonly GroupVersion[]): Promise<SchemaSnapshot> {
    const addresses = await readOpenApiIndex(this.#options.connection);
    const known = new Map<GroupVersion, KnownGroup>();
    for (const group of groups) {
      known.set(group, await this.#load(group, addresses.get(group)));
    }
    return {
      fingerprint: groups.map((group) => addresses.get(group) ?? '').join(' '),
      findKind: (resource) => {
        const kind = known.get(formatGroupVersion(resource))?.group?.kinds.get(resource.resource);
        return kind === undefined ? undefined : { group: resource.group, version: resource.version, kind };
      },
      findType: (kind, name) => declareKind(known.get(formatGroupVersion(kind)), kind.kind, name),
    };
  }

  /** Follows changes from the first listener on. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#running ??= Promise.all([this.#poll(), this.#watch()]);
    return () => this.#listeners.delete(listener);
  }

  /** Ends following; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#controller.abort();
    await this.#running;
  }

  async #load(group: GroupVersion, address: string | undefined): Promise<KnownGroup> {
    const present = this.#groups.get(group);
    if (present !== undefined && present.address === address) return present;
    const known: KnownGroup = {
      address,
      ...(address === undefined ? {} : { group: await readOpenApiGroup(this.#options.connection, address) }),
      shapes: new Map(),
      types: new Map(),
    };
    this.#groups.set(group, known);
    return known;
  }

  #watch(): Promise<void> {
    const { client, clock, logger } = this.#options;
    return watchForChanges({
      ...{ client, clock, signal: this.#controller.signal },
      reference: { resource: definitions },
      onFailure: (error) => logger.warn({ err: error }, 'a watch of custom resource definitions failed'),
      onChange: () => {
        this.#hurry = settleMillis.length;
        this.#wake?.();
      },
    });
  }

  async #poll(): Promise<void> {
    const { clock, logger, pollMillis = 60_000 } = this.#options;
    const { signal } = this.#controller;
    while (!signal.aborted) {
      const isHurried = this.#hurry > 0;
      const woken = new AbortController();
      this.#wake = isHurried ? undefined : () => woken.abort();
      const restMillis = pollMillis * (1 + Math.random() * jitter);
      const waitMillis = isHurried ? (settleMillis[settleMillis.length - this.#hurry] ?? 0) : restMillis;
      if (isHurried) this.#hurry -= 1;
      await sleep(clock, waitMillis, AbortSignal.any([signal, woken.signal]));
      if (signal.aborted) return;
      if (woken.signal.aborted || this.#groups.size === 0) continue;
      try {
        if (await this.#hasChanged()) for (const listener of this.#listeners) listener();
      } catch (error) {
        logger.warn({ err: error }, 'the OpenAPI documents of the host could not be read');
      }
    }
  }

  /** Whether a document that was read, or was not there, is another now. */
  async #hasChanged(): Promise<boolean> {
    const addresses = await readOpenApiIndex(this.#options.connection);
    return [...this.#groups].some(([group, { address }]) => addresses.get(group) !== address);
  }
}

function declareKind(known: KnownGroup | undefined, kind: string, name: string): DeclaredType | undefined {
  if (known?.group === undefined) return undefined;
  const key = `${kind} ${name}`;
  if (!known.types.has(key)) {
    if (!known.shapes.has(kind)) known.shapes.set(kind, known.group.describeKind(kind));
    const shape = known.shapes.get(kind);
    known.types.set(key, shape && declareShape(shape, name));
  }
  return known.types.get(key);
}
