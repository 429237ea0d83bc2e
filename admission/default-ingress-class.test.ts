import { describe, expect, it } from 'vitest';

import type { KubeObject } from '../core/meta/kube-object.ts';
import type { AdmissionAttributes } from './admission-plugin.ts';
import { DefaultIngressClass } from './default-ingress-class.ts';
import { MemoryClient } from './quota/testdata/memory-client.ts';

const domain = 'example.com';

async function startPlugin(...marked: string[]): Promise<DefaultIngressClass> {
  const client = new MemoryClient({});
  for (const name of ['other', ...marked]) {
    const annotations = { 'ingressclass.kubernetes.io/is-default-class': String(marked.includes(name)) };
    const ingressClass = { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: { name, annotations } };
    const resource = { group: 'networking.k8s.io', version: 'v1', resource: 'ingressclasses' };
    await client.create({ resource }, ingressClass);
  }
  return new DefaultIngressClass(client, domain);
}

function makeAttributes(spec: object, more: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  const apiVersion = `networking.${domain}/v1`;
  const object = { apiVersion, kind: 'Ingress', metadata: { name: 'i' }, spec } as KubeObject;
  return {
    operation: 'CREATE',
    resource: { group: `networking.${domain}`, version: 'v1', resource: 'ingresses' },
    kind: 'Ingress',
    namespace: 'n',
    name: 'i',
    object,
    dryRun: false,
    user: { username: 'u', groups: [] },
    ...more,
  };
}

describe('DefaultIngressClass', () => {
  it.for([
    ['fills in the default class', ['main'], {}, { ingressClassName: 'main' }],
    ['keeps a class that is given', ['main'], { ingressClassName: 'own' }, { ingressClassName: 'own' }],
    ['fills in nothing where no class is marked', [], {}, {}],
  ] as const)('%s', async ([, marked, spec, expected]) => {
    const plugin = await startPlugin(...marked);
    const attributes = makeAttributes(structuredClone(spec));
    expect(plugin.handles(attributes)).toBe(true);
    await plugin.mutate(attributes);
    expect((attributes.object as KubeObject & { spec: object }).spec).toEqual(expected);
  });

  it.for([
    ['an update', { operation: 'UPDATE' }],
    ['a subresource', { subresource: 'status' }],
    ['another group', { resource: { group: 'networking.k8s.io', version: 'v1', resource: 'ingresses' } }],
    ['another resource', { resource: { group: `networking.${domain}`, version: 'v1', resource: 'networkpolicies' } }],
  ] as const)('leaves %s alone', async ([, more]) => {
    expect((await startPlugin('main')).handles(makeAttributes({}, more))).toBe(false);
  });
});
