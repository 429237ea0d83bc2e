import { EnforceableIndex } from '../../../admission/enforceable-index.ts';
import type { KindRegistry, RegisteredKind } from '../../../kinds/registry.ts';
import type { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import { type Controller, type ControllerOptions, createIndex } from '../controller-parts.ts';
import { type InvalidReportOptions, reportInvalid } from './report-invalid.ts';

/** What the controller needs. */
export interface InvalidObjectsOptions extends ControllerOptions, InvalidReportOptions {
  readonly registry: KindRegistry;
  /** Those to follow. */
  readonly kinds: readonly RegisteredKind[];
}

/** Tells of objects of own kinds that a host let in although the kind's rules refuse them. Of several replicas only the leader runs it. */
export class InvalidObjectsController implements Controller {
  readonly #indexes: readonly CollectionIndex[];

  constructor(options: InvalidObjectsOptions) {
    const { registry, clock } = options;
    this.#indexes = options.kinds.map((kind) => {
      const index = createIndex(options, { group: kind.group, version: kind.version, resource: kind.plural });
      const onInvalid = reportInvalid(options, kind.kind);
      // It hears of changes through the index, and needs no other hold.
      new EnforceableIndex({ kind, index, domain: registry.domain, clock, onInvalid });
      return index;
    });
  }

  async start(): Promise<void> {
    await Promise.all(this.#indexes.map((index) => index.start()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#indexes.map((index) => index.close()));
  }
}
