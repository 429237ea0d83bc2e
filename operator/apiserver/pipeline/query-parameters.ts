import { makeForbidden, makeNotSupported } from '../../../core/errors/make-field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import type { FieldError } from '../../../core/errors/field-error.ts';
import { makeBadRequestError, makeInvalidError } from '../../../core/errors/make-status-error.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import {
  validateDeleteOptions,
  validatePatchOptions,
  validateWriteOptions,
} from '../../../core/validation/request-options.ts';
import type { DeleteOptions, PatchType } from '../../../platform/resources/resource-client.ts';

/** What unknown and duplicate fields in a body lead to. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** Options of create, update and patch, checked. */
export interface WriteParameters {
  readonly dryRun: boolean;
  /** As the client named it; empty when it did not. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Server-side apply only. */
  readonly force: boolean;
  /** As the client gave them, without those that create and update do not have. */
  readonly given: JsonObject;
}

/** Options of list and watch, checked. */
export interface ListParameters {
  readonly watch: boolean;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** 0 means all. */
  readonly limit: number;
  readonly continue: string;
  /** Absent and empty mean the same. */
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** `undefined` when neither the client nor the defaults of a watch say so. */
  readonly sendInitialEvents: boolean | undefined;
  readonly allowWatchBookmarks: boolean;
  /** 0 means unset; what is negative is over at once. */
  readonly timeoutSeconds: number;
}

const META_GROUP = 'meta.k8s.io';
const MAX_INT64 = 2n ** 63n;
/** A timer cannot be set to more than 2^31 milliseconds; a longer one would end at once. */
const MAX_TIMEOUT_SECONDS = 2_147_483;

/** Go's reading of a boolean parameter: all but `false` and `0` are true, an empty value too; `undefined` when absent. */
export function readBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return value.toLowerCase() !== 'false' && value !== '0';
}

/** Reads a 64-bit integer parameter; `undefined` when absent. Throws 400 with Go's wording. */
function readInteger(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!/^[+-]?\d+$/.test(value)) {
    throw makeBadRequestError(`strconv.ParseInt: parsing ${quoteGo(value)}: invalid syntax`);
  }
  const parsed = BigInt(value.startsWith('+') ? value.slice(1) : value);
  if (parsed >= MAX_INT64 || parsed < -MAX_INT64) {
    throw makeBadRequestError(`strconv.ParseInt: parsing ${quoteGo(value)}: value out of range`);
  }
  return Number(parsed);
}

function throwInvalidOptions(kind: string, faults: FieldError[]): void {
  if (faults.length > 0) throw makeInvalidError(META_GROUP, kind, '', faults);
}

/** What a write is; a patch goes by its media type. */
export type WriteOperation = 'create' | 'update' | PatchType;

/** What a client said of a write, unchecked. */
export interface WriteRequest {
  readonly dryRun: readonly string[];
  readonly fieldManager: string;
  readonly fieldValidation: string;
  readonly force: boolean | undefined;
}

/** Reads a write's options off a query; `checkWriteParameters` checks them. */
export function readWriteRequest(query: URLSearchParams): WriteRequest {
  return {
    dryRun: query.getAll('dryRun'),
    fieldManager: query.get('fieldManager') ?? '',
    fieldValidation: query.get('fieldValidation') ?? '',
    force: readBoolean(query, 'force'),
  };
}

/** Checks a write's options. Throws 422 with Kubernetes' wording. */
export function checkWriteParameters(operation: WriteOperation, request: WriteRequest): WriteParameters {
  const { force, ...common } = request;
  switch (operation) {
    case 'create':
      throwInvalidOptions('CreateOptions', validateWriteOptions(common));
      break;
    case 'update':
      throwInvalidOptions('UpdateOptions', validateWriteOptions(common));
      break;
    default: {
      const options = force === undefined ? common : { ...common, force };
      throwInvalidOptions('PatchOptions', validatePatchOptions(options, operation));
    }
  }
  return {
    dryRun: request.dryRun.length > 0,
    fieldManager: request.fieldManager,
    fieldValidation: (request.fieldValidation || 'Warn') as FieldValidation,
    force: request.force ?? false,
    given: {
      ...(request.dryRun.length > 0 ? { dryRun: [...request.dryRun] } : {}),
      ...(request.fieldManager === '' ? {} : { fieldManager: request.fieldManager }),
      ...(request.fieldValidation === '' ? {} : { fieldValidation: request.fieldValidation }),
    },
  };
}

function checkListOptions(parameters: ListParameters): FieldError[] {
  const match = FieldPath.root('resourceVersionMatch');
  const faults: FieldError[] = [];
  if (parameters.resourceVersionMatch !== '') {
    if (parameters.resourceVersion === '') {
      faults.push(makeForbidden(match, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (parameters.continue !== '') {
      faults.push(makeForbidden(match, 'resourceVersionMatch is forbidden when continue is provided'));
    }
    if (parameters.resourceVersionMatch !== 'Exact' && parameters.resourceVersionMatch !== 'NotOlderThan') {
      faults.push(makeNotSupported(match, parameters.resourceVersionMatch, ['Exact', 'NotOlderThan', '']));
    }
    if (parameters.resourceVersionMatch === 'Exact' && parameters.resourceVersion === '0') {
      faults.push(makeForbidden(match, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (parameters.sendInitialEvents !== undefined) {
    faults.push(makeForbidden(FieldPath.root('sendInitialEvents'), 'sendInitialEvents is forbidden for list'));
  }
  return faults;
}

function checkWatchOptions(parameters: ListParameters): FieldError[] {
  const match = FieldPath.root('resourceVersionMatch');
  const faults: FieldError[] = [];
  if (parameters.sendInitialEvents !== undefined && parameters.resourceVersionMatch !== 'NotOlderThan') {
    faults.push(makeForbidden(match, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (parameters.resourceVersionMatch !== '') {
    if (parameters.sendInitialEvents === undefined) {
      faults.push(
        makeForbidden(match, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
      );
    }
    if (parameters.resourceVersionMatch !== 'NotOlderThan') {
      faults.push(makeNotSupported(match, parameters.resourceVersionMatch, ['NotOlderThan']));
    }
    if (parameters.continue !== '') {
      faults.push(makeForbidden(match, 'resourceVersionMatch is forbidden when continue is provided'));
    }
  }
  return faults;
}

/** Checks a list's or watch's options and fills a watch's defaults. Throws 422 with Kubernetes' wording. */
export function checkListParameters(parameters: ListParameters): ListParameters {
  const isLegacyWatch =
    parameters.watch &&
    parameters.sendInitialEvents === undefined &&
    parameters.resourceVersionMatch === '' &&
    (parameters.resourceVersion === '' || parameters.resourceVersion === '0');
  const checked: ListParameters = isLegacyWatch
    ? { ...parameters, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
    : parameters;
  throwInvalidOptions('ListOptions', checked.watch ? checkWatchOptions(checked) : checkListOptions(checked));
  return checked;
}

/** Reads and checks the options of a list, watch or deletecollection. Throws 400 and 422. */
export function readListParameters(query: URLSearchParams, forceWatch = false): ListParameters {
  return checkListParameters({
    watch: forceWatch || (readBoolean(query, 'watch') ?? false),
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: Math.max(readInteger(query, 'limit') ?? 0, 0),
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    sendInitialEvents: readBoolean(query, 'sendInitialEvents'),
    allowWatchBookmarks: readBoolean(query, 'allowWatchBookmarks') ?? false,
    timeoutSeconds: Math.min(Math.max(readInteger(query, 'timeoutSeconds') ?? 0, -1), MAX_TIMEOUT_SECONDS),
  });
}

/** Reads a deletion's options off a query, for a request without a body. Throws 400. */
export function readDeleteOptions(query: URLSearchParams): DeleteOptions {
  const gracePeriodSeconds = readInteger(query, 'gracePeriodSeconds');
  const orphanDependents = readBoolean(query, 'orphanDependents');
  const propagationPolicy = query.get('propagationPolicy');
  const dryRun = query.getAll('dryRun');
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === null ? {} : { propagationPolicy }),
    ...(dryRun.length === 0 ? {} : { dryRun }),
  };
}

/** Checks a deletion's options. Throws 422 with Kubernetes' wording. */
export function checkDeleteOptions(options: DeleteOptions): void {
  throwInvalidOptions('DeleteOptions', validateDeleteOptions(options));
}
