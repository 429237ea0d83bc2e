import { encodeJson } from '../../core/decode/encode-json.ts';
import { hasReason } from '../../core/errors/status.ts';
import type { JsonObject, JsonValue } from '../../core/meta/json.ts';
import type { KubeObject, ListMeta } from '../../core/meta/kube-object.ts';
import { formatApiVersion, type ResourceName } from '../../core/meta/resource-name.ts';
import type { KindRegistry, RegisteredKind } from '../../kinds/registry.ts';
import type { HostAnswer, HostConnection } from '../kube/host-connection.ts';
import { HostUnreachableError } from '../kube/host-unreachable-error.ts';
import { sleep } from '../process/clock.ts';
import type { Clock } from '../process/clock.ts';
import { findHostRenaming, renameFromHost, renameToHost, type HostRenaming } from './host-groups.ts';
import { needsStrategicPatchSteps, patchStrategically } from './patch-strategically.ts';
import {
  isStatus,
  parseHostJson,
  readHostText,
  readRefusal,
  readRetryAfterSeconds,
  toStatusError,
} from './read-host-answer.ts';
import { readHostEvents } from './read-host-events.ts';
import type {
  CollectionReference,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectList,
  ObjectReference,
  PatchOptions,
  PatchType,
  ResourceClient,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './resource-client.ts';
import { formatResourcePath, type PathParts } from './resource-path.ts';

/** What a client of a host needs. */
export interface HostResourceClientOptions {
  readonly connection: HostConnection;
  readonly registry: KindRegistry;
  readonly clock: Clock;
  /** How long a request may take with its repetitions; watches only until they begin. Absent means a minute. */
  readonly requestTimeoutMillis?: number;
  /** Sent with every request, such as another identity's. */
  readonly headers?: Readonly<Record<string, string>>;
  /** As for HostRequest. */
  readonly credentials?: 'own' | 'none';
  /** Whether get, list and watch ask for metadata alone: objects are PartialObjectMetadata then, unless a server knows no such thing. */
  readonly metadataOnly?: boolean;
}

/** One request before its path and body have the host's names. */
interface Call extends PathParts {
  readonly method: string;
  readonly resource: ResourceName;
  readonly query?: object | undefined;
  readonly body?: JsonValue;
  readonly contentType?: string;
  /** For a client that wants metadata alone; absent: the request shows whole objects all the same. */
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

/** A host's API as a ResourceClient; our own kinds keep the names of the specification. Throws HostUnreachableError when no answer came. */
export function createHostResourceClient(options: HostResourceClientOptions): ResourceClient {
  return new HostResourceClient(options);
}

const metadataOfOne = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
const metadataOfMany = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const defaultTimeoutMillis = 60_000;
/** Refusals that ask for patience (429, 503 with Retry-After) are met this often. */
const maxRepetitions = 5;
const outrunMillis = 5;
/** A watch that a caller does not limit ends after one to two of these, so that a quiet loss of the connection heals. */
const watchSeconds = 300;
/** How much longer than it promised a host may keep a watch open. */
const watchGraceMillis = 30_000;

class HostResourceClient implements ResourceClient {
  readonly #options: HostResourceClientOptions;

  constructor(options: HostResourceClientOptions) {
    this.#options = options;
  }

  get<T extends KubeObject>(reference: ObjectReference, options?: GetOptions, subresource?: string): Promise<T> {
    return this.#request<T>({ method: 'GET', ...reference, subresource, query: options, accept: metadataOfOne });
  }

  async list<T extends KubeObject>(reference: CollectionReference, options?: ListOptions): Promise<ObjectList<T>> {
    const { resource, namespace } = reference;
    const call = { method: 'GET', resource, namespace, query: options, accept: metadataOfMany };
    const list = await this.#request<JsonObject>(call);
    const items = (list['items'] ?? []) as unknown as T[];
    // Lists of built-in kinds leave out what all items share.
    const kind = String(list['kind']).replace(/List$/, '');
    for (const item of items) {
      item.kind ??= kind;
      item.apiVersion ??= String(list['apiVersion']);
    }
    return { metadata: (list['metadata'] ?? {}) as ListMeta, items };
  }

  async *watch<T extends KubeObject>(
    reference: CollectionReference,
    options: WatchOptions = {},
  ): AsyncGenerator<WatchEvent<T>> {
    const { signal, ...query } = options;
    if (isAborted(signal)) return;
    const { resource, namespace } = reference;
    const { clock, registry } = this.#options;
    const timeoutSeconds = query.timeoutSeconds ?? Math.ceil(watchSeconds * (1 + Math.random()));
    const watched = { ...query, watch: true, timeoutSeconds };
    const call = { method: 'GET', resource, namespace, query: watched, signal, accept: metadataOfOne };
    let answer: HostAnswer;
    try {
      answer = await this.#send(call);
    } catch (error) {
      if (isAborted(signal)) return;
      throw error;
    }
    const renaming = findHostRenaming(registry, resource);
    const cancel = clock.schedule(timeoutSeconds * 1000 + watchGraceMillis, () => answer.body.destroy());
    try {
      for await (const event of readHostEvents(answer.body)) {
        if (isAborted(signal)) return;
        if (renaming !== undefined) renameFromHost(renaming, event);
        const object = event['object'];
        if (event['type'] === 'ERROR') {
          throw isStatus(object)
            ? toStatusError(object as JsonObject, 500)
            : new Error('the host ended a watch with an unknown error');
        }
        yield event as unknown as WatchEvent<T>;
      }
    } finally {
      cancel();
      answer.body.destroy();
    }
  }

  create<T extends KubeObject>(reference: CollectionReference, object: T, options?: WriteOptions): Promise<T> {
    const { resource, namespace } = reference;
    return this.#request<T>({ method: 'POST', resource, namespace, query: options, ...toBody(object) });
  }

  update<T extends KubeObject>(
    reference: ObjectReference,
    object: T,
    options?: WriteOptions,
    subresource?: string,
  ): Promise<T> {
    const send = (body: KubeObject): Promise<T> =>
      this.#request<T>({ method: 'PUT', ...reference, subresource, query: options, ...toBody(body) });
    const { resourceVersion = '' } = object.metadata;
    const kind = this.#findKind(reference.resource);
    const isUnbound = resourceVersion === '' && kind?.crd !== undefined;
    if (!isUnbound || kind.strategy.allowUnconditionalUpdate === false) return send(object);
    return this.#replace(reference, subresource, object, send);
  }

  patch<T extends KubeObject>(
    reference: ObjectReference,
    patchType: PatchType,
    patch: JsonValue,
    options?: PatchOptions,
    subresource?: string,
  ): Promise<T> {
    const send = (contentType: PatchType, body: JsonValue): Promise<T> =>
      this.#request<T>({ method: 'PATCH', ...reference, subresource, query: options, body, contentType });
    const kind = this.#findKind(reference.resource);
    if (
      patchType !== 'application/strategic-merge-patch+json' ||
      kind === undefined ||
      !needsStrategicPatchSteps(kind)
    ) {
      return send(patchType, patch);
    }
    const read = (): Promise<JsonObject> => this.#request<JsonObject>({ method: 'GET', ...reference, subresource });
    return patchStrategically<T>({ kind, patch, read, merge: (body) => send('application/merge-patch+json', body) });
  }

  /** An update of whatever there is: hosts want a version of custom resources, so the newest is named, as often as it is outrun. */
  async #replace<T extends KubeObject>(
    reference: ObjectReference,
    subresource: string | undefined,
    object: T,
    send: (body: KubeObject) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const { metadata } = await this.get(reference, undefined, subresource);
      const { resourceVersion = '' } = metadata;
      try {
        return await send({ ...object, metadata: { ...object.metadata, resourceVersion } });
      } catch (error) {
        if (tries === maxRepetitions || !hasReason(error, 'Conflict')) throw error;
        // What outran this one may not be readable yet.
        await sleep(this.#options.clock, outrunMillis * 2 ** tries);
      }
    }
  }

  async delete<T extends KubeObject>(reference: ObjectReference, options?: DeleteOptions): Promise<T> {
    const answer = await this.#request<JsonObject>({ method: 'DELETE', ...reference, ...toDeleteBody(options) });
    if (!isStatus(answer)) return answer as unknown as T;
    const { resource, namespace, name } = reference;
    const { uid } = (answer['details'] ?? {}) as { uid?: string };
    const kind = this.#findKind(resource)?.kind ?? '';
    const apiVersion = formatApiVersion(resource.group, resource.version);
    const place = namespace === undefined ? {} : { namespace };
    return { kind, apiVersion, metadata: { name, ...place, ...(uid === undefined ? {} : { uid }) } } as T;
  }

  async deleteCollection(reference: CollectionReference, list?: ListOptions, options?: DeleteOptions): Promise<void> {
    const { resource, namespace } = reference;
    await this.#request({ method: 'DELETE', resource, namespace, query: list, ...toDeleteBody(options) });
  }

  #findKind({ group, version, resource }: ResourceName): RegisteredKind | undefined {
    return this.#options.registry.find(group, version, resource);
  }

  /** Makes a request and reads its answer. */
  async #request<T>(call: Call): Promise<T> {
    const { clock, registry, requestTimeoutMillis = defaultTimeoutMillis } = this.#options;
    const controller = new AbortController();
    const cancel = clock.schedule(requestTimeoutMillis, () => {
      controller.abort(new HostUnreachableError(`no whole answer within ${requestTimeoutMillis} ms`));
    });
    try {
      const answer = await this.#send({ ...call, signal: controller.signal });
      const body = parseHostJson(await readHostText(answer.body));
      const renaming = findHostRenaming(registry, call.resource);
      return (renaming === undefined ? body : renameFromHost(renaming, body)) as T;
    } catch (error) {
      throw controller.signal.aborted ? controller.signal.reason : error;
    } finally {
      cancel();
    }
  }

  /** Resolves to an answer that is a success; throws the refusal of any other, repeated as it asks for. */
  async #send(call: Call): Promise<HostAnswer> {
    const { clock, connection, credentials, registry, requestTimeoutMillis = defaultTimeoutMillis } = this.#options;
    const deadlineMillis = clock.now() + requestTimeoutMillis;
    const renaming = findHostRenaming(registry, call.resource);
    const path = formatResourcePath(renaming?.resource ?? call.resource, call) + formatQuery(call.query);
    const body = encodeBody(call, renaming);
    for (let repetitions = 0; ; repetitions += 1) {
      const answer = await connection.send({
        method: call.method,
        path,
        headers: {
          accept: this.#options.metadataOnly === true && call.accept !== undefined ? call.accept : 'application/json',
          ...(call.contentType === undefined ? {} : { 'content-type': call.contentType }),
          ...this.#options.headers,
        },
        ...(body === undefined ? {} : { body }),
        ...(credentials === undefined ? {} : { credentials }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      });
      if (answer.status >= 200 && answer.status < 300) return answer;
      const rename = (status: JsonValue): JsonValue =>
        renaming === undefined ? status : renameFromHost(renaming, status);
      const refusal = readRefusal(answer, await readHostText(answer.body), rename);
      const waitMillis = findWaitMillis(answer);
      if (waitMillis === undefined || repetitions === maxRepetitions) throw refusal;
      if (clock.now() + waitMillis >= deadlineMillis) throw refusal;
      await sleep(clock, waitMillis, call.signal);
      call.signal?.throwIfAborted();
    }
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** How long the host asks to wait before the same request; `undefined` when it does not. */
function findWaitMillis({ status, headers }: HostAnswer): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const seconds = readRetryAfterSeconds(headers);
  return seconds === undefined ? undefined : seconds * 1000;
}

function toBody(object: KubeObject): { body: JsonValue; contentType: string } {
  return { body: object as unknown as JsonValue, contentType: 'application/json' };
}

function toDeleteBody(options: DeleteOptions = {}): { body: JsonValue; contentType: string } {
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...options } as unknown as JsonValue;
  return { body, contentType: 'application/json' };
}

function encodeBody({ body, contentType }: Call, renaming: HostRenaming | undefined): string | undefined {
  if (body === undefined || contentType === undefined) return undefined;
  return encodeJson(renaming === undefined ? body : renameToHost(renaming, body));
}

function formatQuery(options: object | undefined): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options ?? {}) as [string, unknown][]) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
