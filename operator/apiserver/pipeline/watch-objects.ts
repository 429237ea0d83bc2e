import { makeExpiredError } from '../../../core/errors/make-status-error.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import {
  RevisionCompacted,
  type StoredObject,
  type StoreEvent,
  type StoreWatch,
} from '../../../platform/store/object-store.ts';
import { prepareStored } from './convert-stored.ts';
import { isConvertedByWebhook } from './converted-values.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import { listObjects } from './list-objects.ts';
import { makeObjectFilter, type ObjectFilter } from './object-filter.ts';
import type { PipelineServices } from './pipeline-services.ts';
import type { ListParameters } from './query-parameters.ts';
import { makeKeyPrefix, type ResourceTarget } from './resource-target.ts';
import { makeTooLargeVersionError, readResourceVersion } from './resource-version.ts';
import { decodeAs, encodeAgain } from './stored-encoding.ts';

/** A change that a watcher is told: the object's stored encoding, under the kind's own group. */
export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly value: Buffer;
  readonly revision: number;
}

/** What to watch. */
export interface WatchRequest {
  readonly target: ResourceTarget;
  /** Absent: all namespaces, or a cluster-scoped kind. */
  readonly namespace: string | undefined;
  readonly parameters: ListParameters;
  readonly name?: string | undefined;
}

const READ_MAX = 250;
const SCAN_YIELD_EVERY = 64;

/**
 * A pulled sequence of changes: first the state at the start when that was asked for, then every later change once.
 * Its reader's pace is its own: it holds a position in the store's history, and no queue.
 */
export class ObjectWatch {
  /** Whether the end of the initial state is to be marked by a bookmark. */
  readonly marksInitialEnd: boolean;
  readonly #filter: ObjectFilter;
  readonly #target: ResourceTarget;
  readonly #cursor: StoreWatch;
  readonly #afterRevision: number;
  readonly #forgetRegistry: () => void;
  #initial: readonly StoredObject[];
  #initialIndex = 0;
  /** What happened after this revision is no longer shown; `undefined` while the kind is served. */
  #lastRevision: number | undefined;
  #wake: () => void = () => undefined;

  constructor(options: {
    readonly services: PipelineServices;
    readonly target: ResourceTarget;
    readonly filter: ObjectFilter;
    readonly cursor: StoreWatch;
    readonly afterRevision: number;
    readonly initial: readonly StoredObject[];
    readonly marksInitialEnd: boolean;
  }) {
    this.#target = options.target;
    this.#filter = options.filter;
    this.#cursor = options.cursor;
    this.#afterRevision = options.afterRevision;
    this.#initial = options.initial;
    this.marksInitialEnd = options.marksInitialEnd;
    const { registry, store } = options.services;
    const check = (): void => {
      if (this.#lastRevision !== undefined || isServedAlike(registry, this.#target)) return;
      this.#lastRevision = store.revision;
      this.#wake();
    };
    this.#forgetRegistry = subscribeDefined(registry, this.#target, check);
    // The kind may have changed since the request found it, while the state at the start was read.
    if (this.#target.kind.definedBy !== undefined) check();
  }

  /** Whether the kind is gone, or others than it was, and everything up to then has been returned. */
  get isOver(): boolean {
    return this.#lastRevision !== undefined && this.revision >= this.#lastRevision;
  }

  /** Every change up to this revision has been returned. */
  get revision(): number {
    return Math.max(this.#cursor.revision, this.#afterRevision);
  }

  /** The next part of the state at the start; empty when all of it has been returned. */
  readInitial(): ObjectChange[] {
    const part = this.#initial.slice(this.#initialIndex, this.#initialIndex + READ_MAX);
    this.#initialIndex += part.length;
    if (part.length === 0) this.#initial = [];
    return part.map(({ value, revision }) => ({ type: 'ADDED', value, revision }));
  }

  /** The next changes; empty when there are none yet. Throws a 410 StatusError when the reader fell too far behind. */
  async read(): Promise<ObjectChange[]> {
    const slices = new EventLoopYield();
    const changes: ObjectChange[] = [];
    const events = await this.#readEvents();
    if (isConvertedByWebhook(this.#target.kind)) {
      await prepareStored(
        this.#target.kind,
        events.flatMap(({ value, previous }) =>
          previous === undefined || this.#filter.isEmpty ? [value] : [value, previous],
        ),
      );
    }
    for (const [index, event] of events.entries()) {
      if (index % SCAN_YIELD_EVERY === 0) await slices.pause();
      const change = event.revision <= this.#afterRevision ? undefined : this.#toChange(event);
      if (change !== undefined) changes.push(change);
    }
    return changes;
  }

  /** Resolves when `read` may have more, or the watch was closed, or is over. */
  wait(): Promise<void> {
    if (this.#target.kind.definedBy === undefined) return this.#cursor.wait();
    if (this.#lastRevision !== undefined) return Promise.resolve();
    return new Promise<void>((resolve) => {
      this.#wake = resolve;
      void this.#cursor.wait().then(resolve);
    });
  }

  close(): void {
    this.#forgetRegistry();
    this.#cursor.close();
  }

  async #readEvents(): Promise<StoreEvent[]> {
    try {
      return await this.#cursor.read(READ_MAX);
    } catch (error) {
      if (error instanceof RevisionCompacted) throw makeWatchExpiredError(this.#cursor.revision, error);
      throw error;
    }
  }

  #toChange(event: StoreEvent): ObjectChange | undefined {
    const { key, value, revision, previous } = event;
    if (this.#filter.isEmpty) {
      const type = event.type === 'delete' ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED';
      return { type, value, revision };
    }
    const matchedBefore = previous !== undefined && this.#filter.matchesStored(key, previous);
    if (event.type === 'delete') return matchedBefore ? { type: 'DELETED', value, revision } : undefined;
    if (this.#filter.matchesStored(key, value)) return { type: matchedBefore ? 'MODIFIED' : 'ADDED', value, revision };
    if (!matchedBefore) return undefined;
    // Who watches sees the object leave as it was when it matched, with the version of the change that took it out.
    return {
      type: 'DELETED',
      value: encodeAgain(previous, decodeAs(this.#target.kind, previous), this.#target.kind, revision),
      revision,
    };
  }
}

/** Kinds of the program never change. */
function subscribeDefined(registry: KindRegistry, { kind }: ResourceTarget, listener: () => void): () => void {
  return kind.definedBy === undefined ? () => undefined : registry.subscribe(listener);
}

/** Whether what the watch shows is what the kind still is: a definition that changes its schema ends the watches of its objects. */
function isServedAlike(registry: KindRegistry, { kind, group, version }: ResourceTarget): boolean {
  return registry.find(group, version, kind.plural)?.strategy === kind.strategy;
}

function makeWatchExpiredError(revision: number, error: RevisionCompacted) {
  return makeExpiredError(`too old resource version: ${revision} (${error.oldestRevision})`);
}

/**
 * Opens a watch. Throws 400 for bad selectors and versions, and a StatusError with code 410 when the version is too old,
 * which an HTTP watch reports in its stream.
 */
export async function watchObjects(services: PipelineServices, request: WatchRequest): Promise<ObjectWatch> {
  const { target, namespace, parameters } = request;
  const filter = makeObjectFilter(target.kind, parameters.labelSelector, parameters.fieldSelector, request.name);
  const version = readResourceVersion(parameters.resourceVersion, '');
  const prefix = makeKeyPrefix(target.kind, namespace);
  const isFromNow = version === undefined || version === 0;
  if (parameters.sendInitialEvents === true) {
    if (!isFromNow && version > services.store.revision) {
      throw makeTooLargeVersionError(parameters.resourceVersion, services.store.revision);
    }
    const page = await listObjects(services, {
      target,
      namespace,
      name: request.name,
      parameters: {
        labelSelector: parameters.labelSelector,
        fieldSelector: parameters.fieldSelector,
        limit: 0,
        continue: '',
        resourceVersion: '',
        resourceVersionMatch: '',
      },
    });
    const afterRevision = Number(page.metadata.resourceVersion);
    const cursor = openCursor(services, prefix, afterRevision);
    return new ObjectWatch({
      services,
      target,
      filter,
      cursor,
      afterRevision,
      initial: page.items,
      marksInitialEnd: parameters.allowWatchBookmarks,
    });
  }
  const { revision } = services.store;
  const afterRevision = isFromNow ? revision : version;
  return new ObjectWatch({
    services,
    target,
    filter,
    // A version that is yet to come is waited for: what happens until then is not shown.
    cursor: openCursor(services, prefix, Math.min(afterRevision, revision)),
    afterRevision,
    initial: [],
    marksInitialEnd: false,
  });
}

function openCursor(services: PipelineServices, prefix: string, afterRevision: number): StoreWatch {
  try {
    return services.store.watch(prefix, afterRevision);
  } catch (error) {
    if (error instanceof RevisionCompacted) throw makeWatchExpiredError(afterRevision, error);
    throw error;
  }
}
