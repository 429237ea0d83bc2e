import { afterAll, beforeAll, expect, it } from 'vitest';

import { listContentTypes, listPaths, listQueries } from './bad-queries.ts';
import { badBodies, liveObjects } from './bad-requests.ts';
import type { BadRequest } from './bad-requests.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { startService } from './service/start-service.ts';
import type { Service } from './service/start-service.ts';

const requests: readonly BadRequest[] = [...badBodies, ...listContentTypes(), ...listQueries(), ...listPaths()];

describeCluster('bad input gets the status that a real API server gives to the same bytes', () => {
  let cluster: Cluster;
  let service: Service;

  beforeAll(async () => {
    [cluster, service] = await Promise.all([startCluster(), startService({ domain: 'k8s.io' })]);
    for (const [path, body] of liveObjects) {
      expect((await cluster.request('POST', path, { body })).status, path).toBe(201);
      expect((await service.request('POST', path, { body })).status, path).toBe(201);
    }
  });
  afterAll(async () => {
    await service?.stop();
    await cluster?.stop();
  });

  it.for(requests)('$name', async ({ method, path, headers, body }) => {
    const options = {
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : Buffer.from(body) }),
    };
    // A real server stops reading a body that is too large, and may reset the connection before its answer is read.
    const real = await cluster.request(method, path, options).catch(() => ({ status: 413, body: undefined }));
    const ours = await service.request(method, path, options);
    if (real.status >= 500) {
      // Kubernetes answers 500 to some patches although the client is to blame.
      expect(ours.status).toBeGreaterThanOrEqual(400);
      expect(ours.status).toBeLessThan(500);
      return;
    }
    expect(ours.status).toBe(real.status);
    if (ours.json?.kind === 'Status' && real.body?.kind === 'Status') expect(ours.json.reason).toBe(real.body.reason);
  });

  it('leaves the service as it was', async () => {
    expect((await service.request('GET', '/readyz')).status).toBe(200);
    expect(service.process.exitCode).toBeNull();
    expect(({} as Record<string, unknown>)['data']).toBeUndefined();
  });
});
