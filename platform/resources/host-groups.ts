import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../core/meta/json.ts';
import { formatApiVersion, type ResourceName } from '../../core/meta/resource-name.ts';
import type { KindRegistry, RegisteredKind } from '../../kinds/registry.ts';

/** How one of our resources is called on a host, where its own name would mean the host's built-in one. */
export interface HostRenaming {
  readonly kind: RegisteredKind;
  /** Name on the host. */
  readonly resource: ResourceName;
  /** apiVersion as the specification has it. */
  readonly ownApiVersion: string;
  /** apiVersion of the custom resource. */
  readonly hostApiVersion: string;
}

function makeRenaming(kind: RegisteredKind): HostRenaming | undefined {
  if (kind.aliasGroup === undefined) return undefined;
  return {
    kind,
    resource: { group: kind.aliasGroup, version: kind.version, resource: kind.plural },
    ownApiVersion: kind.apiVersion,
    hostApiVersion: formatApiVersion(kind.aliasGroup, kind.version),
  };
}

/** How requests for `resource` are renamed; `undefined` when they go as they are, as those under the host's own name do. */
export function findHostRenaming(registry: KindRegistry, resource: ResourceName): HostRenaming | undefined {
  const kind = registry.find(resource.group, resource.version, resource.resource);
  return kind === undefined || resource.group !== kind.group ? undefined : makeRenaming(kind);
}

/** The apiVersion that a reference to an object must have on the host (ownerReferences, Events); the given one for every other kind. */
export function findHostApiVersion(registry: KindRegistry, apiVersion: string, kindName: string): string {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const kind = registry.findByKind(group, apiVersion.slice(slash + 1), kindName);
  const renaming = kind === undefined || kind.group !== group ? undefined : makeRenaming(kind);
  return renaming?.hostApiVersion ?? apiVersion;
}

function renameManagers(metadata: JsonObject, from: string, to: string): JsonObject {
  const entries = getOwn(metadata, 'managedFields');
  if (!Array.isArray(entries)) return metadata;
  return {
    ...metadata,
    managedFields: entries.map((entry) =>
      isJsonObject(entry) && entry['apiVersion'] === from ? { ...entry, apiVersion: to } : entry,
    ),
  };
}

function renameOperation(operation: JsonValue, { ownApiVersion, hostApiVersion }: HostRenaming): JsonValue {
  return isJsonObject(operation) && operation['path'] === '/apiVersion' && operation['value'] === ownApiVersion
    ? { ...operation, value: hostApiVersion }
    : operation;
}

/**
 * A body as the host must get it: an object, a list of them, a merge or apply patch, or a JSON patch. What changes is copied,
 * the rest is shared; bodies of other kinds (DeleteOptions) come back as they are.
 */
export function renameToHost(renaming: HostRenaming, body: JsonValue): JsonValue {
  if (Array.isArray(body)) return body.map((operation) => renameOperation(operation, renaming));
  if (!isJsonObject(body)) return body;
  const { ownApiVersion, hostApiVersion } = renaming;
  const renamed = { ...body };
  if (getOwn(body, 'apiVersion') === ownApiVersion) {
    const kind = getOwn(body, 'kind');
    // Scale, DeleteOptions and the like have an apiVersion of their own, which may read the same.
    if (kind !== undefined && kind !== renaming.kind.kind && kind !== `${renaming.kind.kind}List`) return body;
    renamed['apiVersion'] = hostApiVersion;
  }
  const metadata = getOwn(body, 'metadata');
  if (isJsonObject(metadata)) renamed['metadata'] = renameManagers(metadata, ownApiVersion, hostApiVersion);
  const items = getOwn(body, 'items');
  if (Array.isArray(items)) renamed['items'] = items.map((item) => renameToHost(renaming, item));
  return renamed;
}

const escaped = /[.*+?^${}()|[\]\\]/g;
const messagePatterns = new WeakMap<RegisteredKind, RegExp>();

/** Finds `resourcequotas.core.example.com` outside of quotes, where a message says what it is about. */
function findMessagePattern({ kind, resource }: HostRenaming): RegExp {
  let pattern = messagePatterns.get(kind);
  if (pattern === undefined) {
    const group = resource.group.replace(escaped, '\\$&');
    pattern = new RegExp(`(?<![\\w."/-])(${kind.plural}|${kind.kind})\\.${group}(?![\\w."/-])`, 'g');
    messagePatterns.set(kind, pattern);
  }
  return pattern;
}

function renameStatus(renaming: HostRenaming, status: JsonObject): void {
  const { group } = renaming.kind;
  const { message, details } = status;
  if (typeof message === 'string') {
    const suffix = group === '' ? '' : `.${group}`;
    status['message'] = message.replace(findMessagePattern(renaming), (_match, name: string) => `${name}${suffix}`);
  }
  if (!isJsonObject(details) || details['group'] !== renaming.resource.group) return;
  if (group === '') delete details['group'];
  else details['group'] = group;
}

function renameRows(renaming: HostRenaming, rows: JsonValue[]): void {
  for (const row of rows) if (isJsonObject(row)) renameFromHost(renaming, row['object'] ?? null);
}

/**
 * An answer of the host as its reader must see it, changed in place and returned: an object, a list, a Table, a watch event or a
 * Status (the group in its details and its message). Owner references keep the host's names: its garbage collector reads them.
 */
export function renameFromHost(renaming: HostRenaming, body: JsonValue): JsonValue {
  if (!isJsonObject(body)) return body;
  const { ownApiVersion, hostApiVersion } = renaming;
  const { kind, items, rows, metadata, object, type } = body;
  if (kind === 'Status' && body['apiVersion'] === 'v1') {
    renameStatus(renaming, body);
    return body;
  }
  if (kind === undefined && typeof type === 'string' && isJsonObject(object)) {
    renameFromHost(renaming, object);
    return body;
  }
  if (body['apiVersion'] === hostApiVersion) body['apiVersion'] = ownApiVersion;
  if (isJsonObject(metadata) && Array.isArray(metadata['managedFields'])) {
    for (const entry of metadata['managedFields']) {
      if (isJsonObject(entry) && entry['apiVersion'] === hostApiVersion) entry['apiVersion'] = ownApiVersion;
    }
  }
  if (Array.isArray(items)) for (const item of items) renameFromHost(renaming, item);
  if (kind === 'Table' && Array.isArray(rows)) renameRows(renaming, rows);
  return body;
}
