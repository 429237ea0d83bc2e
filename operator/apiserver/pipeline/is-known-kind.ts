import type { KindRegistry } from '../../../kinds/registry.ts';

/** Kinds that Kubernetes knows in every version of every group. */
const COMMON_KINDS: ReadonlySet<string> = new Set([
  'WatchEvent',
  ...['CreateOptions', 'DeleteOptions', 'GetOptions', 'ListOptions', 'PatchOptions', 'UpdateOptions'],
]);
/** And those of `v1`. */
const CORE_KINDS: ReadonlySet<string> = new Set([
  ...['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'List', 'RangeAllocation', 'Status'],
]);
const LIST = 'List';

/** Whether a kind, the list of one or a kind of the protocol has this name, which decides on the wording where another is expected. */
export function isKnownKind(registry: KindRegistry, group: string, version: string, kind: string): boolean {
  if (registry.findByKind(group, version, kind) !== undefined) return true;
  if (group === '' && version === 'v1' && CORE_KINDS.has(kind)) return true;
  if (kind.endsWith(LIST) && registry.findByKind(group, version, kind.slice(0, -LIST.length)) !== undefined)
    return true;
  return (
    COMMON_KINDS.has(kind) && registry.kinds.some((served) => served.group === group && served.version === version)
  );
}
