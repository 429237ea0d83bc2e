import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { ResourceName } from '../../core/meta/resource-name.ts';
import { WorkQueue } from '../../platform/kube/work-queue.ts';
import type { WorkQueueOptions, WorkResult } from '../../platform/kube/work-queue.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import { CollectionIndex } from '../../platform/resources/collection-index.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';

/** What every controller needs. */
export interface ControllerOptions {
  /** Acts with every right that the controller needs. */
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Something that follows objects and acts on them until it is closed. */
export interface Controller {
  /** Resolves when the controller has seen what exists. */
  start(): Promise<void>;
  /** Resolves when nothing runs any more. */
  close(): Promise<void>;
}

/**
 * An index of a collection across all namespaces, narrowed by a field selector if there is one, which logs its failures. It keeps what
 * `reduce` leaves of an object, where that is given.
 */
export function createIndex<T extends KubeObject>(
  options: ControllerOptions,
  resource: ResourceName,
  fieldSelector?: string,
  reduce?: (object: T) => T,
): CollectionIndex<T> {
  return new CollectionIndex<T>({
    client: options.client,
    clock: options.clock,
    reference: { resource },
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(reduce === undefined ? {} : { reduce }),
    onFailure: (error) =>
      options.logger.warn({ resource: resource.resource, err: error }, 'following a collection failed, trying again'),
  });
}

/** A queue of keys for a controller, which handles `concurrency` of them at once, shared as `shares` says, and logs its failures. */
export function createControllerQueue(
  options: ControllerOptions,
  controller: string,
  work: (key: string) => Promise<WorkResult | undefined | void>,
  concurrency = 1,
  shares: Pick<WorkQueueOptions, 'ownerOf' | 'concurrencyOfOwner'> = {},
): WorkQueue {
  return new WorkQueue({
    clock: options.clock,
    work,
    concurrency,
    ...shares,
    onFailure: (key, error, failures) =>
      options.logger.warn({ controller, key, failures, err: error }, 'a reconcile failed, trying again'),
  });
}
