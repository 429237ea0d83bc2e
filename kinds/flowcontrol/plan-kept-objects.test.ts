import { describe, expect, it } from 'vitest';
import type { ObjectMeta } from '../../core/meta/kube-object.ts';
import type { FlowSchema, FlowSchemaSpec } from './flow-schema/schema.ts';
import { autoUpdateAnnotation, planKeptFlowSchemas, planKeptPriorityLevels } from './plan-kept-objects.ts';
import type { PriorityLevelConfiguration } from './priority-level-configuration/schema.ts';

const domain = 'example.org';

/** All schemas as a server makes them, but for one. */
function listAllBut(name: string): FlowSchema[] {
  return planKeptFlowSchemas([], domain).flatMap((write) =>
    write.action === 'create' && write.object.metadata.name !== name ? [write.object] : [],
  );
}

function findKept(name: string): FlowSchema {
  const write = planKeptFlowSchemas([], domain).find(
    (one) => one.action === 'create' && one.object.metadata.name === name,
  );
  if (write?.action !== 'create') throw new Error(`there is no schema ${name}`);
  return write.object;
}

interface Stored {
  readonly name: string;
  readonly annotation?: string;
  readonly generation?: number;
  readonly spec?: Partial<FlowSchemaSpec>;
}

function store({ name, annotation, generation = 1, spec = {} }: Stored): FlowSchema {
  const kept = findKept(name);
  const metadata: ObjectMeta = { name, generation, resourceVersion: '5' };
  if (annotation !== undefined) metadata.annotations = { mine: 'x', [autoUpdateAnnotation]: annotation };
  return { ...kept, metadata, spec: { ...kept.spec, ...spec } };
}

const changed = { matchingPrecedence: 77 };

describe('planKeptFlowSchemas', () => {
  it('makes what is missing, annotated', () => {
    const writes = planKeptFlowSchemas(listAllBut('probes'), domain);
    expect(writes).toEqual([{ action: 'create', object: findKept('probes') }]);
    expect(findKept('probes')).toMatchObject({
      apiVersion: 'flowcontrol.apiserver.example.org/v1',
      metadata: { annotations: { [autoUpdateAnnotation]: 'true' } },
    });
  });

  it.for<[what: string, stored: Stored]>([
    ['a suggested one that follows', { name: 'probes', annotation: 'true' }],
    ['a suggested one that people have taken over', { name: 'probes', annotation: 'false', spec: changed }],
    ['an annotation in another spelling of Go', { name: 'probes', annotation: 'T' }],
    ['a mandatory one', { name: 'exempt', annotation: 'true' }],
  ])('leaves alone %s', ([, stored]) => {
    expect(planKeptFlowSchemas([...listAllBut(stored.name), store(stored)], domain)).toEqual([]);
  });

  it.for<[what: string, stored: Stored, annotation: string, precedence: number]>([
    ['restores a suggested spec that follows', { name: 'probes', annotation: 'true', spec: changed }, 'true', 2],
    ['lets a changed spec without an annotation be', { name: 'probes', generation: 2, spec: changed }, 'false', 77],
    ['restores a first spec without an annotation', { name: 'probes', spec: changed }, 'true', 2],
    ['reads what is no boolean as nothing', { name: 'probes', annotation: 'yes', generation: 2 }, 'false', 2],
    ['restores a mandatory spec', { name: 'exempt', annotation: 'true', spec: changed }, 'true', 1],
    ['has a mandatory one follow', { name: 'exempt', annotation: 'false', generation: 3 }, 'true', 1],
  ])('%s', ([, stored, annotation, matchingPrecedence]) => {
    const object = store(stored);
    expect(planKeptFlowSchemas([...listAllBut(stored.name), object], domain)).toEqual([
      {
        action: 'update',
        object: {
          ...object,
          metadata: {
            ...object.metadata,
            annotations: { ...object.metadata.annotations, [autoUpdateAnnotation]: annotation },
          },
          spec: { ...object.spec, matchingPrecedence },
        },
      },
    ]);
  });

  it.for<[string | undefined, boolean]>([
    ['true', true],
    ['1', true],
    ['false', false],
    ['yes', false],
    [undefined, false],
  ])('an unknown schema annotated %j goes: %j', ([annotation, goes]) => {
    const { metadata, ...rest } = store({ name: 'probes', ...(annotation === undefined ? {} : { annotation }) });
    const old = { ...rest, metadata: { ...metadata, name: 'of-old' } };
    const writes = planKeptFlowSchemas([...listAllBut(''), old], domain);
    expect(writes).toEqual(goes ? [{ action: 'delete', name: 'of-old' }] : []);
  });
});

describe('planKeptPriorityLevels', () => {
  const all = planKeptPriorityLevels([], domain).flatMap((write) => (write.action === 'create' ? [write.object] : []));
  const change = (name: string, spec: PriorityLevelConfiguration['spec']): PriorityLevelConfiguration[] =>
    all.map((level) => (level.metadata.name === name ? { ...level, spec } : level));

  it('leaves the lending of exempt to people', () => {
    const exempt = { nominalConcurrencyShares: 50, lendablePercent: 10 };
    expect(planKeptPriorityLevels(change('exempt', { type: 'Exempt', exempt }), domain)).toEqual([]);
  });

  it('restores an exempt level that lost its lending', () => {
    expect(planKeptPriorityLevels(change('exempt', { type: 'Exempt' }), domain)).toMatchObject([
      { action: 'update', object: { spec: { exempt: { nominalConcurrencyShares: 0 } } } },
    ]);
  });

  it('restores a suggested level', () => {
    const writes = planKeptPriorityLevels(change('system', { type: 'Limited' }), domain);
    expect(writes).toMatchObject([{ object: { spec: { limited: { nominalConcurrencyShares: 30 } } } }]);
  });
});
