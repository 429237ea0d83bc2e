import { makeNotAcceptableError } from '../../../core/errors/make-status-error.ts';
import { StatusError } from '../../../core/errors/status.ts';

/** A form that a client wants instead of the object itself. */
export interface RequestedConversion {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** `meta.k8s.io/v1` or `meta.k8s.io/v1beta1`. */
  readonly apiVersion: string;
}

/** How to answer. */
export interface NegotiatedFormat {
  readonly format: 'json' | 'yaml';
  readonly pretty: boolean;
  readonly convert?: RequestedConversion;
}

/** What a path answers instead of objects: Tables and metadata alone, or the latter only, or neither. */
export type AllowedConversions = 'all' | 'metadata' | 'none';

/** One clause of an Accept header. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

const OFFERED = [
  { type: 'application', subtype: 'json', format: 'json' },
  { type: 'application', subtype: 'yaml', format: 'yaml' },
] as const;
type OfferedType = (typeof OFFERED)[number];
const OFFERED_TEXT = 'application/json, application/yaml';
const OFFERED_STREAM = 'application/json;stream=watch';
const CONVERSIONS = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);

const PLAIN: NegotiatedFormat = { format: 'json', pretty: false };

/**
 * Parses an Accept header into clauses, the most wanted first; clauses that are no media type are left out. Letters and quotes count
 * as they are, as in Kubernetes.
 */
export function parseAccept(header: string): AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(',')) {
    const [range = '', ...rest] = part.split(';');
    const [type = '', subtype = ''] = range.trim().split('/');
    if (type === '' || subtype === '') continue;
    const parameters = new Map<string, string>();
    let quality = 1;
    for (const text of rest) {
      const at = text.indexOf('=');
      if (at < 0) continue;
      const name = text.slice(0, at).trim();
      const value = text.slice(at + 1).trim();
      if (name === 'q') quality = Number.isFinite(Number(value)) ? Number(value) : 1;
      else parameters.set(name, value);
    }
    clauses.push({ type, subtype, quality, parameters });
  }
  const breadth = (clause: AcceptClause): number => (clause.type === '*' ? 2 : clause.subtype === '*' ? 1 : 0);
  return clauses.toSorted((left, right) => right.quality - left.quality || breadth(left) - breadth(right));
}

function matchesType(clause: AcceptClause, type: string, subtype: string): boolean {
  if (clause.type === '*') return clause.subtype === '*';
  return clause.type === type && (clause.subtype === '*' || clause.subtype === subtype);
}

/** Reads what a clause asks for beyond the media type; `undefined` when that is not offered here. */
function readConversion(clause: AcceptClause): RequestedConversion | 'none' | undefined {
  const { parameters } = clause;
  const kind = parameters.get('as');
  const group = parameters.get('g');
  const version = parameters.get('v');
  if (kind === undefined && group === undefined && version === undefined) return 'none';
  if (group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  if (kind === undefined || !CONVERSIONS.has(kind)) return undefined;
  return { kind: kind as RequestedConversion['kind'], apiVersion: `${group}/${version}` };
}

function isAllowed({ kind }: RequestedConversion, allowed: AllowedConversions): boolean {
  return allowed === 'all' || (allowed === 'metadata' && kind !== 'Table');
}

function acceptClause(
  clause: AcceptClause,
  format: 'json' | 'yaml',
  allowed: AllowedConversions,
): NegotiatedFormat | undefined {
  const stream = clause.parameters.get('stream') ?? '';
  if (stream !== '' && (stream !== 'watch' || format === 'yaml')) return undefined;
  const serverVersion = clause.parameters.get('sv') ?? '';
  if (serverVersion !== '' && serverVersion !== 'v1') return undefined;
  const conversion = readConversion(clause);
  if (conversion === undefined || (conversion !== 'none' && !isAllowed(conversion, allowed))) return undefined;
  const pretty = clause.parameters.get('pretty') === '1';
  return conversion === 'none' ? { format, pretty } : { format, pretty, convert: conversion };
}

/** 406 for a media type that no endpoint offers; `streamed` is true where watches are served too. */
function makeNoRepresentationError(offered: readonly OfferedType[], streamed: boolean): StatusError {
  const types = offered.map(({ type, subtype }) => `${type}/${subtype}`);
  const text = [...types, ...(streamed ? [OFFERED_STREAM] : [])].join(', ');
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `406: Not Acceptable\n\nAvailable representations: ${text}`,
    reason: 'NotAcceptable',
    details: {},
    code: 406,
  });
}

/** Kubernetes routes by exact types before it negotiates, and to it `application/*` is none. */
function isExact({ type, subtype }: AcceptClause, offered: readonly OfferedType[]): boolean {
  if (type === '*' && subtype === '*') return true;
  return offered.some((offer) => offer.type === type && offer.subtype === subtype);
}

/** Throws 406 where a header takes none of the media types of a path, which are the given ones; `application/*` takes none. */
function checkRoute(clauses: readonly AcceptClause[], offered: readonly OfferedType[], streamed = false): void {
  if (!clauses.some((clause) => isExact(clause, offered))) throw makeNoRepresentationError(offered, streamed);
}

/** Throws 406 for a path that is JSON only. */
export function checkAcceptsJson(header: string | undefined): void {
  if (header !== undefined && header !== '') checkRoute(parseAccept(header), [OFFERED[0]]);
}

/** Finds the most wanted form that is offered, among conversions those that are allowed. Throws 406. */
export function negotiateFormat(header: string | undefined, allowed: AllowedConversions): NegotiatedFormat {
  if (header === undefined || header === '' || header === 'application/json') return PLAIN;
  checkRoute(parseAccept(header), OFFERED);
  return negotiateDocument(header, allowed);
}

/** The same for a collection, whose path serves watches too. */
export function negotiateListFormat(header: string | undefined): NegotiatedFormat {
  if (header === undefined || header === '' || header === 'application/json') return PLAIN;
  checkRoute(parseAccept(header), OFFERED, true);
  return negotiateDocument(header, 'all');
}

/** The same for paths that Kubernetes negotiates without looking at the header before. */
export function negotiateDocument(header: string | undefined, allowed: AllowedConversions = 'none'): NegotiatedFormat {
  if (header === undefined || header === '') return PLAIN;
  const clauses = parseAccept(header);
  for (const clause of clauses) {
    for (const { type, subtype, format } of OFFERED) {
      if (!matchesType(clause, type, subtype)) continue;
      const accepted = acceptClause(clause, format, allowed);
      if (accepted !== undefined) return accepted;
    }
  }
  throw makeNotAcceptableError(`only the following media types are accepted: ${OFFERED_TEXT}`);
}

/** The same for a watch, which streams JSON only. Throws 406. */
export function negotiateStreamFormat(header: string | undefined): NegotiatedFormat {
  const negotiated = negotiateListFormat(header);
  if (negotiated.format === 'json') return negotiated;
  throw makeNotAcceptableError(`only the following media types are accepted: ${OFFERED_STREAM}`);
}

/** The same for an error, which is answered as JSON when nothing that is offered is wanted. */
export function negotiateErrorFormat(header: string | undefined): NegotiatedFormat {
  if (header === undefined || header === '') return PLAIN;
  for (const clause of parseAccept(header)) {
    for (const { type, subtype, format } of OFFERED) {
      // A form that errors do not have is none that they can be answered in.
      const isOffered = matchesType(clause, type, subtype) && acceptClause(clause, format, 'none') !== undefined;
      if (isOffered) return { format, pretty: false };
    }
  }
  return PLAIN;
}
