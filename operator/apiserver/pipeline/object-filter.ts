import { makeBadRequestError } from '../../../core/errors/make-status-error.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import {
  findExactValue,
  matchesFieldQuery,
  parseFieldQuery,
  type FieldQuery,
} from '../../../core/selectors/field-query.ts';
import { matchesLabelQuery, parseLabelQuery, type LabelQuery } from '../../../core/selectors/label-query.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import { decodeAs, type AnyObject } from './stored-encoding.ts';

/** The objects that a label and a field selector leave. */
export interface ObjectFilter {
  /** Whether everything matches, so that nothing has to be decoded. */
  readonly isEmpty: boolean;
  /** The one name that can match; `undefined` when there is more than one. */
  readonly name: string | undefined;
  matches(object: AnyObject): boolean;
  /** Whether a stored object matches; `key` is its key in the store. */
  matchesStored(key: string, value: Buffer): boolean;
}

const METADATA_FIELDS = ['metadata.name', 'metadata.namespace'];

function checkFields(kind: RegisteredKind, query: FieldQuery): void {
  const selectable = kind.selectableFields ?? {};
  // Kinds without selectable fields of their own take both, whatever their scope.
  const isKnown = (field: string): boolean =>
    kind.namespaced || kind.selectableFields === undefined
      ? METADATA_FIELDS.includes(field)
      : field === 'metadata.name';
  for (const { field } of query.requirements) {
    if (isKnown(field) || Object.hasOwn(selectable, field)) continue;
    throw makeBadRequestError(
      kind.selectableFields === undefined
        ? `${quoteGo(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
        : `field label not supported: ${field}`,
    );
  }
}

function readFields(kind: RegisteredKind, query: FieldQuery, object: AnyObject): Record<string, string> {
  const fields: Record<string, string> = {
    'metadata.name': object.metadata.name ?? '',
    'metadata.namespace': object.metadata.namespace ?? '',
  };
  for (const { field } of query.requirements) {
    const read = METADATA_FIELDS.includes(field) ? undefined : kind.selectableFields?.[field];
    if (read !== undefined) fields[field] = read(object);
  }
  return fields;
}

/** Reads the selectors of a list or watch. `name` restricts to one object in addition. Throws 400 with Kubernetes' wording. */
export function makeObjectFilter(
  kind: RegisteredKind,
  labelSelector: string,
  fieldSelector: string,
  name?: string,
): ObjectFilter {
  const labels = parseLabelQuery(labelSelector);
  if ('fault' in labels) throw makeBadRequestError(labels.fault);
  const fields = parseFieldQuery(fieldSelector);
  if ('fault' in fields) throw makeBadRequestError(fields.fault);
  checkFields(kind, fields);
  const named = findExactValue(fields, 'metadata.name');
  if (name !== undefined && fields.requirements.length > 0 && named !== name) {
    throw makeBadRequestError("fieldSelector metadata.name doesn't match requested name");
  }
  return buildFilter(kind, labels, fields, name);
}

function buildFilter(
  kind: RegisteredKind,
  labels: LabelQuery,
  fields: FieldQuery,
  name: string | undefined,
): ObjectFilter {
  const isEmpty = labels.requirements.length === 0 && fields.requirements.length === 0 && name === undefined;
  const matches = (object: AnyObject): boolean =>
    (name === undefined || object.metadata.name === name) &&
    (labels.requirements.length === 0 || matchesLabelQuery(labels, object.metadata.labels)) &&
    (fields.requirements.length === 0 || matchesFieldQuery(fields, readFields(kind, fields, object)));
  const onlyName = name ?? findExactValue(fields, 'metadata.name');
  // A key ends with the name: objects of other names are passed over without being decoded.
  const keyEnd = onlyName === undefined ? undefined : `/${onlyName}`;
  return {
    isEmpty,
    name: onlyName,
    matches,
    matchesStored: (key, value) =>
      isEmpty || ((keyEnd === undefined || key.endsWith(keyEnd)) && matches(decodeAs(kind, value))),
  };
}
