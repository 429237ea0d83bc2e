import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { recountQuota } from './recount-quota.ts';
import { NAMESPACE, QuotaScene } from './testdata/quota-scene.ts';
import rows from './testdata/quotas.json' with { type: 'json' };

interface Row {
  name: string;
  /** Specs of the quotas q0, q1 … */
  quotas: { hard: Record<string, string> }[];
  /** What the namespace has from the start. */
  before: { resource: string; name: string }[];
  steps: { resource: string; object: KubeObject; message?: string }[];
  used: Record<string, string>[];
}

describe('quota refusals and use', () => {
  // The rows are the answers of a Kubernetes 1.34 control plane.
  it.for(rows as unknown as Row[])('$name', async (row) => {
    const scene = new QuotaScene();
    for (const { resource, name } of row.before) {
      await scene.create(resource, { apiVersion: 'v1', kind: 'X', metadata: { name } });
    }
    for (const [i, { hard, ...spec }] of row.quotas.entries()) {
      await scene.createQuota(`q${i}`, hard, spec);
      await recountQuota(scene, NAMESPACE, `q${i}`);
    }
    for (const { resource, object, message } of row.steps) {
      expect(await scene.create(resource, structuredClone(object))).toBe(message);
    }
    expect(row.quotas.map((_, i) => scene.readUsed(`q${i}`))).toEqual(row.used);
  });
});
