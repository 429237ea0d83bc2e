import { describe, expect, it } from 'vitest';
import type { KubeObject, ManagedFieldsEntry } from '../meta/kube-object.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { applyConfiguration, type ApplyInput } from './apply-configuration.ts';
import { chooseFieldManager } from './choose-field-manager.ts';
import { keepManagedFieldsTimes } from './keep-managed-fields-times.ts';
import { checkManagedFields } from './managed-fields.ts';
import { fromScaleManagedFields, toScaleManagedFields } from './scale-managed-fields.ts';
import { updateManagedFields, type ManagedFieldsUpdate } from './update-managed-fields.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const TIME = '2026-01-02T03:04:05Z';

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: {
      type: 'object',
      zero: 'fill',
      properties: {
        name: { type: 'string' },
        namespace: { type: 'string' },
        labels: { type: 'object', values: { type: 'string' } },
        annotations: { type: 'object', values: { type: 'string' } },
        managedFields: { type: 'array', items: { type: 'any' } },
      },
    },
    spec: {
      type: 'object',
      zero: 'fill',
      properties: {
        replicas: { type: 'integer', zero: 'fill' },
        selector: { type: 'object', zero: 'fill', mapType: 'atomic', properties: { labels: { type: 'any' } } },
        data: { type: 'object', values: { type: 'string' } },
      },
    },
    status: { type: 'object', properties: { used: { type: 'integer' } } },
  },
};

function makeObject(spec: object, managedFields?: ManagedFieldsEntry[], extra: object = {}): KubeObject {
  const metadata = { name: 'o', ...(managedFields ? { managedFields } : {}) };
  return { apiVersion: 'x/v1', kind: 'K', metadata, spec, ...extra } as KubeObject;
}

function makeEntry(manager: string, data: string[], notes: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  return {
    manager,
    operation: 'Update',
    apiVersion: 'x/v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:data': Object.fromEntries(data.map((key) => [`f:${key}`, {}])) } },
    ...notes,
  };
}

function update(
  input: Partial<ManagedFieldsUpdate> & Pick<ManagedFieldsUpdate, 'next'>,
): ManagedFieldsEntry[] | undefined {
  return updateManagedFields({ live: undefined, manager: 'me', apiVersion: 'x/v1', nowMillis: NOW, schema, ...input });
}

function apply(input: Partial<ApplyInput> & Pick<ApplyInput, 'applied'>): ReturnType<typeof applyConfiguration> {
  const { applied } = input;
  return applyConfiguration({
    live: undefined,
    manager: 'me',
    force: false,
    apiVersion: 'x/v1',
    kind: 'K',
    nowMillis: NOW,
    schema,
    ...input,
    applied: { apiVersion: 'x/v1', kind: 'K', ...applied },
  });
}

describe('a create', () => {
  it('owns what differs from the zero object', () => {
    const managed = update({ next: makeObject({ replicas: 0, selector: {}, data: { a: '1' } }) });
    expect(managed).toEqual([
      makeEntry('me', [], { time: TIME, fieldsV1: { 'f:spec': { 'f:data': { '.': {}, 'f:a': {} } } } }),
    ]);
  });

  it('owns no metadata that the server sets', () => {
    const next = makeObject({ replicas: 0, selector: {} });
    Object.assign(next.metadata, { uid: 'u', resourceVersion: '1', generation: 1, creationTimestamp: TIME });
    expect(update({ next })).toBeUndefined();
  });

  it('is recorded as unknown without a manager', () => {
    expect(update({ manager: '', next: makeObject({ replicas: 1, selector: {} }) })?.[0]?.manager).toBe('unknown');
  });
});

describe('an update', () => {
  const live = makeObject({ data: { a: '1', b: '1' } }, [makeEntry('one', ['a']), makeEntry('two', ['b'])]);

  it('leaves everything alone when it changes nothing', () => {
    expect(update({ live, next: makeObject({ data: { a: '1', b: '1' } }) })).toEqual(live.metadata.managedFields);
  });

  it('takes what it changes, and managers without fields vanish', () => {
    expect(update({ live, next: makeObject({ data: { a: '2', b: '1' } }) })).toEqual([
      makeEntry('two', ['b']),
      makeEntry('me', ['a'], { time: TIME }),
    ]);
  });

  it('adds to what its manager owned and renews its time', () => {
    const managed = update({ manager: 'one', live, next: makeObject({ data: { a: '1', b: '2' } }) });
    expect(managed).toEqual([makeEntry('one', ['a', 'b'], { time: TIME })]);
  });

  it('forgets what it removes', () => {
    expect(update({ live, next: makeObject({ data: { a: '1' } }) })).toEqual([makeEntry('one', ['a'])]);
  });

  it('does not track an object that never was', () => {
    const untracked = makeObject({ data: { a: '1' } });
    expect(update({ live: untracked, next: makeObject({ data: { a: '2' } }) })).toBeUndefined();
  });

  it('is told apart by subresource and ignores what a client sends there', () => {
    const next = makeObject({ data: { a: '1', b: '1' } }, [], { status: { used: 1 } });
    const managed = update({ manager: 'one', subresource: 'status', live, next, resetFields: [['spec']] });
    expect(managed?.[2]).toEqual(
      makeEntry('one', [], { time: TIME, subresource: 'status', fieldsV1: { 'f:status': { '.': {}, 'f:used': {} } } }),
    );
  });

  it('does not own what its endpoint resets', () => {
    const next = makeObject({ data: { a: '2', b: '1' } }, undefined, { status: { used: 1 } });
    expect(update({ live, next, resetFields: [['spec']] })).toEqual([
      ...live.metadata.managedFields!,
      makeEntry('me', [], { time: TIME, fieldsV1: { 'f:status': { '.': {}, 'f:used': {} } } }),
    ]);
  });

  it('drops entries of versions that are not served', () => {
    const old = makeObject({ data: { a: '1', b: '1' } }, [
      makeEntry('old', ['a'], { apiVersion: 'x/v0' }),
      makeEntry('alias', ['b'], { apiVersion: 'core.x/v1' }),
    ]);
    const managed = update({
      live: old,
      next: makeObject({ data: { a: '2', b: '1' } }),
      otherApiVersions: ['core.x/v1'],
    });
    expect(managed?.map((entry) => entry.manager)).toEqual(['alias', 'me']);
  });
});

describe('managedFields that a client sends', () => {
  const live = makeObject({ data: { a: '1' } }, [makeEntry('one', ['a'])]);
  const same = { data: { a: '1' } };

  it.for<[string, ManagedFieldsEntry[] | undefined, ManagedFieldsEntry[] | undefined]>([
    ['none: the stored ones stay', undefined, live.metadata.managedFields],
    ['an empty list resets', [], undefined],
    ['one empty entry resets', [{}], undefined],
    ['others are taken', [makeEntry('new', ['a'])], [makeEntry('new', ['a'])]],
    ['unreadable ones are ignored', [makeEntry('new', ['a'], { fieldsType: 'X' })], live.metadata.managedFields],
    ['unknown operations are ignored', [{ manager: 'x' }, {}], live.metadata.managedFields],
  ])('%s', ([, sent, stored]) => {
    expect(update({ live, next: makeObject(same, sent) })).toEqual(stored);
    expect(update({ live, next: makeObject(same), ...(sent ? { requestedManagedFields: sent } : {}) })).toEqual(stored);
  });

  it('are checked after admission', () => {
    const entry = makeEntry('a', ['a']);
    expect(checkManagedFields(undefined)).toBeUndefined();
    expect(checkManagedFields([entry])).toBeUndefined();
    expect(checkManagedFields([{}])).toBe('operation must be `Apply` or `Update`');
    expect(checkManagedFields([{ ...entry, apiVersion: '' }])).toBe('apiVersion must not be empty');
    expect(checkManagedFields([{ ...entry, fieldsType: '' }])).toBe('missing fieldsType in managed fields entry 0');
    expect(checkManagedFields([entry, { ...entry, fieldsType: 'F' }])).toBe(
      'invalid fieldsType "F" in managed fields entry 1',
    );
  });
});

describe('an apply', () => {
  it('creates what it mentions', () => {
    expect(apply({ applied: { metadata: { name: 'o' }, spec: { data: { a: '1' } } } })).toEqual({
      outcome: 'applied',
      changed: true,
      object: {
        apiVersion: 'x/v1',
        kind: 'K',
        metadata: { name: 'o', managedFields: [makeEntry('me', ['a'], { operation: 'Apply', time: TIME })] },
        spec: { data: { a: '1' } },
      },
      managedFields: [makeEntry('me', ['a'], { operation: 'Apply', time: TIME })],
    });
  });

  it('has no time when its manager is new and nothing changes', () => {
    const live = makeObject({ data: { a: '1' } }, [makeEntry('one', ['a'])]);
    const result = apply({ live, applied: { spec: { data: { a: '1' } } } });
    const { time, ...own } = makeEntry('me', ['a'], { operation: 'Apply' });
    expect(time).toBeDefined();
    expect(result).toMatchObject({ changed: false, managedFields: [own, makeEntry('one', ['a'])] });
  });

  it.for<[string, Partial<ApplyInput> & Pick<ApplyInput, 'applied'>, 400 | 500, string]>([
    ['no version', { applied: { apiVersion: undefined } }, 400, 'invalid object type: /, Kind=K'],
    ['another kind', { applied: { kind: 'L' } }, 400, 'invalid object type: x/v1, Kind=L'],
    [
      'a core kind',
      { apiVersion: 'v1', applied: { apiVersion: 'v1', kind: 'L' } },
      400,
      'invalid object type: /v1, Kind=L',
    ],
    ['managers', { applied: { metadata: { managedFields: [] } } }, 400, 'metadata.managedFields must be nil'],
    [
      'an unknown field',
      { applied: { metadata: { name: 'o', namespace: 'n' }, x: 1 } },
      500,
      'failed to create typed patch object (n/o; x/v1, Kind=K): .x: field not declared in schema',
    ],
    [
      'an unreadable stored record',
      { live: makeObject({}, [{}]), applied: {} },
      500,
      'failed to decode managed fields: operation must be `Apply` or `Update`',
    ],
  ])('is rejected with %s', ([, input, code, message]) => {
    expect(apply(input)).toEqual({ outcome: 'rejected', code, message });
  });

  it('tells every conflict', () => {
    const live = makeObject({ data: { a: '1', b: '1', c: '1' } }, [
      makeEntry('one', ['a'], { operation: 'Apply' }),
      makeEntry('two', ['b', 'c'], { subresource: 'status' }),
    ]);
    const result = apply({ live, applied: { spec: { data: { a: '2', b: '2' } } } });
    expect(result).toEqual({
      outcome: 'conflict',
      message:
        'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.data.a\n' +
        'conflicts with "two" with subresource "status" using x/v1:\n- .spec.data.b',
      causes: [
        { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.data.a' },
        {
          reason: 'FieldManagerConflict',
          message: 'conflict with "two" with subresource "status" using x/v1',
          field: '.spec.data.b',
        },
      ],
      conflicts: [
        { manager: 'one', operation: 'Apply', apiVersion: 'x/v1', field: '.spec.data.a' },
        { manager: 'two', operation: 'Update', apiVersion: 'x/v1', subresource: 'status', field: '.spec.data.b' },
      ],
    });
  });
});

describe('times of a write without effect', () => {
  const live = makeObject({ data: { a: '1' } }, [makeEntry('one', ['a'])]);

  it('stay', () => {
    const next = makeObject({ data: { a: '1' } }, [makeEntry('one', ['a'], { time: TIME })]);
    expect(keepManagedFieldsTimes(live, next)).toBe(live.metadata.managedFields);
  });

  it.for<[string, KubeObject]>([
    ['the object changed', makeObject({ data: { a: '2' } }, [makeEntry('one', ['a'], { time: TIME })])],
    ['the set changed', makeObject({ data: { a: '1' } }, [makeEntry('one', ['b'], { time: TIME })])],
    [
      'a manager came',
      makeObject({ data: { a: '1' } }, [makeEntry('one', ['a']), makeEntry('two', ['a'], { time: TIME })]),
    ],
    ['all managers went', makeObject({ data: { a: '1' } })],
  ])('are renewed when %s', ([, next]) => {
    expect(keepManagedFieldsTimes(live, next)).toBe(next.metadata.managedFields);
  });
});

describe('the manager of a write', () => {
  it.for<[string | undefined, string | undefined, string]>([
    ['m', 'agent/1', 'm'],
    ['', 'agent/1.2 (linux)', 'agent'],
    [undefined, 'Mozilla 5\u0000\t/x', 'Mozilla 5'],
    [undefined, undefined, ''],
    [undefined, 'a'.repeat(200), 'a'.repeat(128)],
    [undefined, `${'a'.repeat(127)}é`, 'a'.repeat(127)],
  ])('%j, %j: %j', ([query, agent, manager]) => {
    expect(chooseFieldManager(query, agent)).toBe(manager);
  });
});

describe('a scale', () => {
  const paths = { 'x/v1': ['spec', 'replicas'] };
  const replicas = { 'f:spec': { 'f:replicas': {} } };
  const owner = makeEntry('one', [], { fieldsV1: { 'f:spec': { 'f:data': { 'f:a': {} }, 'f:replicas': {} } } });
  const other = makeEntry('two', ['b']);
  const applier = makeEntry('three', [], { operation: 'Apply', fieldsV1: replicas });

  it('shows who owns replicas', () => {
    expect(toScaleManagedFields([owner, other], paths)).toEqual([
      { ...owner, apiVersion: 'autoscaling/v1', fieldsV1: replicas },
    ]);
    expect(toScaleManagedFields([other], paths)).toBeUndefined();
  });

  it('gives replicas to who set it there, without a time', () => {
    const scaler = { ...owner, manager: 's', apiVersion: 'autoscaling/v1', subresource: 'scale', fieldsV1: replicas };
    const { time, ...taken } = { ...scaler, apiVersion: 'x/v1' };
    expect(time).toBeDefined();
    expect(fromScaleManagedFields([owner, other], [scaler], paths, 'x/v1')).toEqual([
      taken,
      makeEntry('one', ['a']),
      other,
    ]);
  });

  it('leaves an applier that kept replicas alone, and takes it from one that lost it', () => {
    const scaleEntries = toScaleManagedFields([applier], paths);
    expect(fromScaleManagedFields([applier, other], scaleEntries, paths, 'x/v1')).toEqual([applier, other]);
    expect(fromScaleManagedFields([applier, other], undefined, paths, 'x/v1')).toEqual([other]);
  });
});
