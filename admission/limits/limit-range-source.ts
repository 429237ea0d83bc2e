import type { LimitRange } from '../../kinds/core/limit-range/schema.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { EnforceableIndex } from '../enforceable-index.ts';
import { listAll } from '../list-all.ts';

const limitRanges = { group: '', version: 'v1', resource: 'limitranges' };

/** Where the plugin finds the limit ranges of a namespace, defaulted, in the order of their names. */
export interface LimitRangeSource {
  list(namespace: string): Promise<readonly LimitRange[]>;
}

/** Reads them anew each time. */
export function readLimitRanges(client: ResourceClient): LimitRangeSource {
  return { list: (namespace) => listAll<LimitRange>(client, { resource: limitRanges, namespace }) };
}

function compareNames(left: LimitRange, right: LimitRange): number {
  const [a = '', b = ''] = [left.metadata.name, right.metadata.name];
  return a < b ? -1 : Number(a > b);
}

/** Takes those that can be acted on from an index, which lags a little behind. */
export function indexLimitRanges(index: EnforceableIndex<LimitRange>): LimitRangeSource {
  return { list: async (namespace) => index.list(namespace).toSorted(compareNames) };
}
