import { makeBadRequestError, makeNotAcceptableError } from '../../../core/errors/make-status-error.ts';
import type { ListMeta } from '../../../core/meta/kube-object.ts';
import { formatAge } from '../../../kinds/format-age.ts';
import { ageColumn, nameColumn } from '../../../kinds/printer-columns.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import type { AnyObject } from '../pipeline/stored-encoding.ts';
import type { RequestedConversion } from './accept-header.ts';

/** What a row of a Table carries of its object. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Reads `includeObject`; Metadata unless the client says otherwise. Throws 400. */
export function readIncludeObject(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  throw makeBadRequestError(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** Kinds that give Name themselves give all of their columns; for the others Name comes first and Age last. */
function givesAllColumns(kind: Pick<RegisteredKind, 'columns'>): boolean {
  return kind.columns.some((column) => column.name === 'Name');
}

/** The columns of a kind's Table. */
export function listColumns(kind: Pick<RegisteredKind, 'columns'>): object[] {
  const columns = givesAllColumns(kind) ? kind.columns : [nameColumn, ...kind.columns, ageColumn];
  return columns.map(({ name, type, format = '', description, priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

/** An object reduced to its metadata. */
export function makePartialObject(object: AnyObject, apiVersion: string): object {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata };
}

/** One row of a Table. */
export function makeRow(
  kind: Pick<RegisteredKind, 'columns' | 'printRow'>,
  object: AnyObject,
  include: IncludeObject,
  apiVersion: string,
  nowMillis: number,
): object {
  const own = kind.printRow(object, nowMillis);
  const cells = givesAllColumns(kind)
    ? own
    : [object.metadata.name ?? '', ...own, formatAge(object.metadata.creationTimestamp, nowMillis)];
  if (include === 'None') return { cells, object: null };
  return { cells, object: include === 'Object' ? object : makePartialObject(object, apiVersion) };
}

/** A Table of rows; `columns` is null in the later frames of a watch. */
export function makeTable(
  conversion: RequestedConversion,
  metadata: ListMeta,
  columns: readonly object[] | null,
  rows: readonly object[],
): object {
  return { kind: 'Table', apiVersion: conversion.apiVersion, metadata, columnDefinitions: columns, rows };
}

/** Kubernetes' type of objects whose kind it does not know itself. */
const UNSTRUCTURED = 'unstructured.Unstructured';

/** 406 for a list of metadata of one object, or the metadata of one object of a list. */
export function makeConversionError(
  conversion: RequestedConversion,
  kind: Pick<RegisteredKind, 'group' | 'kind' | 'definedBy'>,
): Error {
  const wantsList = conversion.kind === 'PartialObjectMetadataList';
  const own = kind.definedBy === undefined ? `${kind.group.split('.')[0] || 'core'}.${kind.kind}` : UNSTRUCTURED;
  const type = `*${own}${wantsList ? '' : 'List'}`;
  const fault = wantsList ? 'is not a list' : 'is a list';
  return makeNotAcceptableError(`you requested ${conversion.kind}, but the requested object ${fault} (${type})`);
}
