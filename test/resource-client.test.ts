import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { buildKindRegistry } from '../kinds/registry.ts';
import type { KindRegistry } from '../kinds/registry.ts';
import { EmbeddedResources } from '../operator/apiserver/pipeline/embedded-resources.ts';
import { startTestService } from '../operator/apiserver/start-test-service.ts';
import { connectHost } from '../platform/kube/open-host-connection.ts';
import { systemClock } from '../platform/process/clock.ts';
import { createSilentLogger } from '../platform/process/logger.ts';
import { createHostResourceClient } from '../platform/resources/host-resource-client.ts';
import { describeResourceClient } from '../platform/resources/resource-client.contract.ts';
import { openSqliteStore } from '../platform/store/sqlite-store.ts';

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

describeResourceClient('the pipeline', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'resource-client-'));
  const store = await openSqliteStore({ file: join(folder, 'store.db') });
  const resources = new EmbeddedResources({ store, registry, now: () => systemClock.now() });
  return {
    subject: {
      client: resources.clientFor({ username: 'tester', groups: ['system:masters'] }),
      readsBodies: false,
      compact: () => store.compact(store.revision),
    },
    dispose: async () => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});

// The same service over HTTP: its groups are those of the specification, so that nothing is renamed.
describeResourceClient('the host driver over the API service', async () => {
  const service = await startTestService();
  const connection = connectHost(
    {
      server: `https://127.0.0.1:${service.port}`,
      read: async () => ({ tls: { rejectUnauthorized: false }, headers: { authorization: 'Bearer test' } }),
      invalidate: () => undefined,
    },
    { clock: systemClock, logger: createSilentLogger(), userAgent: 'contract/1.0' },
  );
  return {
    subject: {
      client: createHostResourceClient({ connection, registry: plainRegistry, clock: systemClock }),
      readsBodies: true,
      compact: () => service.store.compact(service.store.revision),
    },
    dispose: async () => {
      connection.close();
      await service.stop();
    },
  };
});
