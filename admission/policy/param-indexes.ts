import type { ResourceName } from '../../core/meta/resource-name.ts';
import { describeUnknownParamKind, type ParamSource } from '../../kinds/admissionregistration/policy/plan-params.ts';
import type { ParamKind } from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import { type Clock, sleep } from '../../platform/process/clock.ts';
import { CollectionIndex } from '../../platform/resources/collection-index.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';

/** Where the objects of a kind are. */
export interface ParamResource {
  readonly resource: ResourceName;
  readonly namespaced: boolean;
}

/** What the indexes need. */
export interface ParamIndexesOptions {
  readonly client: ResourceClient;
  readonly clock: Clock;
  /** `undefined` when nobody serves the kind, or its objects cannot be listed. */
  resolveKind(kind: ParamKind): Promise<ParamResource | undefined>;
  /** Told when listing or watching failed and will be tried again. */
  readonly onFailure: (error: unknown) => void;
}

interface Entry {
  readonly index: CollectionIndex;
  readonly started: Promise<void>;
  isSynced: boolean;
}

/** How long a request waits for the first list of a kind. */
const syncMillis = 1_000;

function formatKey({ group, version, resource }: ResourceName): string {
  return `${group}/${version}/${resource}`;
}

/** The objects of all kinds of parameters that policies use: each kind is followed from when it is first needed until it no longer is. */
export class ParamIndexes {
  readonly #options: ParamIndexesOptions;
  readonly #entries = new Map<string, Entry>();
  #isClosed = false;

  constructor(options: ParamIndexesOptions) {
    this.#options = options;
  }

  /** The objects of a kind; waits a second at most for a kind that was not followed yet. */
  async find(kind: ParamKind): Promise<ParamSource> {
    const found = await this.#options.resolveKind(kind);
    if (found === undefined) return { fault: describeUnknownParamKind(kind) };
    const entry = this.#begin(found.resource);
    if (entry === undefined) return { fault: describeUnsynced(kind) };
    if (!entry.isSynced) await Promise.race([entry.started, sleep(this.#options.clock, syncMillis)]);
    if (!entry.isSynced) return { fault: describeUnsynced(kind) };
    const { index } = entry;
    return {
      namespaced: found.namespaced,
      get: (name, namespace) => index.get(name, namespace),
      list: (namespace) => index.list(namespace),
    };
  }

  /** Follows these kinds from now on, and no others. */
  async keep(kinds: readonly ParamKind[]): Promise<void> {
    const found = await Promise.all(kinds.map((kind) => this.#options.resolveKind(kind)));
    const kept = new Set<string>();
    for (const one of found) {
      if (one === undefined) continue;
      kept.add(formatKey(one.resource));
      this.#begin(one.resource);
    }
    const others = [...this.#entries].filter(([key]) => !kept.has(key));
    for (const [key] of others) this.#entries.delete(key);
    await Promise.all(others.map(([, { index }]) => index.close()));
  }

  /** Ends following; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.keep([]);
  }

  /** `undefined` once closed. */
  #begin(resource: ResourceName): Entry | undefined {
    const key = formatKey(resource);
    const known = this.#entries.get(key);
    if (known !== undefined || this.#isClosed) return known;
    const { client, clock, onFailure } = this.#options;
    const index = new CollectionIndex({ client, clock, reference: { resource }, onFailure });
    const entry: Entry = { index, started: index.start(), isSynced: false };
    void entry.started.then(() => (entry.isSynced = true));
    this.#entries.set(key, entry);
    return entry;
  }
}

function describeUnsynced({ apiVersion = '', kind = '' }: ParamKind): string {
  return `paramKind kind \`&ParamKind{APIVersion:${apiVersion},Kind:${kind},}\` not yet synced to use for admission`;
}
