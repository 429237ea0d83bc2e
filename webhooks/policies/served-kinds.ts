import type { ParamResource } from '../../admission/policy/param-indexes.ts';
import { formatApiVersion } from '../../core/meta/resource-name.ts';
import type { ParamKind } from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import type { HostConnection } from '../../platform/kube/host-connection.ts';
import { type DiscoveredGroups, readApiDiscovery } from '../../platform/kube/read-api-discovery.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';

/** What is asked, and with what. */
export interface ServedKindsOptions {
  readonly connection: HostConnection;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a host is believed to serve what it served, and not to serve what it did not. */
const knownMillis = 30_000;
const unknownMillis = 2_000;

/** The kinds that a host serves and that can be followed, in every version; asked for when they are needed. */
export class ServedKinds {
  readonly #options: ServedKindsOptions;
  readonly #documents = new Map<string, DiscoveredGroups>();
  #resources: ReadonlyMap<string, ParamResource> = new Map();
  #readMillis = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: ServedKindsOptions) {
    this.#options = options;
  }

  /** `undefined` when the host serves no such kind, or its objects cannot be followed, or it never said what it serves. */
  async find({ apiVersion = '', kind = '' }: ParamKind): Promise<ParamResource | undefined> {
    const key = `${apiVersion} ${kind}`;
    const ageMillis = this.#options.clock.now() - this.#readMillis;
    const known = this.#resources.get(key);
    if (known === undefined && ageMillis >= unknownMillis) await this.#refresh();
    else if (ageMillis >= knownMillis) void this.#refresh();
    return this.#resources.get(key);
  }

  #refresh(): Promise<void> {
    this.#reading ??= this.#read()
      .catch((error: unknown) =>
        this.#options.logger.warn({ err: error }, 'the discovery of the host could not be read'),
      )
      .finally(() => {
        this.#readMillis = this.#options.clock.now();
        this.#reading = undefined;
      });
    return this.#reading;
  }

  async #read(): Promise<void> {
    for (const path of ['/api', '/apis'] as const) {
      const document = await readApiDiscovery(this.#options.connection, path, this.#documents.get(path)?.etag);
      if (document !== undefined) this.#documents.set(path, document);
    }
    const resources = new Map<string, ParamResource>();
    for (const { versions } of this.#documents.values()) {
      for (const { group, version, resources: served = [] } of versions) {
        for (const { resource, kind, namespaced, verbs } of served) {
          if (!verbs.includes('list') || !verbs.includes('watch')) continue;
          const found = { resource: { group, version, resource }, namespaced };
          resources.set(`${formatApiVersion(group, version)} ${kind}`, found);
        }
      }
    }
    this.#resources = resources;
  }
}
