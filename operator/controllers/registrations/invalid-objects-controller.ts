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
  /** Each looks at what its index hears of. */
  readonly #judges: readonly EnforceableIndex[];

  constructor(options: InvalidObjectsOptions) {
    const { registry, clock, kinds } = options;
    this.#indexes = kinds.map(({ group, version, plural }) =>
      createIndex(options, { group, version, resource: plural }),
    );
    this.#judges = this.#indexes.flatMap((index, i) => {
      const kind = kinds[i];
      if (kind === undefined) return [];
      const onInvalid = reportInvalid(options, kind.kind);
      return new EnforceableIndex({ kind, index, domain: registry.domain, clock, onInvalid });
    });
  }

  /** How many objects there are that nothing can act on. */
  get count(): number {
    return this.#judges.reduce((sum, judge) => sum + judge.listInvalid().length, 0);
  }

  async start(): Promise<void> {
    await Promise.all(this.#indexes.map((index) => index.start()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#indexes.map((index) => index.close()));
  }
}
