import type { KubeObject } from '../core/meta/kube-object.ts';
import type { CollectionReference, ListOptions, ResourceClient } from '../platform/resources/resource-client.ts';

const PAGE_SIZE = 500;

/** Which objects of a collection. */
export type ListSelection = Pick<ListOptions, 'fieldSelector' | 'labelSelector'>;

/** The objects of a collection, page by page, all at one revision. */
export async function* listPages<T extends KubeObject>(
  client: ResourceClient,
  reference: CollectionReference,
  selection: ListSelection = {},
): AsyncGenerator<readonly T[]> {
  let token: string | undefined;
  do {
    const page = await client.list<T>(reference, {
      ...selection,
      limit: PAGE_SIZE,
      ...(token === undefined ? {} : { continue: token }),
    });
    yield page.items;
    token = page.metadata.continue === '' ? undefined : page.metadata.continue;
  } while (token !== undefined);
}

/** Every object of a collection, ordered as the server orders them. */
export async function listAll<T extends KubeObject>(
  client: ResourceClient,
  reference: CollectionReference,
  selection: ListSelection = {},
): Promise<T[]> {
  const objects: T[] = [];
  for await (const page of listPages<T>(client, reference, selection)) objects.push(...page);
  return objects;
}
