import { isJsonObject } from '../../../core/meta/json.ts';
import { formatAge } from '../../../kinds/format-age.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import type { AnyObject } from '../pipeline/stored-encoding.ts';
import type { NegotiatedFormat } from './accept-header.ts';
import type { Exchange } from './exchange.ts';
import {
  listColumns,
  makeConversionError,
  makePartialObject,
  makeRow,
  makeTable,
  readIncludeObject,
} from './make-table.ts';
import { sendObject } from './send-answer.ts';

function readReplicas(part: unknown): number {
  const replicas = isJsonObject(part) ? part['replicas'] : undefined;
  return typeof replicas === 'number' ? replicas : 0;
}

/** What a Table shows of a Scale, which is no kind of its own. */
const printedScale: Pick<RegisteredKind, 'group' | 'kind' | 'columns' | 'printRow'> = {
  group: 'autoscaling',
  kind: 'Scale',
  columns: [
    { name: 'Name', type: 'string', description: 'Name of the scaled object.', priority: 0 },
    {
      name: 'Desired',
      type: 'integer',
      description: 'replicas is the desired number of instances for the scaled object.',
      priority: 0,
    },
    {
      name: 'Available',
      type: 'integer',
      description: 'replicas is the actual number of observed instances of the scaled object.',
      priority: 0,
    },
    { name: 'Age', type: 'string', description: 'Time since the scaled object was created.', priority: 0 },
  ],
  printRow: (scale, nowMillis) => {
    const { metadata, spec, status } = scale as unknown as AnyObject;
    const age = formatAge(metadata.creationTimestamp, nowMillis);
    return [metadata.name ?? '', readReplicas(spec), readReplicas(status), age];
  },
};

/** Answers a Scale in the form that was negotiated. Throws 406 for the form of a list. */
export async function answerScale(
  exchange: Exchange,
  negotiated: NegotiatedFormat,
  scale: AnyObject,
  nowMillis: number,
): Promise<void> {
  const { convert } = negotiated;
  if (convert === undefined) return sendObject(exchange, 200, negotiated, scale);
  if (convert.kind === 'PartialObjectMetadataList') throw makeConversionError(convert, printedScale);
  if (convert.kind === 'PartialObjectMetadata') {
    return sendObject(exchange, 200, negotiated, makePartialObject(scale, convert.apiVersion));
  }
  const row = makeRow(printedScale, scale, readIncludeObject(exchange.query), convert.apiVersion, nowMillis);
  const metadata = { resourceVersion: scale.metadata.resourceVersion ?? '' };
  return sendObject(exchange, 200, negotiated, makeTable(convert, metadata, listColumns(printedScale), [row]));
}
