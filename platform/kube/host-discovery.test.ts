import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSilentLogger } from '../process/logger.ts';
import { ManualClock } from '../process/manual-clock.ts';
import type { HostConnection } from './host-connection.ts';
import { HostDiscovery } from './host-discovery.ts';
import { connectHost } from './open-host-connection.ts';

/** Documents by path; a text is sent with its own type, a number is a status. */
let documents: Record<string, object | number>;
let asked: string[];
let server: Server;
let connection: HostConnection;
let clock: ManualClock;
let discovery: HostDiscovery;

beforeEach(async () => {
  documents = {};
  asked = [];
  server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const document = documents[path] ?? 404;
    if (typeof document === 'number') {
      response.writeHead(document).end();
      return;
    }
    const body = JSON.stringify(document);
    const etag = `"${body.length}-${body.slice(-40).replaceAll('"', '')}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { 'content-type': 'application/json', etag }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const source = {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    read: async () => ({ tls: {}, headers: {} }),
    invalidate: () => undefined,
  };
  clock = new ManualClock();
  const common = { clock, logger: createSilentLogger() };
  connection = connectHost(source, { ...common, userAgent: 'x' });
  discovery = new HostDiscovery({ ...common, connection });
});
afterEach(async () => {
  await discovery.close();
  connection.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const show = (): string[] =>
  discovery.resources.map(
    ({ group, version, resource, kind, namespaced, verbs, subresources }) =>
      `${group}/${version} ${resource} ${kind} ${namespaced ? 'namespaced' : 'cluster'} ${verbs.join()} ${subresources.join()}`,
  );

const entry = (resource: string, kind: string, scope: string, subresources: string[] = []) => ({
  resource,
  responseKind: { group: '', version: '', kind },
  scope,
  singularResource: kind.toLowerCase(),
  verbs: ['get', 'list'],
  subresources: subresources.map((subresource) => ({ subresource, verbs: ['get'] })),
});
const list = (...items: object[]) => ({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items });
const group = (name: string, ...versions: [string, object[], string?][]) => ({
  metadata: { name },
  versions: versions.map(([version, resources, freshness = 'Current']) => ({ version, resources, freshness })),
});

describe('HostDiscovery', () => {
  beforeEach(() => {
    documents['/api'] = list(group('', ['v1', [entry('pods', 'Pod', 'Namespaced', ['status', 'log'])]]));
    documents['/apis'] = list(
      group(
        'x.io',
        ['v2', [entry('foos', 'Foo', 'Cluster')]],
        ['v1', [entry('foos', 'Foo', 'Cluster'), entry('bars', 'Bar', 'Namespaced')]],
      ),
      group('y.io', ['v1', [entry('bazs', 'Baz', 'Namespaced')]]),
    );
  });

  it('lists each resource once, in the version that the host prefers', async () => {
    await discovery.start();
    expect(show()).toEqual([
      '/v1 pods Pod namespaced get,list status,log',
      'x.io/v2 foos Foo cluster get,list ',
      'x.io/v1 bars Bar namespaced get,list ',
      'y.io/v1 bazs Baz namespaced get,list ',
    ]);
  });

  it('says in which versions each kind is served, and tells when that changes', async () => {
    const listServed = (): string[] =>
      discovery.resources.map(({ resource, servedVersions }) => `${resource} ${servedVersions.join()}`);
    await discovery.start();
    expect(listServed()).toEqual(['pods v1', 'foos v2,v1', 'bars v1', 'bazs v1']);
    let told = 0;
    discovery.subscribe(() => (told += 1));
    documents['/apis'] = list(
      group('x.io', ['v2', [entry('foos', 'Foo', 'Cluster')]], ['v1', [entry('foos', 'Fool', 'Cluster')]]),
    );
    await discovery.refresh();
    expect([listServed(), told]).toEqual([['pods v1', 'foos v2'], 1]);
  });

  it('asks whether documents changed, and tells of changes only', async () => {
    let told = 0;
    await discovery.start();
    discovery.subscribe(() => (told += 1));
    await discovery.refresh();
    expect(told).toBe(0);
    const before = discovery.resources;
    documents['/apis'] = list(group('y.io', ['v1', [entry('bazs', 'Baz', 'Cluster')]]));
    await discovery.refresh();
    expect(told).toBe(1);
    expect(discovery.resources).not.toBe(before);
    expect(show().slice(1)).toEqual(['y.io/v1 bazs Baz cluster get,list ']);
  });

  it('looks again every half minute', async () => {
    await discovery.start();
    const changed = new Promise((resolve) => discovery.subscribe(resolve));
    documents['/apis'] = list();
    clock.advance(36_000);
    await changed;
    expect(show().length).toBe(1);
  });

  it('keeps what it knows of a group whose server does not answer, and forgets one that is gone', async () => {
    await discovery.start();
    documents['/apis'] = list(group('y.io', ['v1', [], 'Stale']));
    await discovery.refresh();
    expect(show().slice(1)).toEqual(['y.io/v1 bazs Baz namespaced get,list ']);
    documents['/apis'] = list();
    await discovery.refresh();
    documents['/apis'] = list(group('y.io', ['v1', [], 'Stale']));
    await discovery.refresh();
    expect(show().length).toBe(1);
  });

  it('keeps everything when the host does not answer', async () => {
    await discovery.start();
    const before = discovery.resources;
    documents['/apis'] = 503;
    await expect(discovery.refresh()).rejects.toThrow('503');
    expect(discovery.resources).toBe(before);
  });

  it('tries until it knows a first state', async () => {
    const apis = documents['/apis'] ?? 404;
    documents['/apis'] = 503;
    const started = discovery.start();
    while (asked.filter((path) => path === '/apis').length < 1 || clock.pendingCount < 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    documents['/apis'] = apis;
    while (show().length === 0) {
      clock.advance(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await started;
    expect(show().length).toBe(4);
  });

  it('reads the documents of hosts that have no aggregated ones', async () => {
    const resources = (...names: [string, string, boolean][]) => ({
      kind: 'APIResourceList',
      resources: names.map(([name, kind, namespaced]) => ({ name, kind, namespaced, verbs: ['get'] })),
    });
    documents = {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/api/v1': resources(['pods', 'Pod', true], ['pods/status', 'Pod', true]),
      '/apis': {
        kind: 'APIGroupList',
        groups: [
          { name: 'x.io', versions: [{ version: 'v1' }, { version: 'v2' }], preferredVersion: { version: 'v2' } },
          { name: 'y.io', versions: [{ version: 'v1' }] },
        ],
      },
      '/apis/x.io/v2': resources(['foos', 'Foo', false]),
      '/apis/x.io/v1': resources(['foos', 'Foo', false], ['bars', 'Bar', true]),
      '/apis/y.io/v1': resources(['bazs', 'Baz', true]),
    };
    await discovery.start();
    const expected = [
      '/v1 pods Pod namespaced get status',
      'x.io/v2 foos Foo cluster get ',
      'x.io/v1 bars Bar namespaced get ',
      'y.io/v1 bazs Baz namespaced get ',
    ];
    expect(show()).toEqual(expected);
    documents['/apis/y.io/v1'] = 503;
    await discovery.refresh();
    expect(show()).toEqual(expected);
  });
});
