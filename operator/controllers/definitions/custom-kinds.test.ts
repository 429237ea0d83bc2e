import { describe, expect, it } from 'vitest';
import { defineCustomKinds } from '../../../kinds/apiextensions/custom-resource/define-custom-kinds.ts';
import type {
  CustomResourceDefinition,
  DefinedVersion,
} from '../../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';
import { buildKindRegistry } from '../../../kinds/registry.ts';
import { CustomKinds } from './custom-kinds.ts';

const schema = { openAPIV3Schema: { type: 'object' } };
const group = 'example.com';

function version(name: string, storage = true, served = true): DefinedVersion {
  return { name, served, storage, schema };
}

interface Parts {
  readonly plural?: string;
  readonly kind?: string;
  readonly group?: string;
  readonly versions?: readonly DefinedVersion[];
  readonly conditions?: readonly string[];
  readonly generation?: number;
}

function define(parts: Parts = {}): CustomResourceDefinition {
  const { plural = 'things', kind = 'Thing', versions = [version('v1')], conditions = ['NamesAccepted'] } = parts;
  const names = { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` };
  const own = parts.group ?? group;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${own}`, uid: plural, generation: parts.generation ?? 1 },
    spec: { group: own, names, scope: 'Namespaced', versions },
    status: {
      acceptedNames: names,
      conditions: conditions.map((type) => ({ type, status: 'True' as const })),
      storedVersions: ['v1'],
    },
  };
}

function start() {
  const registry = buildKindRegistry('bailiwick.dev');
  const stored = buildKindRegistry('bailiwick.dev', []);
  const failures: string[] = [];
  const kinds = new CustomKinds({
    registry,
    stored,
    define: defineCustomKinds,
    onFailure: ({ metadata }) => failures.push(metadata.name ?? ''),
  });
  const list = (of: typeof registry) =>
    of.kinds.filter(({ definedBy }) => definedBy !== undefined).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  return { registry, stored, kinds, failures, served: () => list(registry), kept: () => list(stored) };
}

describe('CustomKinds', () => {
  it.for<[string, Parts, string[]]>([
    ['a definition whose names are accepted', {}, ['example.com/v1 Thing']],
    ['an established one whose new names are not', { conditions: ['Established'] }, ['example.com/v1 Thing']],
    ['no definition that waits for its names', { conditions: [] }, []],
    [
      'every version that is served, the preferred one first',
      { versions: [version('v1beta1', false), version('v2', false), version('v1'), version('v1alpha1', false, false)] },
      ['example.com/v2 Thing', 'example.com/v1 Thing', 'example.com/v1beta1 Thing'],
    ],
    ['no resource of the program', { plural: 'networkpolicies', group: 'networking.bailiwick.dev' }, []],
    ['no resource of an alias group', { plural: 'resourcequotas', group: 'core.bailiwick.dev' }, []],
    ['no kind of the program', { kind: 'Ingress', group: 'networking.bailiwick.dev' }, []],
  ])('serves %s', ([, parts, expected]) => {
    const { kinds, served } = start();
    kinds.replace([define(parts)]);
    expect(served()).toEqual(expected);
  });

  it('knows what is stored, whether it is served or not', () => {
    const { kinds, served, kept } = start();
    kinds.replace([define({ versions: [version('v1', true, false), version('v2', false)] })]);
    expect(served()).toEqual(['example.com/v2 Thing']);
    expect(kept()).toEqual(['example.com/v1 Thing']);
  });

  it('knows what is stored of a kind whose name the program has', () => {
    const { kinds, served, kept } = start();
    kinds.replace([define({ kind: 'Ingress', group: 'networking.bailiwick.dev' })]);
    expect(served()).toEqual([]);
    expect(kept()).toEqual(['networking.bailiwick.dev/v1 Ingress']);
  });

  it('keeps what does not change, and the functions where only conditions do', () => {
    const { registry, kinds } = start();
    const find = () => registry.find(group, 'v1', 'things');
    let changes = 0;
    registry.subscribe(() => changes++);
    kinds.replace([define()]);
    const first = find();
    kinds.replace([define()]);
    expect(find()).toBe(first);
    expect(changes).toBe(1);
    kinds.replace([define({ conditions: ['NamesAccepted', 'Terminating'] })]);
    expect(find()).not.toBe(first);
    expect(find()?.strategy).toBe(first?.strategy);
    kinds.replace([define({ generation: 2 })]);
    expect(find()?.strategy).not.toBe(first?.strategy);
    kinds.replace([]);
    expect(find()).toBeUndefined();
  });

  it('leaves a kind to the first of two definitions that have its name for a moment', () => {
    const { kinds, registry } = start();
    kinds.replace([define(), define({ plural: 'others' })]);
    expect(registry.findByKind(group, 'v1', 'Thing')?.plural).toBe('things');
    expect(registry.find(group, 'v1', 'others')).toBeUndefined();
  });

  it('tells of a definition that no kind can be made of, and serves the others', () => {
    const { kinds, served, failures } = start();
    kinds.replace([define({ plural: 'broken', kind: 'Broken', versions: [version('v1', false)] }), define()]);
    expect(failures).toEqual(['broken.example.com']);
    expect(served()).toEqual(['example.com/v1 Thing']);
  });
});
