import { makeBadRequestError, makeExpiredError } from '../../../core/errors/make-status-error.ts';
import type { ListMeta } from '../../../core/meta/kube-object.ts';
import { RevisionCompacted, type StoredObject, type StorePage } from '../../../platform/store/object-store.ts';
import { decodeContinueToken, encodeContinueToken } from './continue-token.ts';
import { prepareStored } from './convert-stored.ts';
import { isConvertedByWebhook } from './converted-values.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import { makeObjectFilter, type ObjectFilter } from './object-filter.ts';
import type { PipelineServices } from './pipeline-services.ts';
import type { ListParameters } from './query-parameters.ts';
import { makeKey, makeKeyPrefix, type ResourceTarget } from './resource-target.ts';
import { makeTooLargeVersionError, readResourceVersion } from './resource-version.ts';

/** A page of stored objects and what the list says of itself. */
export interface ObjectPage {
  readonly metadata: ListMeta;
  readonly items: readonly StoredObject[];
}

/** What to list; `name` restricts to one object, as a watch of it does. */
export interface ListRequest {
  readonly target: ResourceTarget;
  /** Absent: all namespaces, or a cluster-scoped kind. */
  readonly namespace: string | undefined;
  readonly parameters: Pick<
    ListParameters,
    'labelSelector' | 'fieldSelector' | 'limit' | 'continue' | 'resourceVersion' | 'resourceVersionMatch'
  >;
  readonly name?: string | undefined;
}

const EXPIRED = 'The resourceVersion for the provided list is too old.';
const INCONSISTENT_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
/** So many keys are looked at in one call of the store when a selector thins them out. */
const SCAN_PAGE = 500;

/** Where a list starts, and at which revision; an absent one means the newest. */
interface ListStart {
  readonly revision: number | undefined;
  /** Full key. */
  readonly startAfter: string | undefined;
}

function findStart(services: PipelineServices, request: ListRequest, prefix: string): ListStart {
  const { parameters } = request;
  if (parameters.continue !== '') {
    const token = decodeContinueToken(parameters.continue);
    if (parameters.resourceVersion !== '' && parameters.resourceVersion !== '0') {
      throw makeBadRequestError('specifying resource version is not allowed when using continue');
    }
    const revision = token.revision < 0 ? undefined : token.revision;
    if (revision !== undefined && revision > services.store.revision) {
      throw makeTooLargeVersionError(revision, services.store.revision);
    }
    return { revision, startAfter: prefix + token.startAfter };
  }
  const version = readResourceVersion(parameters.resourceVersion);
  if (version === undefined || version === 0) return { revision: undefined, startAfter: undefined };
  if (version > services.store.revision) {
    throw makeTooLargeVersionError(parameters.resourceVersion, services.store.revision);
  }
  const isExact =
    parameters.resourceVersionMatch === 'Exact' || (parameters.resourceVersionMatch === '' && parameters.limit > 0);
  return { revision: isExact ? version : undefined, startAfter: undefined };
}

function interpretListError(error: unknown, request: ListRequest, start: ListStart, prefix: string): unknown {
  if (!(error instanceof RevisionCompacted)) return error;
  if (request.parameters.continue === '' || start.startAfter === undefined) return makeExpiredError(EXPIRED);
  const expired = makeExpiredError(INCONSISTENT_CONTINUE);
  expired.status.metadata.continue = encodeContinueToken({
    startAfter: start.startAfter.slice(prefix.length),
    revision: -1,
  });
  return expired;
}

/** Kubernetes answers a list at version 0 from its cache, whole. */
function readLimit({ limit, resourceVersion, resourceVersionMatch }: ListRequest['parameters']): number {
  return resourceVersion === '0' && resourceVersionMatch !== 'Exact' ? 0 : limit;
}

/** Lists objects page by page, consistently at one revision. Throws 400, 410 and 504 as Kubernetes does. */
export async function listObjects(services: PipelineServices, request: ListRequest): Promise<ObjectPage> {
  const { target, namespace, parameters } = request;
  const filter = makeObjectFilter(target.kind, parameters.labelSelector, parameters.fieldSelector, request.name);
  const prefix = makeKeyPrefix(target.kind, namespace);
  const start = findStart(services, request, prefix);
  const limit = readLimit(parameters);
  const single = isConvertedByWebhook(target.kind) ? undefined : findSingle(services, request, filter, start);
  if (single !== undefined) return single;
  try {
    if (filter.isEmpty) {
      const page = await listStore(services, prefix, start, limit > 0 ? limit : undefined);
      await prepareItems(target, page.items);
      return finishPage(page.items, page, prefix, true);
    }
    return await listMatching(services, target, { prefix, start, limit }, filter);
  } catch (error) {
    throw interpretListError(error, request, start, prefix);
  }
}

function listStore(
  services: PipelineServices,
  prefix: string,
  start: ListStart,
  limit: number | undefined,
): Promise<StorePage> {
  return services.store.list(prefix, {
    ...(start.startAfter === undefined ? {} : { startAfter: start.startAfter }),
    ...(start.revision === undefined ? {} : { revision: start.revision }),
    ...(limit === undefined ? {} : { limit }),
  });
}

/** A list of at most one object, by its key; `undefined` when the selectors do not name one, or an older state is asked for. */
function findSingle(
  services: PipelineServices,
  request: ListRequest,
  filter: ObjectFilter,
  start: ListStart,
): ObjectPage | undefined {
  const { target, namespace } = request;
  if (filter.name === undefined || start.revision !== undefined || start.startAfter !== undefined) return undefined;
  if (target.kind.namespaced && namespace === undefined) return undefined;
  const { revision } = services.store;
  const stored = services.store.get(makeKey(target.kind, namespace, filter.name));
  const items = stored !== undefined && filter.matchesStored(stored.key, stored.value) ? [stored] : [];
  return { metadata: { resourceVersion: String(revision) }, items };
}

function finishPage(
  items: readonly StoredObject[],
  last: Pick<StorePage, 'revision' | 'remaining'>,
  prefix: string,
  showsRemaining: boolean,
): ObjectPage {
  const lastKey = items.at(-1)?.key;
  const metadata: ListMeta = { resourceVersion: String(last.revision) };
  if (last.remaining > 0 && lastKey !== undefined) {
    metadata.continue = encodeContinueToken({ startAfter: lastKey.slice(prefix.length), revision: last.revision });
    if (showsRemaining) metadata.remainingItemCount = last.remaining;
  }
  return { metadata, items };
}

async function prepareItems({ kind }: ResourceTarget, items: readonly StoredObject[]): Promise<void> {
  if (!isConvertedByWebhook(kind)) return;
  await prepareStored(
    kind,
    items.map(({ value }) => value),
  );
}

async function listMatching(
  services: PipelineServices,
  target: ResourceTarget,
  { prefix, start, limit }: { readonly prefix: string; readonly start: ListStart; readonly limit: number },
  filter: ObjectFilter,
): Promise<ObjectPage> {
  const items: StoredObject[] = [];
  const slices = new EventLoopYield();
  let { startAfter, revision } = start;
  for (;;) {
    const page = await listStore(services, prefix, { startAfter, revision }, SCAN_PAGE);
    // All further pages show the state of the first one.
    revision = page.revision;
    await prepareItems(target, page.items);
    for (const [index, item] of page.items.entries()) {
      await slices.pause();
      if (!filter.matchesStored(item.key, item.value)) continue;
      items.push(item);
      if (items.length === limit) {
        const remaining = page.remaining + page.items.length - index - 1;
        return finishPage(items, { revision, remaining }, prefix, false);
      }
    }
    startAfter = page.items.at(-1)?.key;
    if (page.remaining === 0 || startAfter === undefined) {
      return finishPage(items, { revision, remaining: 0 }, prefix, false);
    }
  }
}
