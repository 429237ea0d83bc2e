import type { AdmissionPlugin } from '../../../admission/admission-plugin.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import type { WriteStrategy } from '../../../kinds/kind-definition.ts';
import type { KindRegistry, RegisteredKind } from '../../../kinds/registry.ts';
import type { ObjectReference, ResourceClient } from '../../../platform/resources/resource-client.ts';
import type { ObjectStore } from '../../../platform/store/object-store.ts';
import type { ConnectHandler, HeldKindHandler } from '../held-kind-handler.ts';
import type { RequestInfo } from '../request-info.ts';
import type { CreateHandler, DeletionHold, SubresourceHandler, UpdateHandler } from '../subresource-handler.ts';
import { AdmissionChain } from './admission-chain.ts';
import { PipelineClient } from './pipeline-client.ts';
import type { PipelineServices } from './pipeline-services.ts';
import type { RequestContext } from './request-context.ts';
import { makeKey, type ResourceTarget } from './resource-target.ts';
import { decodeAs } from './stored-encoding.ts';

export interface EmbeddedResourcesOptions {
  readonly store: ObjectStore;
  readonly registry: KindRegistry;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether a garbage collector runs beside it; absent means false. */
  readonly collectsGarbage?: boolean;
}

/** What is plugged into the pipeline once the parts that need its clients exist. */
export interface PipelineExtensions {
  /** In order: all mutating steps run first, then all validating ones, then all reserving ones. */
  readonly plugins?: readonly AdmissionPlugin[];
  readonly handlers?: readonly SubresourceHandler[];
  readonly deletionHolds?: readonly DeletionHold[];
}

interface FoundObject {
  readonly revision: number;
  readonly kind: RegisteredKind;
  readonly object: KubeObject;
}

const MAX_FOUND = 256;

/**
 * The verbs over the embedded store. Construct it first; build authenticators, authorizers and plugins over
 * `clientFor`; then `install` them, and hand it to `buildApiService`.
 */
export class EmbeddedResources {
  readonly services: PipelineServices;
  readonly #admission = new AdmissionChain();
  readonly #handlers = new Map<string, SubresourceHandler>();
  /** What was found last, by key: the same few are asked for with every write. */
  readonly #found = new Map<string, FoundObject>();
  readonly #deletionHolds = new Map<string, DeletionHold>();

  constructor(options: EmbeddedResourcesOptions) {
    this.services = {
      store: options.store,
      registry: options.registry,
      now: options.now,
      admission: this.#admission,
      deletionHolds: this.#deletionHolds,
      collectsGarbage: options.collectsGarbage ?? false,
    };
  }

  /** Adds to what is installed already. Throws when two handlers serve the same. */
  install(extensions: PipelineExtensions): void {
    this.#admission.add(extensions.plugins ?? []);
    for (const handler of extensions.handlers ?? []) {
      const { group, version, resource, subresource } = handler.target;
      const key = `${group}/${version}/${resource}/${subresource ?? ''}`;
      if (this.#handlers.has(key)) throw new Error(`two handlers serve ${key}`);
      this.#handlers.set(key, handler);
    }
    for (const hold of extensions.deletionHolds ?? []) this.#deletionHolds.set(`${hold.group}/${hold.resource}`, hold);
  }

  /** The verbs in the name of `user`, without authorization; `userAgent` names the default field manager. */
  clientFor(user: UserInfo, userAgent = 'bailiwick'): ResourceClient {
    return this.clientWith({ user, userAgent, warn: () => undefined, annotate: () => undefined });
  }

  /**
   * An object with the writes that are not yet durable, which may be shared and must not be changed; `undefined` when there is none.
   * Throws for a kind that is not served.
   */
  findLatest(reference: ObjectReference): KubeObject | undefined {
    const { group, version, resource } = reference.resource;
    const kind = this.services.registry.find(group, version, resource);
    if (kind === undefined) throw new Error(`there is no kind with the plural ${resource}`);
    const key = makeKey(kind, reference.namespace, reference.name);
    const stored = this.services.store.getLatest(key);
    if (stored === undefined) return undefined;
    const known = this.#found.get(key);
    if (known?.revision === stored.revision && known.kind === kind) return known.object;
    const found = { revision: stored.revision, kind, object: decodeAs(kind, stored.value) };
    if (this.#found.size >= MAX_FOUND) this.#found.clear();
    this.#found.set(key, found);
    return found.object;
  }

  /** The verbs for one request, whose warnings go to its answer. */
  clientWith(context: RequestContext): ResourceClient {
    return new PipelineClient(this.services, context, (target, subresource) =>
      this.findStrategy(target, subresource, context),
    );
  }

  listHandlers(): SubresourceHandler[] {
    return [...this.#handlers.values()];
  }

  #findHandler(target: ResourceTarget, subresource: string | undefined): SubresourceHandler | undefined {
    const { group, version, plural } = target.kind;
    return this.#handlers.get(`${group}/${version}/${plural}/${subresource ?? ''}`);
  }

  /** Who answers for a kind whose objects are not stored; `undefined` for the others. */
  findHeldKindHandler(target: ResourceTarget): HeldKindHandler | undefined {
    const handler = this.#findHandler(target, undefined);
    return handler?.type === 'held' ? handler : undefined;
  }

  /** Who passes a request on, whose parent may be no kind of the group; `undefined` for requests that are served here. */
  findConnectHandler({ apiGroup, apiVersion, resource, subresource }: RequestInfo): ConnectHandler | undefined {
    if (subresource === '') return undefined;
    const handler = this.#handlers.get(`${apiGroup}/${apiVersion}/${resource}/${subresource}`);
    return handler?.type === 'connect' ? handler : undefined;
  }

  /** Who serves POST on a subresource or a create-only kind; `undefined` when nobody does. */
  findCreateHandler(target: ResourceTarget, subresource: string | undefined): CreateHandler | undefined {
    const handler = this.#findHandler(target, subresource);
    return handler?.type === 'create' ? handler : undefined;
  }

  /** Who serves GET, PUT and PATCH on a subresource that is neither status nor scale; `undefined` when nobody does. */
  findUpdateHandler(target: ResourceTarget, subresource: string): UpdateHandler | undefined {
    const handler = this.#findHandler(target, subresource);
    return handler?.type === 'update' ? handler : undefined;
  }

  /** How the object, or a subresource that shows it whole, is written; `undefined` when there is no such subresource. */
  findStrategy(
    target: ResourceTarget,
    subresource: string | undefined,
    context: RequestContext,
  ): WriteStrategy<KubeObject> | undefined {
    if (subresource === undefined) return target.kind.strategy;
    const handler = this.findUpdateHandler(target, subresource);
    if (handler !== undefined) return handler.strategyFor(context.user);
    return subresource === 'status' ? target.kind.strategy.status : undefined;
  }
}
