import { decodeStored, decodeStoredFor, encodeFor, sliceListItem } from '../pipeline/stored-encoding.ts';
import type { ObjectPage } from '../pipeline/list-objects.ts';
import type { ResourceTarget } from '../pipeline/resource-target.ts';
import type { NegotiatedFormat } from './accept-header.ts';
import { EncodedMember, type ListAnswer } from './encode-list.ts';
import type { Exchange } from './exchange.ts';
import {
  listColumns,
  makeConversionError,
  makePartialObject,
  makeRow,
  makeTable,
  readIncludeObject,
} from './make-table.ts';
import { sendEncoded, sendList, sendObject } from './send-answer.ts';

/** Answers one object, given as its bytes under the request's group, in the form that was asked for. */
export async function answerObject(
  exchange: Exchange,
  code: number,
  negotiated: NegotiatedFormat,
  target: ResourceTarget,
  bytes: Buffer,
  nowMillis: number,
): Promise<void> {
  const { convert } = negotiated;
  if (convert === undefined) {
    await sendEncoded(exchange, code, negotiated, bytes);
    return;
  }
  const object = decodeStored(bytes);
  if (convert.kind === 'PartialObjectMetadataList') throw makeConversionError(convert, target.kind);
  if (convert.kind === 'PartialObjectMetadata') {
    await sendObject(exchange, code, negotiated, makePartialObject(object, convert.apiVersion));
    return;
  }
  const row = makeRow(target.kind, object, readIncludeObject(exchange.query), convert.apiVersion, nowMillis);
  const { resourceVersion = '' } = object.metadata;
  const metadata = resourceVersion === '' ? {} : { resourceVersion };
  await sendObject(exchange, code, negotiated, makeTable(convert, metadata, listColumns(target.kind), [row]));
}

/** A list's items as they are stored, which are not parsed. */
function listItems(target: ResourceTarget, page: ObjectPage): ListAnswer {
  const isDefined = target.kind.definedBy !== undefined;
  return {
    head: {
      kind: target.kind.listKind ?? `${target.kind.kind}List`,
      apiVersion: target.apiVersion,
      metadata: isDefined ? { continue: '', ...page.metadata } : page.metadata,
    },
    field: 'items',
    size: page.items.length,
    memberAt: (index) => {
      const item = page.items[index];
      if (item === undefined) throw new RangeError('a page has no such item');
      // Items of kinds that users define say what they are, as in Kubernetes.
      if (isDefined) return new EncodedMember(encodeFor(target, item.value), 1);
      const { bytes, from } = sliceListItem(target, item.value);
      return new EncodedMember(bytes, from);
    },
  };
}

/** Answers a list in the form that was asked for. */
export async function answerList(
  exchange: Exchange,
  negotiated: NegotiatedFormat,
  target: ResourceTarget,
  page: ObjectPage,
  nowMillis: number,
): Promise<void> {
  const { convert } = negotiated;
  if (convert === undefined) {
    await sendList(exchange, negotiated, listItems(target, page));
    return;
  }
  if (convert.kind === 'PartialObjectMetadata') throw makeConversionError(convert, target.kind);
  const isTable = convert.kind === 'Table';
  const include = isTable ? readIncludeObject(exchange.query) : 'None';
  const common = { kind: convert.kind, apiVersion: convert.apiVersion, metadata: page.metadata };
  await sendList(exchange, negotiated, {
    head: isTable ? { ...common, columnDefinitions: listColumns(target.kind) } : common,
    field: isTable ? 'rows' : 'items',
    size: page.items.length,
    memberAt: (index) => {
      const item = page.items[index];
      if (item === undefined) throw new RangeError('a page has no such item');
      const object = decodeStoredFor(target, item.value);
      return isTable
        ? makeRow(target.kind, object, include, convert.apiVersion, nowMillis)
        : makePartialObject(object, convert.apiVersion);
    },
  });
}
