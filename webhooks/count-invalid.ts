import { Counter, type Registry } from 'prom-client';
import type { KubeObject } from '../core/meta/kube-object.ts';
import type { Logger } from '../platform/process/logger.ts';

/** What to tell of objects that nothing can act on. */
export interface CountInvalidOptions {
  readonly kind: string;
  readonly logger: Logger;
  readonly metrics: Registry;
}

/** Counts and logs objects that nothing can act on; the operator tells their owners by Event. */
export function countInvalid({ kind, logger, metrics }: CountInvalidOptions) {
  const name = 'bailiwick_invalid_objects_total';
  const counter =
    (metrics.getSingleMetric(name) as Counter<'kind'> | undefined) ??
    new Counter({
      name,
      help: 'Objects that were seen to break the rules of their kind, once for each of their generations.',
      labelNames: ['kind'],
      registers: [metrics],
    });
  counter.inc({ kind }, 0);
  return ({ metadata }: KubeObject, faults: readonly string[]): void => {
    counter.inc({ kind });
    const { namespace, name } = metadata;
    logger.warn({ kind, namespace, name, faults: faults.slice(0, 10) }, 'an object is invalid, nothing acts on it');
  };
}
