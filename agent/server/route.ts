import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that has been let in and found its route. */
export interface RouteRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Decoded parts of the path by their names. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Aborts when the caller goes before the answer is sent. */
  readonly signal: AbortSignal;
}

/** What is served at one path. */
export interface Route {
  /** Absent: whatever the method. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Parts of the path; `{name}` takes any part, and `*` at the end what is left. */
  readonly path: string;
  /** Answers; what it throws is answered by 500. */
  handle(request: RouteRequest): Promise<void>;
}

/** The route of a path and method, or the status code of there being none; `allowed` are the methods of a path. */
export type RouteMatch =
  | { readonly route: Route; readonly parameters: Readonly<Record<string, string>> }
  | { readonly status: 404 }
  | { readonly status: 405; readonly allowed: readonly string[] };

function matchPath(path: string, parts: readonly string[]): Record<string, string> | undefined {
  const pattern = path.split('/').slice(1);
  const isOpen = pattern.at(-1) === '*';
  // The kubelet takes a slash at the end of a path that names something.
  const count = parts.at(-1) === '' && pattern.at(-1)?.startsWith('{') ? parts.length - 1 : parts.length;
  if (isOpen ? count < pattern.length - 1 : count !== pattern.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    if (expected === '*') break;
    const part = parts[index] ?? '';
    if (!expected.startsWith('{')) {
      if (part !== expected) return undefined;
    } else if (part === '') {
      return undefined;
    } else {
      parameters[expected.slice(1, -1)] = part;
    }
  }
  return parameters;
}

/** Routes by the first part of their paths. */
export class RouteTable {
  readonly #routes = new Map<string, Route[]>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const [, root = ''] = route.path.split('/');
      const found = this.#routes.get(root);
      if (found === undefined) this.#routes.set(root, [route]);
      else found.push(route);
    }
  }

  /** The first part of `parts`, when anything is served below it. */
  findRoot(parts: readonly string[]): string | undefined {
    const [root = ''] = parts;
    return this.#routes.has(root) ? root : undefined;
  }

  find(method: string, parts: readonly string[]): RouteMatch {
    const allowed: string[] = [];
    for (const route of this.#routes.get(parts[0] ?? '') ?? []) {
      const parameters = matchPath(route.path, parts);
      if (parameters === undefined) continue;
      if (route.method === undefined || route.method === method) return { route, parameters };
      allowed.push(route.method);
    }
    return allowed.length === 0 ? { status: 404 } : { status: 405, allowed };
  }
}
