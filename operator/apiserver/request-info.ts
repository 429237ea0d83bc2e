import { findExactValue, parseFieldQuery } from '../../core/selectors/field-query.ts';
import { splitPath } from './split-path.ts';

/** Verbs of requests as authorization sees them; a request outside the resource paths has its lower-cased method. */
export type RequestVerb =
  'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'proxy' | (string & {});

/** What a request is about, read from method, path and query in the manner of Kubernetes' RequestInfo. */
export interface RequestInfo {
  /** Whether the path names a resource; the fields below it are empty otherwise. */
  readonly isResourceRequest: boolean;
  readonly path: string;
  readonly verb: RequestVerb;
  readonly apiPrefix: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  /** Empty for cluster-scoped resources and lists over all namespaces. For a Namespace object: its own name. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Path segments from the resource on. */
  readonly parts: readonly string[];
  /** For list, watch and deletecollection: the selectors of the query, for authorizers that look at them. */
  readonly fieldSelector: string;
  readonly labelSelector: string;
  /** Why nothing can be told from the path; absent where something can. */
  readonly fault?: string;
}

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);
const SPECIAL_VERBS = new Set(['proxy', 'watch']);
const SPECIAL_VERBS_WITHOUT_SUBRESOURCES = new Set(['proxy']);

/** Reads `metadata.name=x` out of a field selector, alone or among others; `undefined` when it names no single object. */
function findNameInFieldSelector(fieldSelector: string): string | undefined {
  // The list reads its selector by the same parser: what is authorized is what is shown.
  const query = parseFieldQuery(fieldSelector);
  const name = 'fault' in query ? undefined : findExactValue(query, 'metadata.name');
  return name === undefined || name === '.' || name === '..' || /[/%]/.test(name) ? undefined : name;
}

function readVerb(method: string): RequestVerb {
  switch (method) {
    case 'POST':
      return 'create';
    case 'GET':
    case 'HEAD':
      return 'get';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return 'delete';
    default:
      return '';
  }
}

/** Tells whether a boolean query parameter is set, by Kubernetes' conversion: present and neither `false` nor `0`. */
function readQueryFlag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}

/** Reads what a request is about. `path` is decoded, without the query. Never throws. */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const none = {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiPrefix: '',
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [] as string[],
    fieldSelector: '',
    labelSelector: '',
  };
  let parts = splitPath(path);
  if (parts.length < 3) return none;
  const apiPrefix = parts[0] ?? '';
  if (apiPrefix !== 'api' && apiPrefix !== 'apis') return none;
  parts = parts.slice(1);
  let apiGroup = '';
  if (apiPrefix === 'apis') {
    if (parts.length < 3) return { ...none, apiPrefix };
    apiGroup = parts[0] ?? '';
    parts = parts.slice(1);
  }
  const apiVersion = parts[0] ?? '';
  parts = parts.slice(1);

  let verb = readVerb(method);
  const first = parts[0] ?? '';
  const special = SPECIAL_VERBS.has(first);
  if (special) {
    if (parts.length < 2) {
      return {
        ...none,
        fault: `failed to create RequestInfo: unable to determine kind and namespace from url, ${path}`,
      };
    }
    verb = first;
    parts = parts.slice(1);
  }

  let namespace = '';
  if (parts[0] === 'namespaces') {
    if (parts.length > 1) {
      namespace = parts[1] ?? '';
      if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] ?? '')) parts = parts.slice(2);
    }
  }
  const resource = parts[0] ?? '';
  let name = parts.length >= 2 ? (parts[1] ?? '') : '';
  const subresource =
    parts.length >= 3 && !(special && SPECIAL_VERBS_WITHOUT_SUBRESOURCES.has(first)) ? (parts[2] ?? '') : '';

  let fieldSelector = '';
  let labelSelector = '';
  if (name === '' && verb === 'get') {
    verb = readQueryFlag(query, 'watch') ? 'watch' : 'list';
    name = findNameInFieldSelector(query.get('fieldSelector') ?? '') ?? '';
  }
  if (verb === 'delete' && name === '') verb = 'deletecollection';
  if (verb === 'list' || verb === 'watch' || verb === 'deletecollection') {
    fieldSelector = query.get('fieldSelector') ?? '';
    labelSelector = query.get('labelSelector') ?? '';
  }
  return {
    isResourceRequest: true,
    path,
    verb,
    apiPrefix,
    apiGroup,
    apiVersion,
    namespace,
    resource,
    subresource,
    name,
    parts,
    fieldSelector,
    labelSelector,
  };
}
