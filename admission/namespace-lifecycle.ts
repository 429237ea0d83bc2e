import { makeForbiddenError, makeNotFoundError } from '../core/errors/make-status-error.ts';
import { StatusError } from '../core/errors/status.ts';
import type { KubeObject } from '../core/meta/kube-object.ts';
import type { ResourceClient } from '../platform/resources/resource-client.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission-plugin.ts';

/** Namespaces that cannot be deleted. */
const immortalNamespaces = new Set(['default', 'kube-system', 'kube-public']);

interface NamespacePhase extends KubeObject {
  status?: { phase?: string };
}

/** Finds a namespace by its name; `undefined` when there is none. What it returns is not changed. */
type NamespaceFinder = (name: string) => KubeObject | undefined;

function isNamespaceItself(attributes: AdmissionAttributes): boolean {
  return attributes.resource.group === '' && attributes.resource.resource === 'namespaces';
}

/** A refusal there would tell who asks which namespaces exist. */
function isAccessReview(attributes: AdmissionAttributes): boolean {
  const { group, resource } = attributes.resource;
  return group === 'authorization.k8s.io' && resource === 'localsubjectaccessreviews';
}

function makeTerminatingError(attributes: AdmissionAttributes, namespace: string): StatusError {
  const { resource, name } = attributes;
  const shownName = name === '' ? (attributes.object?.metadata.generateName ?? '') : name;
  const { status } = makeForbiddenError(
    resource.group,
    resource.resource,
    shownName,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}

/**
 * Kubernetes' NamespaceLifecycle: objects are written into namespaces that exist only, created in such only that are not terminating,
 * and the namespaces that a cluster needs cannot be deleted. Comes first in the chain.
 */
export class NamespaceLifecycle implements AdmissionPlugin {
  readonly name = 'NamespaceLifecycle';
  readonly #client: ResourceClient;
  readonly #findLatest: NamespaceFinder | undefined;

  /**
   * `client` must read what was acknowledged last. `findLatest` sees writes under way too; without it, an object may be created in a
   * namespace whose deletion began while it was admitted.
   */
  constructor(client: ResourceClient, findLatest?: NamespaceFinder) {
    this.#client = client;
    this.#findLatest = findLatest;
  }

  handles(attributes: AdmissionAttributes): boolean {
    if (isNamespaceItself(attributes)) return attributes.operation === 'DELETE';
    return (
      attributes.namespace !== undefined &&
      (attributes.operation === 'CREATE' || attributes.operation === 'UPDATE') &&
      !isAccessReview(attributes)
    );
  }

  async mutate(attributes: AdmissionAttributes): Promise<void> {
    const { operation, namespace, name, resource } = attributes;
    if (isNamespaceItself(attributes)) {
      if (!immortalNamespaces.has(name)) return;
      throw makeForbiddenError(resource.group, resource.resource, name, 'this namespace may not be deleted');
    }
    if (namespace === undefined) return;
    const found: NamespacePhase =
      this.#findLatest?.(namespace) ??
      (await this.#client.get<NamespacePhase>({
        resource: { group: '', version: 'v1', resource: 'namespaces' },
        name: namespace,
      }));
    if (operation === 'CREATE' && found.status?.phase === 'Terminating') {
      throw makeTerminatingError(attributes, namespace);
    }
  }

  /** What is created before a namespace is marked is found when its content is deleted; what comes after is refused. */
  confirm(attributes: AdmissionAttributes): void {
    const { operation, namespace } = attributes;
    if (this.#findLatest === undefined || operation !== 'CREATE' || namespace === undefined) return;
    const found: NamespacePhase | undefined = this.#findLatest(namespace);
    if (found === undefined) throw makeNotFoundError('', 'namespaces', namespace);
    if (found.status?.phase === 'Terminating') throw makeTerminatingError(attributes, namespace);
  }
}
