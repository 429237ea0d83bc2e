import type { JsonObject } from '../../core/meta/json.ts';
import { deriveCrd } from '../../kinds/derive-crd.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import type { RegisteredKind } from '../../kinds/registry.ts';
import type { Cluster } from '../cluster/start-cluster.ts';
import { waitUntil } from '../cluster/wait-until.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The kinds of an installation that a host holds as custom resources. */
export function listCrdKinds(domain: string): RegisteredKind[] {
  return buildKindRegistry(domain).kinds.filter(({ crd }) => crd !== undefined);
}

/** Path of a kind's objects on a host, in the namespace `default` where it has one. */
export function pathOnHost(kind: RegisteredKind, name?: string): string {
  const namespace = kind.namespaced ? '/namespaces/default' : '';
  const path = `/apis/${kind.aliasGroup ?? kind.group}/${kind.version}${namespace}/${kind.plural}`;
  return name === undefined ? path : `${path}/${name}`;
}

/**
 * Creates the definitions of an installation, changed by `change`, and waits until each is served. Throws with the answer that is
 * not a clean 201.
 */
export async function installCrds(
  cluster: Cluster,
  domain: string,
  change: (crd: JsonObject) => JsonObject = (crd) => crd,
): Promise<RegisteredKind[]> {
  const kinds = listCrdKinds(domain);
  for (const kind of kinds) {
    const { status, headers, body } = await cluster.request('POST', CRDS, { body: change(deriveCrd(kind)) });
    if (status !== 201 || headers['warning'] !== undefined) {
      throw new Error(`${kind.kind}: ${status} ${headers['warning'] ?? ''} ${body.message ?? ''}`);
    }
  }
  await waitUntil('the kinds to be served', async () => {
    const answers = await Promise.all(kinds.map((kind) => cluster.request('GET', pathOnHost(kind))));
    return answers.every(({ status }) => status === 200);
  });
  return kinds;
}
