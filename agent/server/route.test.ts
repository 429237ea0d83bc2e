import { describe, expect, it } from 'vitest';
import { type Route, RouteTable } from './route.ts';

const handle = async (): Promise<void> => undefined;
const routes: Route[] = [
  { path: '/healthz', handle },
  { path: '/healthz/*', handle },
  { method: 'GET', path: '/items', handle },
  { method: 'GET', path: '/items/{namespace}/{name}', handle },
  { method: 'DELETE', path: '/items/{namespace}/{name}', handle },
];
const table = new RouteTable(routes);

describe('RouteTable', () => {
  it.for([
    ['GET', '/healthz', '/healthz', {}],
    ['BREW', '/healthz', '/healthz', {}],
    ['GET', '/healthz/a/b', '/healthz/*', {}],
    ['GET', '/items', '/items', {}],
    ['GET', '/items/a/b', '/items/{namespace}/{name}', { namespace: 'a', name: 'b' }],
    ['DELETE', '/items/__proto__/b', '/items/{namespace}/{name}', { namespace: '__proto__', name: 'b' }],
  ] as const)('finds %s %s', ([method, path, pattern, parameters]) => {
    const match = table.find(method, path.split('/').slice(1));
    expect('route' in match && [match.route.path, match.parameters]).toEqual([pattern, parameters]);
  });

  it.for([
    ['GET', '/items/a', { status: 404 }],
    ['GET', '/items/a/', { status: 404 }],
    ['GET', '/items//b', { status: 404 }],
    ['GET', '/items/a/b/c', { status: 404 }],
    ['GET', '/other', { status: 404 }],
    ['POST', '/items', { status: 405, allowed: ['GET'] }],
    ['PUT', '/items/a/b', { status: 405, allowed: ['GET', 'DELETE'] }],
  ] as const)('finds nothing for %s %s', ([method, path, match]) => {
    expect(table.find(method, path.split('/').slice(1))).toEqual(match);
  });

  it('knows below what anything is served', () => {
    expect(table.findRoot(['items', 'x'])).toBe('items');
    expect(table.findRoot(['other'])).toBeUndefined();
    expect(table.findRoot([''])).toBeUndefined();
  });
});
