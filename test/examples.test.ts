import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

import type { KubeObject } from '../core/meta/kube-object.ts';
import { buildKindRegistry } from '../kinds/registry.ts';
import { startService } from './service/start-service.ts';
import type { Service, ServiceResponse } from './service/start-service.ts';

const folder = join(import.meta.dirname, '../examples');
const files = globSync('**/*.yaml', { cwd: folder }).sort();

function readObjects(file: string): KubeObject[] {
  return parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => document.toJS() as KubeObject);
}

describe('the examples', () => {
  const registry = buildKindRegistry('bailiwick.dev');
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service?.stop());

  function apply({ apiVersion, kind, ...rest }: KubeObject): Promise<ServiceResponse> {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const served = registry.findByKind(group, version, kind);
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const { name, namespace } = rest.metadata;
    const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
    return service.request('PATCH', `${root}${scope}/${served?.plural ?? ''}/${name ?? ''}?fieldManager=examples`, {
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify({ apiVersion, kind, ...rest }),
    });
  }

  it.for(files)('%s is taken, without a warning, and again without a change', async (file) => {
    for (const object of readObjects(file)) {
      const first = await apply(object);
      expect(first.status, first.text).toBe(201);
      expect(first.headers['warning']).toBeUndefined();
    }
    for (const object of readObjects(file)) {
      const again = await apply(object);
      expect(again.status, again.text).toBe(200);
    }
  });

  it('show each of the nine kinds', () => {
    const shown = new Set(files.flatMap(readObjects).map(({ kind }) => kind));
    for (const kind of [
      'ResourceQuota',
      'LimitRange',
      'NetworkPolicy',
      'Ingress',
      'PodDisruptionBudget',
      'FlowSchema',
      'PriorityLevelConfiguration',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ]) {
      expect(shown).toContain(kind);
    }
  });
});
