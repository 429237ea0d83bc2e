import type { RequestInfo } from '../request-info.ts';
import type { RequestWidth } from './dispatch/flow-request.ts';

/** How much of one kind is stored. */
export interface ObjectStatistics {
  readonly objects: number;
  /** Mean of the encoded sizes; 0 when it is not known. */
  readonly averageBytes: number;
}

/** What the estimate of a request depends on besides itself. */
export interface WorkFacts {
  /** `undefined` when the kind is not stored here. */
  findStatistics(info: RequestInfo): ObjectStatistics | undefined;
  /** How many watches may get an event of what the request changes. */
  countWatches(info: RequestInfo): number;
  /** Most seats that one request of its priority level may take. */
  readonly maxSeats: number;
}

const BYTES_PER_SEAT = 100_000;
const STREAMED_LIST_BYTES = 1_000_000;
const MAX_OBJECT_BYTES = 1_500_000;
const MAX_LIST_SEATS = 100;
const MAX_MUTATING_SEATS = 10;
const WATCHES_PER_SEAT = 10;
const EVENT_MILLIS = 5;

const ONE_SEAT: RequestWidth = { initialSeats: 1, finalSeats: 0, additionalLatencyMillis: 0 };
/** Most requests are among these, and make no estimate of their own. */
const NARROW: readonly RequestWidth[] = Array.from({ length: MAX_MUTATING_SEATS + 1 }, (_, seats) => makeSeats(seats));

function makeSeats(seats: number): RequestWidth {
  return { initialSeats: Math.max(1, seats), finalSeats: 0, additionalLatencyMillis: 0 };
}

/** The seats that a request takes, by the formulas of Kubernetes: lists by the bytes they hold at once, writes by who watches. */
export function estimateWork(info: RequestInfo, query: URLSearchParams, facts: WorkFacts): RequestWidth {
  switch (info.verb) {
    case 'list':
    case 'watch':
      return estimateList(info, query, facts);
    case 'create':
    case 'update':
    case 'patch':
    case 'delete':
      return estimateWrite(info, facts);
    default:
      return ONE_SEAT;
  }
}

/** As Kubernetes converts it: present and neither `false` nor `0`. */
function readFlag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}

/** A number of the query, 0 when it is absent; `undefined` when it is none. */
function readNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return 0;
  return /^[+-]?\d{1,19}$/.test(text) ? Number(text) : undefined;
}

/** Whether Kubernetes reads a list from its database, and so holds all of it at once; watches never do. */
function readsFromStorage(query: URLSearchParams, limit: number): boolean {
  const version = query.get('resourceVersion') ?? '';
  switch (query.get('resourceVersionMatch') ?? '') {
    case 'Exact':
      return true;
    case 'NotOlderThan':
      return false;
    case '':
      if ((query.get('continue') ?? '') !== '') return true;
      return limit > 0 && version !== '' && version !== '0';
    default:
      return true;
  }
}

function estimateList(info: RequestInfo, query: URLSearchParams, facts: WorkFacts): RequestWidth {
  const { maxSeats } = facts;
  const most = maxSeats === 0 ? MAX_LIST_SEATS : Math.min(maxSeats, MAX_LIST_SEATS);
  const limit = readNumber(query, 'limit');
  if (limit === undefined || readNumber(query, 'timeoutSeconds') === undefined) return makeSeats(most);
  // A watch lists only when it is asked to.
  if (info.verb === 'watch' && !readFlag(query, 'sendInitialEvents')) return ONE_SEAT;
  const statistics = facts.findStatistics(info);
  // What is stored elsewhere costs little here.
  if (statistics === undefined) return ONE_SEAT;
  const { objects } = statistics;
  const averageBytes = statistics.averageBytes <= 0 && objects > 0 ? MAX_OBJECT_BYTES : statistics.averageBytes;
  const isFromCache = info.verb === 'watch' || !readsFromStorage(query, limit);
  const limited = limit > 0 ? Math.min(limit, objects) : objects;
  const hasSelector = (query.get('fieldSelector') ?? '') !== '' || (query.get('labelSelector') ?? '') !== '';
  let held = limited;
  if (info.name !== '') held = 1;
  else if (!isFromCache && hasSelector) held = Math.max(limited, Math.floor(objects / 2));
  const bytes = isFromCache ? Math.min(held * averageBytes, STREAMED_LIST_BYTES) : held * averageBytes;
  const seats = Math.max(1, Math.min(Math.ceil(bytes / BYTES_PER_SEAT), most));
  return NARROW[seats] ?? makeSeats(seats);
}

function estimateWrite(info: RequestInfo, facts: WorkFacts): RequestWidth {
  // A token is no object: nobody gets an event of it.
  if (info.resource === 'serviceaccounts' && info.subresource === 'token') return ONE_SEAT;
  const watches = facts.countWatches(info);
  if (watches < WATCHES_PER_SEAT) return ONE_SEAT;
  const { maxSeats } = facts;
  const most = maxSeats === 0 ? MAX_MUTATING_SEATS : Math.min(maxSeats, MAX_MUTATING_SEATS);
  const wanted = Math.ceil(watches / WATCHES_PER_SEAT);
  const finalSeats = Math.min(wanted, most);
  // The same work on fewer seats takes longer: a request that is wide keeps the others waiting while its seats are gathered.
  return { initialSeats: 1, finalSeats, additionalLatencyMillis: (wanted * EVENT_MILLIS) / finalSeats };
}
