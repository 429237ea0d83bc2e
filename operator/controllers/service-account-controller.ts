import { hasReason } from '../../core/errors/status.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { ResourceName } from '../../core/meta/resource-name.ts';
import type { WorkQueue } from '../../platform/kube/work-queue.ts';
import type { CollectionIndex } from '../../platform/resources/collection-index.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { createControllerQueue, createIndex } from './controller-parts.ts';
import type { Controller, ControllerOptions } from './controller-parts.ts';
import { isActiveNamespace, namespaceResource } from './namespace/namespace-object.ts';
import type { NamespaceObject } from './namespace/namespace-object.ts';

const serviceAccounts: ResourceName = { group: '', version: 'v1', resource: 'serviceaccounts' };
const defaultName = 'default';
const fieldManager = 'kube-controller-manager';

/** Sees to it that every active namespace has its service account `default`. */
export class ServiceAccountController implements Controller {
  readonly #client: ResourceClient;
  readonly #namespaces: CollectionIndex<NamespaceObject>;
  readonly #accounts: CollectionIndex;
  readonly #queue: WorkQueue;

  constructor(options: ControllerOptions) {
    this.#client = options.client;
    this.#namespaces = createIndex<NamespaceObject>(options, namespaceResource);
    this.#accounts = createIndex(options, serviceAccounts);
    this.#queue = createControllerQueue(options, 'service-account', (namespace) => this.#reconcile(namespace));
    this.#namespaces.subscribe(({ key, object }) => {
      if (object !== undefined) this.#queue.add(key);
    });
    this.#accounts.subscribe(({ object, previous }) => {
      const { name, namespace } = previous?.metadata ?? {};
      if (object === undefined && name === defaultName && namespace !== undefined) this.#queue.add(namespace);
    });
  }

  async start(): Promise<void> {
    await this.#accounts.start();
    await this.#namespaces.start();
    await this.#queue.waitUntilIdle();
  }

  async close(): Promise<void> {
    await this.#namespaces.close();
    await this.#accounts.close();
    await this.#queue.close();
  }

  async #reconcile(namespace: string): Promise<void> {
    const object = this.#namespaces.get(namespace);
    if (object === undefined || !isActiveNamespace(object)) return;
    if (this.#accounts.get(defaultName, namespace) !== undefined) return;
    const account: KubeObject = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: defaultName, namespace },
    };
    try {
      await this.#client.create({ resource: serviceAccounts, namespace }, account, { fieldManager });
    } catch (error) {
      // It exists already, or the namespace is on its way out or gone: in each case nothing is left to do.
      if (!['AlreadyExists', 'Forbidden', 'NotFound'].some((reason) => hasReason(error, reason))) throw error;
    }
  }
}
