// oxlint-disable-next-line typescript/no-explicit-any -- bodies of any kind, whose fields cases reach into
type Json = any;

/** An answer as it came. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed where the content is JSON, integers beyond 2^53 as bigints; a list of parsed lines where it is a stream; otherwise text. */
  readonly body: Json;
  /** When it had been read. */
  readonly atMillis: number;
}

/** What of an answer is compared: all of it, the status alone, or nothing (the step only prepares others). */
export type ComparedPart = 'all' | 'status' | 'nothing';

/**
 * One request of a case, sent after those before it have been answered. In `path`, `body` and `headers` the text `{{ns}}` stands for the
 * namespace of the case, which exists; `{{case}}` for its name; `{{2.metadata.uid}}` for a field of the answer to its second step, of
 * whatever type where it is a whole text.
 */
export interface DifferentialStep {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  /** Text and bytes are sent as they are, anything else as JSON; a function makes it of the answers so far. */
  readonly body?: unknown;
  /** `content-type` is `application/json` where there is a body, `accept` the same, unless given here. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Without an identity; otherwise as the administrator. */
  readonly anonymous?: boolean;
  /** Sends the request again, for up to two minutes, until this holds of the answer, which is then compared. */
  readonly until?: (body: Json) => boolean;
  /** Reads a stream up to this number of lines, or its end; a minute at most. */
  readonly stream?: { readonly events: number };
  /** Opens a stream under this name, which later steps read, and compares status and headers; what is left open ends with the case. */
  readonly open?: string;
  /** Reads lines of a stream that was opened; method and path are not used. */
  readonly read?: { readonly from: string; readonly events: number };
  /** Absent: all. */
  readonly compares?: ComparedPart;
  /** Dotted paths, `*` for every item, of what is not compared in bodies: `items.*.spec.clusterIP`. */
  readonly ignores?: readonly string[];
  /** Where we answer otherwise on purpose, and must: the id of its row in docs/deviations.md, which a class of explained differences has. */
  readonly deviation?: string;
}

/** Requests that follow each other, in a namespace of their own. */
export interface DifferentialCase {
  /** Unique, a DNS label of up to 50 characters. */
  readonly name: string;
  /** Whether nothing else may go on at the servers meanwhile: it is played after all others. */
  readonly alone?: boolean;
  readonly steps: readonly DifferentialStep[];
}

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** A request that creates an object in a collection. */
export function create(path: string, body: unknown, more: Partial<DifferentialStep> = {}): DifferentialStep {
  return { method: 'POST', path, body, ...more };
}

/** A request that replaces an object. */
export function update(path: string, body: unknown, more: Partial<DifferentialStep> = {}): DifferentialStep {
  return { method: 'PUT', path, body, ...more };
}

/** A request that patches an object; `apply` needs a `fieldManager` in the path's query. */
export function patch(
  type: keyof typeof patchTypes,
  path: string,
  body: unknown,
  more: Partial<DifferentialStep> = {},
): DifferentialStep {
  return { method: 'PATCH', path, body, ...more, headers: { 'content-type': patchTypes[type], ...more.headers } };
}

/** A request that reads an object or a collection. */
export function read(path: string, more: Partial<DifferentialStep> = {}): DifferentialStep {
  return { method: 'GET', path, ...more };
}

/** A request that deletes an object or, where the path is one, a collection. */
export function remove(path: string, body?: unknown, more: Partial<DifferentialStep> = {}): DifferentialStep {
  return { method: 'DELETE', path, ...(body === undefined ? {} : { body }), ...more };
}
