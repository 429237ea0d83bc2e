import type { OutgoingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream/promises';
import {
  makeBadRequestError,
  makeMethodNotSupportedError,
  makeNotFoundError,
  makeTooManyRequestsError,
} from '../../core/errors/make-status-error.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { CheckpointRecord } from '../checkpoint/checkpoint-record.ts';
import type { CheckpointService } from './checkpoint-service.ts';
import { parseRange } from './parse-range.ts';
import type { Route, RouteRequest } from './route.ts';
import { sendJson, sendStatus } from './send-answer.ts';
import { watchReader } from './watch-reader.ts';

const maxPage = 500;
/** Each holds a file, and what its reader has not taken yet. */
const maxDownloads = 32;
const busySeconds = 5;

/** What the routes of archives are made with. */
export interface ArchiveRouteOptions {
  readonly checkpoints: CheckpointService;
  readonly domain: string;
  readonly clock: Clock;
}

/** Names are compared as bytes, as the API does; those of namespaces and checkpoints are ASCII. */
function isAfter({ namespace, name }: CheckpointRecord, key: readonly [string, string]): boolean {
  return namespace === key[0] ? name > key[1] : namespace > key[0];
}

/** `undefined` when it is no number of items. */
function readLimit(text: string | null): number | undefined {
  if (text === null || text === '') return maxPage;
  if (!/^\d{1,15}$/.test(text)) return undefined;
  const limit = Number(text);
  return limit === 0 ? maxPage : Math.min(limit, maxPage);
}

/** Routes of the archives that the node has, for the operator; what is wrong is a Status. */
export function buildArchiveRoutes({ checkpoints, domain, clock }: ArchiveRouteOptions): Route[] {
  const group = `node.${domain}`;
  let downloads = 0;

  function refuseAbsent({ response, parameters }: RouteRequest): void {
    sendStatus(response, makeNotFoundError(group, 'checkpoints', parameters['name'] ?? ''));
  }

  function answer(request: RouteRequest, record: CheckpointRecord | undefined): void {
    if (record === undefined) refuseAbsent(request);
    else sendJson(request.response, 200, record);
  }

  async function list({ response, query }: RouteRequest): Promise<void> {
    const limit = readLimit(query.get('limit'));
    if (limit === undefined) return sendStatus(response, makeBadRequestError('limit must be a number, 0 or more'));
    const key = query.get('continue') ?? '';
    const mark = key.indexOf('/');
    if (key !== '' && mark < 0) return sendStatus(response, makeBadRequestError('continue must be a namespace/name'));
    const after = [key.slice(0, Math.max(0, mark)), key.slice(mark + 1)] as const;
    const records = checkpoints.list(query.get('namespace') || undefined);
    const left = key === '' ? records : records.filter((record) => isAfter(record, after));
    const items = left.slice(0, limit);
    const last = items.at(-1);
    const hasMore = items.length < left.length && last !== undefined;
    return sendJson(response, 200, { items, ...(hasMore ? { continue: `${last.namespace}/${last.name}` } : {}) });
  }

  async function download(request: RouteRequest): Promise<void> {
    if (downloads >= maxDownloads) {
      const message = `the node sends ${maxDownloads} archives already`;
      return sendStatus(request.response, makeTooManyRequestsError(message, busySeconds));
    }
    downloads += 1;
    try {
      await sendArchive(request);
    } finally {
      downloads -= 1;
    }
  }

  async function sendArchive(request: RouteRequest): Promise<void> {
    const { response, signal } = request;
    const { namespace = '', name = '' } = request.parameters;
    const archive = await checkpoints.openArchive(namespace, name);
    if (archive === undefined) return refuseAbsent(request);
    try {
      const { record, sizeBytes } = archive;
      const isWhole = request.request.headers['if-range'] !== undefined;
      const range = isWhole ? 'whole' : parseRange(request.request.headers.range, sizeBytes);
      const headers: OutgoingHttpHeaders = {
        'content-type': 'application/x-tar',
        'content-disposition': `attachment; filename="${record.name}.tar"`,
        'accept-ranges': 'bytes',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      };
      if (range === 'unsatisfiable') {
        response.writeHead(416, { ...headers, 'content-range': `bytes */${sizeBytes}`, 'content-length': 0 });
        response.end();
        return;
      }
      if (range === 'whole') {
        response.writeHead(200, { ...headers, 'content-length': sizeBytes });
      } else {
        const { start, end } = range;
        const span = { 'content-range': `bytes ${start}-${end}/${sizeBytes}`, 'content-length': end - start + 1 };
        response.writeHead(206, { ...headers, ...span });
      }
      const source = range === 'whole' ? archive.read() : archive.read(range);
      const endWatch = watchReader({ source, clock, onStalled: () => response.destroy() });
      await pipeline(source, response, { signal })
        .catch((error: unknown) => {
          // That the caller goes in the middle is its own business; anything else cuts the answer off, and is told.
          if (!signal.aborted && !response.destroyed) throw error;
        })
        .finally(endWatch);
    } finally {
      await archive.close();
    }
  }

  const path = '/checkpoints/{namespace}/{name}';
  const setPinned = (pinned: boolean) => async (request: RouteRequest) => {
    const { namespace = '', name = '' } = request.parameters;
    answer(request, await checkpoints.setPinned(namespace, name, pinned));
  };
  const routes: Route[] = [
    { method: 'GET', path: '/checkpoints', handle: list },
    {
      ...{ method: 'GET', path },
      handle: async (request) =>
        answer(request, checkpoints.find(request.parameters['namespace'] ?? '', request.parameters['name'] ?? '')),
    },
    {
      ...{ method: 'DELETE', path },
      handle: async (request) => {
        const { namespace = '', name = '' } = request.parameters;
        answer(request, await checkpoints.remove(namespace, name));
      },
    },
    { method: 'GET', path: `${path}/archive`, handle: download },
    { method: 'PUT', path: `${path}/pin`, handle: setPinned(true) },
    { method: 'DELETE', path: `${path}/pin`, handle: setPinned(false) },
  ];
  const others = [...new Set(routes.map((route) => route.path))].map((known): Route => ({
    path: known,
    async handle({ request, response }) {
      const verb = (request.method ?? 'GET').toLowerCase();
      sendStatus(response, makeMethodNotSupportedError(group, 'checkpoints', verb));
    },
  }));
  return [...routes, ...others];
}
