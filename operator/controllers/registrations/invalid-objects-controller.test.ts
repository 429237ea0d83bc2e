import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { MemoryClient } from '../../../admission/quota/testdata/memory-client.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { buildKindRegistry } from '../../../kinds/registry.ts';
import { systemClock } from '../../../platform/process/clock.ts';
import { createSilentLogger } from '../../../platform/process/logger.ts';
import { buildInvalidObjects } from './build-registrations.ts';

function makePolicy(name: string, spec: object): KubeObject {
  const metadata = { name, namespace: 'n', generation: 1 };
  return { apiVersion: 'networking.example.org/v1', kind: 'NetworkPolicy', metadata, spec } as KubeObject;
}

describe('buildInvalidObjects', () => {
  it('tells of objects of any own kind that nothing can act on, and of no others', async () => {
    const client = new MemoryClient();
    const resource = { group: 'networking.example.org', version: 'v1', resource: 'networkpolicies' };
    await client.create({ resource, namespace: 'n' }, makePolicy('good', { podSelector: {} }));
    await client.create({ resource, namespace: 'n' }, makePolicy('bad', { podSelector: {}, policyTypes: ['Both'] }));
    const told: unknown[][] = [];
    const metrics = new Registry();
    const controller = buildInvalidObjects({
      ...{ client, clock: systemClock, logger: createSilentLogger(), metrics },
      registry: buildKindRegistry('example.org'),
      events: {
        record: ({ metadata }, type, reason, message) => void told.push([metadata.name, type, reason, message]),
      },
    });
    await controller.start();
    expect(told).toEqual([
      [
        'bad',
        'Warning',
        'Invalid',
        expect.stringMatching(/^Nothing acts on it: spec.policyTypes\[0\]: Unsupported value/),
      ],
    ]);
    expect(controller.count).toBe(1);
    expect(await metrics.metrics()).toContain('bailiwick_invalid_objects_total{kind="NetworkPolicy"} 1');
    await controller.close();
  });
});
