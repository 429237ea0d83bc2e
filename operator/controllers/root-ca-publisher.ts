import { deepEqual } from '../../core/meta/deep.ts';
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

/** A ConfigMap as far as this controller reads it. */
interface ConfigMapObject extends KubeObject {
  data?: Record<string, string>;
}

const configMaps: ResourceName = { group: '', version: 'v1', resource: 'configmaps' };
const fieldManager = 'kube-controller-manager';
const descriptionAnnotation = 'kubernetes.io/description';
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. ' +
  'No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Name of the ConfigMap with the authority of the serving certificate. */
const rootCaName = 'kube-root-ca.crt';

/** Keeps the authority of the serving certificate in the ConfigMap `kube-root-ca.crt` of every active namespace. */
export class RootCaPublisher implements Controller {
  readonly #client: ResourceClient;
  readonly #data: Record<string, string>;
  readonly #namespaces: CollectionIndex<NamespaceObject>;
  readonly #configMaps: CollectionIndex<ConfigMapObject>;
  readonly #queue: WorkQueue;

  /** `authority`: PEM text. */
  constructor(options: ControllerOptions & { readonly authority: string }) {
    this.#client = options.client;
    this.#data = { 'ca.crt': options.authority };
    this.#namespaces = createIndex<NamespaceObject>(options, namespaceResource);
    this.#configMaps = createIndex<ConfigMapObject>(options, configMaps, `metadata.name=${rootCaName}`);
    this.#queue = createControllerQueue(options, 'root-ca-publisher', (namespace) => this.#reconcile(namespace));
    this.#namespaces.subscribe(({ key, object }) => {
      if (object !== undefined) this.#queue.add(key);
    });
    this.#configMaps.subscribe(({ object, previous }) => {
      const namespace = (object ?? previous)?.metadata.namespace;
      if (namespace !== undefined) this.#queue.add(namespace);
    });
  }

  async start(): Promise<void> {
    await this.#configMaps.start();
    await this.#namespaces.start();
    await this.#queue.waitUntilIdle();
  }

  async close(): Promise<void> {
    await this.#namespaces.close();
    await this.#configMaps.close();
    await this.#queue.close();
  }

  async #reconcile(namespace: string): Promise<void> {
    const object = this.#namespaces.get(namespace);
    if (object === undefined || !isActiveNamespace(object)) return;
    const stored = this.#configMaps.get(rootCaName, namespace);
    if (stored !== undefined && this.#isCurrent(stored)) return;
    try {
      if (stored === undefined) {
        const metadata = { name: rootCaName, namespace, annotations: { [descriptionAnnotation]: description } };
        const created: ConfigMapObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: this.#data };
        await this.#client.create({ resource: configMaps, namespace }, created, { fieldManager });
      } else {
        const annotations = { ...stored.metadata.annotations, [descriptionAnnotation]: description };
        const wanted = { ...stored, metadata: { ...stored.metadata, annotations }, data: this.#data };
        await this.#client.update({ resource: configMaps, namespace, name: rootCaName }, wanted, { fieldManager });
      }
    } catch (error) {
      // A change that is not yet in the index, or a namespace on its way out: the event that tells of it comes.
      if (!['AlreadyExists', 'Conflict', 'Forbidden', 'NotFound'].some((reason) => hasReason(error, reason)))
        throw error;
    }
  }

  #isCurrent(stored: ConfigMapObject): boolean {
    return (
      deepEqual(stored.data ?? {}, this.#data) && stored.metadata.annotations?.[descriptionAnnotation] === description
    );
  }
}
