import { formatApiVersion } from '../../core/meta/resource-name.ts';
import type { KindRegistry, RegisteredKind } from '../../kinds/registry.ts';
import type { HostRenaming } from '../../platform/resources/host-groups.ts';
import type { RequestInfo } from '../apiserver/request-info.ts';
import { splitPath } from '../apiserver/split-path.ts';
import { isPolicyKind } from './own-kinds.ts';

/** What a request about one of our own kinds becomes on the host. */
export interface OwnRoute {
  readonly kind: RegisteredKind;
  /** Group and version as the client names them. */
  readonly apiVersion: string;
  /** Group and version of the custom resource. */
  readonly hostApiVersion: string;
  /** Path on the host, encoded, without the query. */
  readonly hostPath: string;
  /** Whether both differ. */
  readonly renaming: HostRenaming | undefined;
}

/** The group of a path replaced; what follows it stays as it is written. */
function replaceGroup(path: string, group: string, version: string, hostGroup: string): string {
  const prefix = group === '' ? `/api/${version}/` : `/apis/${group}/${version}/`;
  if (path.startsWith(prefix)) return `/apis/${hostGroup}/${version}/${path.slice(prefix.length)}`;
  // Escapes where none are needed, or slashes twice: the same path in its plain form.
  const rest = splitPath(decodeURIComponent(path)).slice(group === '' ? 2 : 3);
  return `/apis/${hostGroup}/${version}/${rest.map(encodeURIComponent).join('/')}`;
}

/** How a request about one of our kinds is forwarded, under its own name or its alias; `undefined` for every other request. */
export function findOwnRoute(registry: KindRegistry, info: RequestInfo, path: string): OwnRoute | undefined {
  if (!info.isResourceRequest) return undefined;
  if (info.apiPrefix === 'api' ? info.apiGroup !== '' : info.apiGroup === '') return undefined;
  const kind = registry.find(info.apiGroup, info.apiVersion, info.resource);
  if (kind === undefined || !isPolicyKind(kind)) return undefined;
  const apiVersion = formatApiVersion(info.apiGroup, kind.version);
  const hostGroup = kind.aliasGroup ?? kind.group;
  if (hostGroup === info.apiGroup) {
    return { kind, apiVersion, hostApiVersion: apiVersion, hostPath: path, renaming: undefined };
  }
  const hostApiVersion = formatApiVersion(hostGroup, kind.version);
  return {
    kind,
    apiVersion,
    hostApiVersion,
    hostPath: replaceGroup(path, info.apiGroup, info.apiVersion, hostGroup),
    renaming: {
      kind,
      resource: { group: hostGroup, version: kind.version, resource: kind.plural },
      ownApiVersion: apiVersion,
      hostApiVersion,
    },
  };
}
