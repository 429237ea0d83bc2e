import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import type { JsonObject } from '../../core/meta/json.ts';
import { deriveCrd } from '../../kinds/derive-crd.ts';
import { buildKindRegistry, policyKinds } from '../../kinds/registry.ts';
import { ruleTables } from '../../kinds/rule-tables.ts';
import { renderCrds } from './render-crds.ts';
import { renewCrds } from './renew-crds.ts';

interface ShownCrd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly categories: readonly string[] };
    readonly versions: readonly { readonly subresources?: JsonObject; readonly additionalPrinterColumns: JsonObject[] }[];
  };
}

function show(kind: string, domain = 'bailiwick.dev'): ShownCrd {
  const registered = buildKindRegistry(domain).kinds.find((candidate) => candidate.kind === kind);
  if (registered === undefined) throw new Error(`there is no ${kind}`);
  return deriveCrd(registered) as unknown as ShownCrd;
}

describe('the CustomResourceDefinitions', () => {
  it('are up to date in the checkout', async () => {
    expect(await renewCrds(true)).toEqual([]);
  });

  it('are there for every policy kind and no other, in both folders', () => {
    const shown = [...renderCrds()].map(([path, text]) => [path, parse(text) as ShownCrd] as const);
    for (const folder of ['crds/', 'charts/']) {
      const kinds = shown.filter(([path]) => path.startsWith(folder)).map(([, crd]) => crd.spec.names.kind);
      expect(kinds.sort()).toEqual(policyKinds.map(({ kind }) => kind).sort());
    }
    expect(shown.filter(([, crd]) => crd.metadata.name.includes('bailiwick.dev')).length).toBe(policyKinds.length);
    expect(shown.filter(([, crd]) => crd.spec.group.endsWith('.{domain}')).length).toBe(policyKinds.length);
  });

  it.for([
    ['ResourceQuota', 'resourcequotas.core.example.org'],
    ['PodDisruptionBudget', 'poddisruptionbudgets.policy.example.org'],
    ['Ingress', 'ingresses.networking.example.org'],
    ['FlowSchema', 'flowschemas.flowcontrol.apiserver.example.org'],
  ])('have the alias group where a kind has one: %s', ([kind, name]) => {
    expect(show(kind as string, 'example.org').metadata.name).toBe(name);
  });

  it.for(policyKinds.map(({ kind, strategy }) => [kind, strategy.status !== undefined] as const))(
    '%s has a category of ours, an age, and a status when the kind has one',
    ([kind, hasStatus]) => {
      const { names, versions } = show(kind).spec;
      expect(names.categories).toContain('bailiwick');
      expect(versions.map(({ subresources }) => subresources)).toEqual([hasStatus ? { status: {} } : undefined]);
      const paths = versions.flatMap((version) => version.additionalPrinterColumns.map(({ jsonPath }) => jsonPath));
      expect(paths).toContain('.metadata.creationTimestamp');
    },
  );

  it.for(policyKinds.map((kind) => [kind.kind, kind] as const))('exceptions of %s name its rules, each once', ([name, kind]) => {
    const known = new Set(ruleTables[name]?.map(({ rule }) => rule));
    const exceptions = kind.crd?.exceptions ?? [];
    expect(exceptions.filter(({ rule, example }) => known.has(rule) === (example !== undefined))).toEqual([]);
    expect(new Set(exceptions.map(({ rule, effect }) => `${rule} ${effect}`)).size).toBe(exceptions.length);
  });

  it('are not made where the group would have no dot, nor for kinds without notes', () => {
    expect(() => show('ResourceQuota', 'k8s.io')).toThrow('needs a dot');
    expect(() => show('Pod')).toThrow('has no notes');
  });
});
