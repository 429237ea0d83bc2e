import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import type { StructuralSchema } from '../../core/schema/structural-schema.ts';
import type { WriteStrategy } from '../../kinds/kind-definition.ts';
import type { RegisteredKind } from '../../kinds/registry.ts';
import type { DeleteOptions, ResourceClient } from '../../platform/resources/resource-client.ts';
import type { HandlerTarget } from './handler-target.ts';
import type { ConnectHandler, HeldKindHandler } from './held-kind-handler.ts';

/** One POST to a subresource or a create-only kind; authenticated, authorized, decoded against the handler's schema. */
export interface SubresourceRequest {
  /** The parent kind, or the create-only kind itself. */
  readonly kind: RegisteredKind;
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  /** Name in the URL; empty for create-only kinds. */
  readonly name: string;
  /** The decoded body: apiVersion, kind and metadata are present. The handler may change it. */
  readonly body: KubeObject & JsonObject;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly fieldManager: string;
}

/** What a handler may use of the pipeline. */
export interface SubresourceContext {
  /** The verbs in the name of the requesting user (attribution and admission; authorization is not repeated). */
  readonly client: ResourceClient;
  /** Adds a `Warning` header. */
  warn(text: string): void;
  /**
   * Reads the parent object, lets `change` alter a copy, and stores it; repeated when another write came in between.
   * No strategy and no validation run: the handler decides what is right, and throws a StatusError from `change` to refuse.
   * Admission is not run. A dry run stores nothing. Throws a 404 StatusError when the parent does not exist.
   */
  updateParent(change: (object: KubeObject & JsonObject) => void): Promise<KubeObject & JsonObject>;
  /**
   * Deletes the parent object; admission is not run. `options` say themselves whether it is a dry run. Throws a 404 StatusError when the
   * parent does not exist, and a 409 StatusError when it does not meet the preconditions.
   */
  deleteParent(options: DeleteOptions): Promise<void>;
  /**
   * Runs the mutating and validating admission plugins for the body, as a CREATE of this subresource. Handlers of
   * subresources call it once they know that the parent exists; for create-only kinds the pipeline has run it already.
   */
  admit(body: KubeObject): Promise<void>;
}

/** Answer of a handler: an object of any kind (`apiVersion` and `kind` set), and the HTTP code. */
export interface SubresourceAnswer {
  /** 201 for most; 200 or 202 where Kubernetes has it. */
  readonly code: number;
  readonly object: JsonObject;
}

/** Serves POST on a subresource (`pods/binding`, `pods/eviction`, `serviceaccounts/token`) or on a create-only kind. */
export interface CreateHandler {
  readonly type: 'create';
  readonly target: HandlerTarget;
  /** apiVersion and kind of the body, for decoding and for discovery. */
  readonly bodyApiVersion: string;
  readonly bodyKind: string;
  /** Other apiVersions of the same structure that a body may bear; it is handled as one of `bodyApiVersion`. */
  readonly olderBodyApiVersions?: readonly string[];
  /** Structure of the body; absent for create-only kinds (their definition has it). */
  readonly bodySchema?: StructuralSchema;
  /**
   * For a create-only kind that changes an object of another kind, found by the name in the body (`bindings` change a Pod):
   * plural of that kind, in the same group and version. Absent means that there is none, or the parent of the subresource.
   */
  readonly parentResource?: string;
  /** Fills defaults into the decoded body. */
  applyDefaults?(body: KubeObject & JsonObject): void;
  handle(request: SubresourceRequest, context: SubresourceContext): Promise<SubresourceAnswer>;
}

/**
 * Serves GET, PUT and PATCH of the whole object under a subresource with a strategy of its own, in the manner of `/status`
 * (`certificatesigningrequests/approval`, `namespaces/finalize`, `pods/ephemeralcontainers`, `pods/resize`).
 */
export interface UpdateHandler {
  readonly type: 'update';
  readonly target: HandlerTarget;
  /** Verbs served; absent means get, update and patch. */
  readonly verbs?: readonly ('get' | 'update' | 'patch')[];
  strategyFor(user: UserInfo): WriteStrategy<KubeObject>;
}

/** A handler of a subresource, or of a kind that is not stored; given to `buildApiService` in `handlers`. */
export type SubresourceHandler = CreateHandler | UpdateHandler | HeldKindHandler | ConnectHandler;

/**
 * A kind whose deletion waits for more than `metadata.finalizers` (a Namespace waits for `spec.finalizers`).
 * Given to `buildApiService` in `deletionHolds`.
 */
export interface DeletionHold {
  readonly group: string;
  readonly resource: string;
  /** Whether something besides metadata holds the object, so that a deletion only marks it. */
  isHeld(object: KubeObject & JsonObject): boolean;
  /** Changes the object in place when a deletion marks it (a Namespace gets the phase Terminating). */
  mark(object: KubeObject & JsonObject): void;
}
