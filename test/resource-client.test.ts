import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe } from 'vitest';

import { buildKindRegistry } from '../kinds/registry.ts';
import type { KindRegistry } from '../kinds/registry.ts';
import { EmbeddedResources } from '../operator/apiserver/pipeline/embedded-resources.ts';
import { startTestService, type TestService } from '../operator/apiserver/start-test-service.ts';
import type { HostConnection } from '../platform/kube/host-connection.ts';
import { connectHost } from '../platform/kube/open-host-connection.ts';
import { systemClock } from '../platform/process/clock.ts';
import { createSilentLogger } from '../platform/process/logger.ts';
import { createHostResourceClient } from '../platform/resources/host-resource-client.ts';
import { describeResourceClient } from '../platform/resources/resource-client.contract.ts';
import { openSqliteStore, type SqliteStore } from '../platform/store/sqlite-store.ts';

const registry = buildKindRegistry('bailiwick.dev');

/** The kinds without their names on a host: the service has them under those of the specification. */
const plainRegistry: KindRegistry = {
  ...registry,
  find(group, version, plural) {
    const kind = registry.find(group, version, plural);
    if (kind === undefined) return undefined;
    const { aliasGroup: _aliasGroup, ...plain } = kind;
    return plain;
  },
};

describe('one store', () => {
  let folder: string;
  let store: SqliteStore;
  let resources: EmbeddedResources;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'resource-client-'));
    store = await openSqliteStore({ file: join(folder, 'store.db') });
    resources = new EmbeddedResources({ store, registry, now: () => systemClock.now() });
  });
  afterAll(async () => {
    await store?.close();
    await rm(folder, { recursive: true, force: true });
  });

  describeResourceClient('the pipeline', () => ({
    client: resources.clientFor({ username: 'tester', groups: ['system:masters'] }),
    readsBodies: false,
    compact: () => store.compact(store.revision),
  }));
});

// The same over HTTP, under the groups of the specification, so that nothing is renamed.
describe('one API service', () => {
  let service: TestService;
  let connection: HostConnection;

  beforeAll(async () => {
    service = await startTestService();
    const source = {
      server: `https://127.0.0.1:${service.port}`,
      read: async () => ({ tls: { rejectUnauthorized: false }, headers: { authorization: 'Bearer test' } }),
      invalidate: () => undefined,
    };
    const logger = createSilentLogger();
    connection = connectHost(source, { clock: systemClock, logger, userAgent: 'contract/1.0' });
  });
  afterAll(async () => {
    connection?.close();
    await service?.stop();
  });

  describeResourceClient('the host driver', () => ({
    client: createHostResourceClient({ connection, registry: plainRegistry, clock: systemClock }),
    readsBodies: true,
    compact: () => service.store.compact(service.store.revision),
  }));
});
