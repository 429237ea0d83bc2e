import type { ConnectHandler } from '../held-kind-handler.ts';
import type { DiscoveredResource } from './list-resources.ts';
import type { ServedKind } from './list-served-kinds.ts';
import type { OperationParameter } from './operation-parameter.ts';

/** One operation, in no OpenAPI version yet. Bodies and answers are names of schemas. */
export interface Operation {
  readonly path: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly action: string;
  readonly operationId: string;
  /** Group and version, as in `networking_v1`. */
  readonly tag: string;
  readonly description: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly parameters: readonly OperationParameter[];
  readonly body?: { readonly schema: string; readonly required: boolean; readonly mediaTypes: readonly string[] };
  readonly answers: readonly { readonly code: number; readonly schema: string }[];
}

const PATCH_MEDIA_TYPES = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];
/** Nothing tells how lists of kinds that users define would be merged strategically. */
const DEFINED_PATCH_MEDIA_TYPES = PATCH_MEDIA_TYPES.filter((type) => !type.includes('strategic'));
const BODY_MEDIA_TYPES = ['*/*'];
const CODE_TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  401: 'Unauthorized',
};

/** Description of an answer. */
export function describeCode(code: number): string {
  return CODE_TEXTS[code] ?? String(code);
}

function query(name: string, type: OperationParameter['type'], description: string): OperationParameter {
  return { name, in: 'query', description, type };
}

const PRETTY = query('pretty', 'string', "If 'true', then the output is pretty printed.");
const DRY_RUN = query('dryRun', 'string', '`All` runs the request without storing what it changes.');
const FIELD_MANAGER = query(
  'fieldManager',
  'string',
  'Name under which the fields that the request sets are recorded.',
);
const FIELD_VALIDATION = query(
  'fieldValidation',
  'string',
  'What unknown and duplicate fields lead to: Ignore, Warn (usual) or Strict.',
);
const FORCE = query('force', 'boolean', 'Takes over fields that other managers own. Only for apply patches.');
const SELECTORS = [
  query('fieldSelector', 'string', 'Restricts the objects by their fields.'),
  query('labelSelector', 'string', 'Restricts the objects by their labels.'),
];
const LIST = [
  query('allowWatchBookmarks', 'boolean', 'Asks for BOOKMARK events in a watch.'),
  query('continue', 'string', 'Token of the page before.'),
  ...SELECTORS,
  query('limit', 'integer', 'Most items of a page.'),
  query('resourceVersion', 'string', 'Version that the answer starts from.'),
  query('resourceVersionMatch', 'string', 'How the version is meant: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'Begins a watch with the state there is.'),
  query('timeoutSeconds', 'integer', 'How long the request may last.'),
  query('watch', 'boolean', 'Answers changes as a stream of events.'),
];
const DELETE = [
  DRY_RUN,
  query('gracePeriodSeconds', 'integer', 'Seconds until the object is gone; 0 means at once.'),
  query('orphanDependents', 'boolean', 'Whether dependents stay. Use propagationPolicy.'),
  query('propagationPolicy', 'string', 'Orphan, Background or Foreground.'),
];
const DELETE_COLLECTION = [...LIST.filter(({ name }) => name !== 'watch' && name !== 'allowWatchBookmarks'), ...DELETE];
const WRITE = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];
const NAMESPACE: OperationParameter = { name: 'namespace', in: 'path', description: 'Namespace.', type: 'string' };

/** Names of the schemas that a kind's operations use. */
export interface OperationSchemas {
  readonly own: string;
  readonly list: string;
  readonly patch: string;
  readonly status: string;
  readonly deleteOptions: string;
  /** Schema of a subresource's body and answer. */
  subresource(resource: DiscoveredResource): string;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `CoreV1`, `NetworkingV1`, as in operation ids; an alias, or a group of users, by its whole name, `CoreBailiwickDevV1`. */
function nameGroupVersion(kind: ServedKind): string {
  return [...listGroupWords(kind), ...kind.version.split(NO_LETTERS)].map(capitalize).join('');
}

/** `core_v1`, `rbacAuthorization_v1`. */
function makeTag(kind: ServedKind): string {
  const [first = '', ...others] = listGroupWords(kind);
  return `${first}${others.map(capitalize).join('')}_${kind.version}`;
}

const NO_LETTERS = /[^\p{L}\p{Nd}_]+/u;

/** The parts of a group's name; those that all groups of Kubernetes, or of the installation, have in common are left out. */
function listGroupWords({ group, groupTemplate, isAlias }: ServedKind): string[] {
  if (group === '') return ['core'];
  return (isAlias ? group : groupTemplate.replace(/\.(?:k8s\.io|\{domain\})$/, '')).split(NO_LETTERS);
}

/** The operations of a kind and its subresources. */
export function listOperations(
  kind: ServedKind,
  resources: readonly DiscoveredResource[],
  schemas: OperationSchemas,
): Operation[] {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const collection = kind.namespaced ? `${root}/namespaces/{namespace}/${kind.plural}` : `${root}/${kind.plural}`;
  const scope = kind.namespaced ? [NAMESPACE] : [];
  const name: OperationParameter = {
    name: 'name',
    in: 'path',
    description: `Name of the ${kind.kind}.`,
    type: 'string',
  };
  const suffix = nameGroupVersion(kind) + (kind.namespaced ? 'Namespaced' : '') + kind.kind;
  const groupVersionKind = { group: kind.group, version: kind.version, kind: kind.kind };
  const serves = (verb: NonNullable<ServedKind['verbs']>[number]): boolean => kind.verbs?.includes(verb) ?? true;
  const operations: Operation[] = [];
  const tag = makeTag(kind);
  const add = (
    operation: Pick<Operation, 'method' | 'action' | 'description' | 'answers' | 'path' | 'operationId'> &
      Partial<Pick<Operation, 'body' | 'kind'>> & { readonly query: readonly OperationParameter[] },
  ): void => {
    const { query: own, ...rest } = operation;
    const path = rest.path.includes('{name}') ? [name] : [];
    const inScope = rest.path.includes('{namespace}') ? scope : [];
    operations.push({ kind: groupVersionKind, tag, ...rest, parameters: [...path, ...inScope, PRETTY, ...own] });
  };
  const body = { schema: schemas.own, required: true, mediaTypes: BODY_MEDIA_TYPES };
  const optional = { schema: schemas.deleteOptions, required: false, mediaTypes: BODY_MEDIA_TYPES };
  const patchTypes = kind.definedBy === undefined ? PATCH_MEDIA_TYPES : DEFINED_PATCH_MEDIA_TYPES;
  const patchBody = { schema: schemas.patch, required: true, mediaTypes: patchTypes };
  const answers = (schema: string, ...codes: number[]) => codes.map((code) => ({ code, schema }));
  const item = `${collection}/{name}`;

  if (serves('list')) {
    const description = `list or watch objects of kind ${kind.kind}`;
    const listed = {
      method: 'get',
      action: 'list',
      description,
      query: LIST,
      answers: answers(schemas.list, 200),
    } as const;
    add({ ...listed, path: collection, operationId: `list${suffix}` });
    if (kind.namespaced) {
      const operationId = `list${nameGroupVersion(kind)}${kind.kind}ForAllNamespaces`;
      add({ ...listed, path: `${root}/${kind.plural}`, operationId });
    }
  }
  if (serves('create')) {
    const description = `create a ${kind.kind}`;
    const created = answers(schemas.own, 200, 201, 202);
    add({
      path: collection,
      method: 'post',
      action: 'post',
      operationId: `create${suffix}`,
      description,
      query: WRITE,
      body,
      answers: created,
    });
  }
  if (serves('deletecollection')) {
    const description = `delete collection of ${kind.kind}`;
    const operationId = `delete${suffix.replace(kind.kind, `Collection${kind.kind}`)}`;
    add({
      path: collection,
      method: 'delete',
      action: 'deletecollection',
      operationId,
      description,
      query: DELETE_COLLECTION,
      body: optional,
      answers: answers(schemas.status, 200),
    });
  }
  if (serves('get')) {
    const description = `read the specified ${kind.kind}`;
    add({
      path: item,
      method: 'get',
      action: 'get',
      operationId: `read${suffix}`,
      description,
      query: [],
      answers: answers(schemas.own, 200),
    });
  }
  if (serves('update')) {
    const description = `replace the specified ${kind.kind}`;
    add({
      path: item,
      method: 'put',
      action: 'put',
      operationId: `replace${suffix}`,
      description,
      query: WRITE,
      body,
      answers: answers(schemas.own, 200, 201),
    });
  }
  if (serves('patch')) {
    const description = `partially update the specified ${kind.kind}`;
    add({
      path: item,
      method: 'patch',
      action: 'patch',
      operationId: `patch${suffix}`,
      description,
      query: [...WRITE, FORCE],
      body: patchBody,
      answers: answers(schemas.own, 200, 201),
    });
  }
  if (serves('delete')) {
    const description = `delete a ${kind.kind}`;
    const deleted = kind.returnsDeletedObject === true ? schemas.own : schemas.status;
    add({
      path: item,
      method: 'delete',
      action: 'delete',
      operationId: `delete${suffix}`,
      description,
      query: DELETE,
      body: optional,
      answers: answers(deleted, 200, 202),
    });
  }
  for (const resource of resources) {
    const [, subresource] = resource.name.split('/');
    if (subresource === undefined) continue;
    const schema = schemas.subresource(resource);
    const path = `${item}/${subresource}`;
    const of = `${subresource} of the specified ${kind.kind}`;
    const idSuffix = suffix + capitalize(subresource);
    const own = {
      kind: { group: resource.group ?? kind.group, version: resource.version ?? kind.version, kind: resource.kind },
      path,
    };
    const subBody = { ...body, schema };
    if (resource.verbs.includes('get')) {
      add({
        ...own,
        method: 'get',
        action: 'get',
        operationId: `read${idSuffix}`,
        description: `read ${of}`,
        query: [],
        answers: answers(schema, 200),
      });
    }
    if (resource.verbs.includes('update')) {
      add({
        ...own,
        method: 'put',
        action: 'put',
        operationId: `replace${idSuffix}`,
        description: `replace ${of}`,
        query: WRITE,
        body: subBody,
        answers: answers(schema, 200, 201),
      });
    }
    if (resource.verbs.includes('patch')) {
      add({
        ...own,
        method: 'patch',
        action: 'patch',
        operationId: `patch${idSuffix}`,
        description: `partially update ${of}`,
        query: [...WRITE, FORCE],
        body: patchBody,
        answers: answers(schema, 200, 201),
      });
    }
    if (resource.verbs.includes('create')) {
      add({
        ...own,
        method: 'post',
        action: 'post',
        operationId: `create${idSuffix}`,
        description: `create ${of}`,
        query: WRITE,
        body: subBody,
        answers: answers(schema, 200, 201, 202),
      });
    }
  }
  return operations;
}

/** The operation of a subresource whose requests are passed on; `own` is the schema of the kind that it answers. */
export function makeConnectOperation(kind: ServedKind, handler: ConnectHandler, own: string): Operation {
  const { target, verb, description, parameters } = handler;
  const root = `/apis/${target.group}/${target.version}`;
  const parent = target.resource === kind.plural ? kind.kind : capitalize(target.resource);
  const name: OperationParameter = { name: 'name', in: 'path', description: `Name of the ${parent}.`, type: 'string' };
  const isPost = verb === 'create';
  return {
    path: `${root}/namespaces/{namespace}/${target.resource}/{name}/${target.subresource}`,
    method: isPost ? 'post' : 'get',
    action: isPost ? 'post' : 'get',
    operationId: `${isPost ? 'create' : 'read'}${nameGroupVersion(kind)}Namespaced${parent}${capitalize(target.subresource)}`,
    tag: makeTag(kind),
    description,
    kind: { group: kind.group, version: kind.version, kind: kind.kind },
    parameters: [name, NAMESPACE, ...parameters],
    answers: [{ code: isPost ? 201 : 200, schema: own }],
  };
}
