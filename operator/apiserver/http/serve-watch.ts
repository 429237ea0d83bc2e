import { encodeJson } from '../../../core/decode/encode-json.ts';
import { makeExpiredError } from '../../../core/errors/make-status-error.ts';
import { hasReason, type Status } from '../../../core/errors/status.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { PipelineServices } from '../pipeline/pipeline-services.ts';
import { decodeStoredFor, encodeFor, type AnyObject } from '../pipeline/stored-encoding.ts';
import { makeBookmark } from '../pipeline/watch-changes.ts';
import { watchObjects, type ObjectChange, type ObjectWatch, type WatchRequest } from '../pipeline/watch-objects.ts';
import type { ResourceTarget } from '../pipeline/resource-target.ts';
import { negotiateStreamFormat, type NegotiatedFormat } from './accept-header.ts';
import type { Exchange } from './exchange.ts';
import {
  listColumns,
  makeConversionError,
  makePartialObject,
  makeRow,
  makeTable,
  readIncludeObject,
} from './make-table.ts';
import { setCommonHeaders } from './send-answer.ts';

const MIN_TIMEOUT_MILLIS = 30 * 60 * 1000;
const BOOKMARK_INTERVAL_MILLIS = 60 * 1000;
const LAST_BOOKMARK_LEAD_MILLIS = 2000;

const MAX_WRITE_BYTES = 64 * 1024;

const FRAME_HEADS = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
} as const;
const FRAME_END = Buffer.from('}\n');

/** Encodes the frames of one watch. A Table names its columns in the first frame only. */
class FrameEncoder {
  readonly #exchange: Exchange;
  readonly #target: ResourceTarget;
  readonly #negotiated: NegotiatedFormat;
  readonly #now: () => number;
  #hasColumns = false;

  constructor(exchange: Exchange, target: ResourceTarget, negotiated: NegotiatedFormat, now: () => number) {
    this.#exchange = exchange;
    this.#target = target;
    this.#negotiated = negotiated;
    this.#now = now;
    if (negotiated.convert?.kind === 'Table') readIncludeObject(exchange.query);
    if (negotiated.convert?.kind === 'PartialObjectMetadataList') {
      throw makeConversionError(negotiated.convert, target.kind);
    }
  }

  encodeChange(change: ObjectChange): Buffer {
    const { type, value } = change;
    const bytes =
      this.#negotiated.convert === undefined
        ? encodeFor(this.#target, value)
        : Buffer.from(encodeJson(this.#convert(decodeStoredFor(this.#target, value), false)));
    return Buffer.concat([FRAME_HEADS[type], bytes, FRAME_END]);
  }

  encodeBookmark(revision: number, endsInitial: boolean): Buffer {
    const bookmark: KubeObject = makeBookmark(this.#target, revision, endsInitial);
    const object =
      this.#negotiated.convert === undefined ? bookmark : this.#convert(bookmark as AnyObject, endsInitial);
    return Buffer.from(`{"type":"BOOKMARK","object":${encodeJson(object)}}\n`);
  }

  #convert(object: AnyObject, endsInitial: boolean): object {
    const { convert } = this.#negotiated;
    if (convert === undefined) return object;
    if (convert.kind === 'PartialObjectMetadata') return makePartialObject(object, convert.apiVersion);
    const asked = readIncludeObject(this.#exchange.query);
    const include = endsInitial && asked === 'None' ? 'Metadata' : asked;
    const row = makeRow(this.#target.kind, object, include, convert.apiVersion, this.#now());
    const columns = this.#hasColumns ? null : listColumns(this.#target.kind);
    this.#hasColumns = true;
    return makeTable(convert, { resourceVersion: object.metadata.resourceVersion ?? '' }, columns, [row]);
  }
}

function encodeError(status: Status): Buffer {
  return Buffer.from(`{"type":"ERROR","object":${encodeJson(status)}}\n`);
}

/** Writes a frame; resolves to false when the client is gone. A client that does not read is waited for. */
async function writeFrame({ response, signal }: Exchange, frame: Buffer): Promise<boolean> {
  if (signal.aborted || response.destroyed) return false;
  if (response.write(frame)) return true;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      response.off('drain', finish);
      response.off('close', finish);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    response.on('drain', finish);
    response.on('close', finish);
    signal.addEventListener('abort', finish);
  });
  return !signal.aborted && !response.destroyed;
}

/**
 * Writes the frames of changes, many small ones at once and large ones one by one: what waits for a client that does not read is never
 * much more than one object. Resolves to false when the client is gone.
 */
async function writeChanges(
  exchange: Exchange,
  changes: readonly ObjectChange[],
  encoder: FrameEncoder,
): Promise<boolean> {
  let frames: Buffer[] = [];
  let bytes = 0;
  for (const [index, change] of changes.entries()) {
    const frame = encoder.encodeChange(change);
    frames.push(frame);
    bytes += frame.length;
    if (bytes < MAX_WRITE_BYTES && index < changes.length - 1) continue;
    if (!(await writeFrame(exchange, Buffer.concat(frames)))) return false;
    frames = [];
    bytes = 0;
  }
  return true;
}

function chooseTimeoutMillis(timeoutSeconds: number): number {
  // Spread, so that watches opened together do not all come back together.
  return timeoutSeconds !== 0 ? timeoutSeconds * 1000 : MIN_TIMEOUT_MILLIS * (1 + Math.random());
}

function beginStream(exchange: Exchange): void {
  const { response } = exchange;
  response.statusCode = 200;
  setCommonHeaders(exchange);
  response.setHeader('Content-Type', 'application/json');
  response.flushHeaders();
  exchange.audit?.recordStart();
  response.socket?.setNoDelay(true);
}

/**
 * Serves a watch as a stream of JSON frames until its timeout, the client's leave or the service's end. What is wrong with the
 * request is thrown before the stream begins; a version that is too old, or not reached yet, is reported in the stream, as in Kubernetes.
 */
export async function serveWatch(services: PipelineServices, exchange: Exchange, request: WatchRequest): Promise<void> {
  const negotiated = negotiateStreamFormat(exchange.request.headers.accept);
  const encoder = new FrameEncoder(exchange, request.target, negotiated, services.now);
  let watch: ObjectWatch;
  try {
    watch = await watchObjects(services, request);
  } catch (error) {
    const isTooNew = request.parameters.sendInitialEvents === true && hasReason(error, 'Timeout');
    if (!isTooNew && !hasReason(error, 'Expired')) throw error;
    beginStream(exchange);
    exchange.response.end(encodeError(error.status));
    return;
  }
  beginStream(exchange);
  try {
    await streamWatch(exchange, request, watch, encoder);
  } finally {
    watch.close();
    if (!exchange.response.destroyed) exchange.response.end();
  }
}

async function streamInitial(exchange: Exchange, watch: ObjectWatch, encoder: FrameEncoder): Promise<boolean> {
  for (let part = watch.readInitial(); part.length > 0; part = watch.readInitial()) {
    if (!(await writeChanges(exchange, part, encoder))) return false;
    // One part at a time, so that a large state does not keep everybody else waiting.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!watch.marksInitialEnd) return true;
  return writeFrame(exchange, encoder.encodeBookmark(watch.revision, true));
}

async function streamWatch(
  exchange: Exchange,
  { parameters }: WatchRequest,
  watch: ObjectWatch,
  encoder: FrameEncoder,
): Promise<void> {
  const deadline = performance.now() + chooseTimeoutMillis(parameters.timeoutSeconds);
  const state = { isOver: false, isBookmarkDue: false };
  let wake: () => void = () => undefined;
  const end = (): void => {
    state.isOver = true;
    watch.close();
    wake();
  };
  const requestBookmark = (): void => {
    state.isBookmarkDue = true;
    wake();
  };
  exchange.signal.addEventListener('abort', end, { once: true });
  const remaining = deadline - performance.now();
  const timers = [setTimeout(end, Math.max(remaining, 0))];
  if (parameters.allowWatchBookmarks && remaining > LAST_BOOKMARK_LEAD_MILLIS) {
    timers.push(setTimeout(requestBookmark, remaining - LAST_BOOKMARK_LEAD_MILLIS));
  }
  const interval = parameters.allowWatchBookmarks ? setInterval(requestBookmark, BOOKMARK_INTERVAL_MILLIS) : undefined;
  try {
    if (exchange.signal.aborted || remaining < 0 || !(await streamInitial(exchange, watch, encoder))) return;
    // It has begun: from here on it costs only what changes cost, which those who make them are charged for.
    exchange.flow?.release();
    while (!state.isOver) {
      const changes = await watch.read();
      if (state.isOver) return;
      if (changes.length > 0) {
        if (!(await writeChanges(exchange, changes, encoder))) return;
        continue;
      }
      if (watch.isOver) return;
      if (state.isBookmarkDue) {
        state.isBookmarkDue = false;
        if (!(await writeFrame(exchange, encoder.encodeBookmark(watch.revision, false)))) return;
        continue;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        void watch.wait().then(resolve);
      });
    }
  } catch (error) {
    const status = hasReason(error, 'Expired') ? error.status : makeExpiredError('the watch failed').status;
    await writeFrame(exchange, encodeError(status));
    if (!hasReason(error, 'Expired')) throw error;
  } finally {
    clearInterval(interval);
    for (const timer of timers) clearTimeout(timer);
    exchange.signal.removeEventListener('abort', end);
  }
}
