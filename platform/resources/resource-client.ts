import type { KubeObject, ListMeta } from '../../core/meta/kube-object.ts';
import type { ResourceName } from '../../core/meta/resource-name.ts';
import type { JsonValue } from '../../core/meta/json.ts';

/** Which object: `namespace` is absent for cluster-scoped kinds. */
export interface ObjectReference {
  readonly resource: ResourceName;
  readonly namespace?: string;
  readonly name: string;
}

/** Which objects: an absent `namespace` means all of them. */
export interface CollectionReference {
  readonly resource: ResourceName;
  readonly namespace?: string;
}

export interface GetOptions {
  /** Not older than this; absent means the newest. */
  readonly resourceVersion?: string;
}

export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
}

export interface WatchOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
}

export interface WriteOptions {
  readonly dryRun?: readonly string[];
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
}

export interface PatchOptions extends WriteOptions {
  /** Server-side apply only: take over fields that others own. */
  readonly force?: boolean;
}

/** Kubernetes' DeleteOptions. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml';

export interface ObjectList<T extends KubeObject = KubeObject> {
  readonly metadata: ListMeta;
  readonly items: T[];
}

/**
 * A change as a client sees it. `BOOKMARK` carries only a resourceVersion; an expired watch throws a StatusError (410). A watch may end at
 * any time, as it does when the connection is lost: whoever wants more begins another where it ended.
 */
export interface WatchEvent<T extends KubeObject = KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

/**
 * The verbs as a client sees them: the one seam between what decides and where objects live. Embedded, the API service's
 * pipeline implements it; on a cluster the host does. Every refusal is a StatusError. Controllers and admission know only this.
 * `subresource` is `status`, `scale` … and absent for the object itself.
 */
export interface ResourceClient {
  get<T extends KubeObject = KubeObject>(
    reference: ObjectReference,
    options?: GetOptions,
    subresource?: string,
  ): Promise<T>;
  list<T extends KubeObject = KubeObject>(
    reference: CollectionReference,
    options?: ListOptions,
  ): Promise<ObjectList<T>>;
  watch<T extends KubeObject = KubeObject>(
    reference: CollectionReference,
    options?: WatchOptions,
  ): AsyncIterable<WatchEvent<T>>;
  create<T extends KubeObject = KubeObject>(
    reference: CollectionReference,
    object: T,
    options?: WriteOptions,
  ): Promise<T>;
  update<T extends KubeObject = KubeObject>(
    reference: ObjectReference,
    object: T,
    options?: WriteOptions,
    subresource?: string,
  ): Promise<T>;
  patch<T extends KubeObject = KubeObject>(
    reference: ObjectReference,
    patchType: PatchType,
    patch: JsonValue,
    options?: PatchOptions,
    subresource?: string,
  ): Promise<T>;
  /**
   * The object as it is now when finalizers or a grace period hold it; else as it was last, or, where the source tells no more, its type,
   * name, namespace and uid alone.
   */
  delete<T extends KubeObject = KubeObject>(reference: ObjectReference, options?: DeleteOptions): Promise<T>;
  deleteCollection(reference: CollectionReference, list?: ListOptions, options?: DeleteOptions): Promise<void>;
}
