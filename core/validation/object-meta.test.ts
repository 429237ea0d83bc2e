import { describe, expect, it } from 'vitest';
import { FieldPath } from '../errors/field-path.ts';
import { formatFieldError } from '../errors/make-field-error.ts';
import type { ManagedFieldsEntry, ObjectMeta } from '../meta/kube-object.ts';
import { validateConditions } from './condition.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import { validateDeleteOptions, validatePatchOptions, validateWriteOptions } from './request-options.ts';

const path = FieldPath.root('metadata');
const namespaced = { namespaced: true };
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u' };

function listFaults(meta: ObjectMeta, rules = namespaced): string[] {
  return validateObjectMeta({ namespace: 'n', name: 'a', ...meta }, rules, path).map(formatFieldError);
}

describe('validateObjectMeta', () => {
  it.for<[string, ObjectMeta, string[]]>([
    ['a plain name', {}, []],
    ['no name', { name: '' }, ['metadata.name: Required value: name or generateName is required']],
    ['no namespace', { namespace: '' }, ['metadata.namespace: Required value']],
    [
      'a namespace with dots',
      { namespace: 'a.b' },
      ['metadata.namespace: Invalid value: "a.b": must not contain dots'],
    ],
    ['a generateName that ends in a dash', { generateName: 'a-' }, []],
    [
      'a negative generation',
      { generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
    ['an annotation key in upper case', { annotations: { 'Example.com/A': 'x' } }, []],
    [
      'annotations of more than 256 KiB',
      { annotations: { a: 'x'.repeat(256 * 1024) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    ['an owner', { ownerReferences: [owner] }, []],
    [
      'an empty owner',
      { ownerReferences: [{ apiVersion: 'apps/', kind: '', name: '', uid: '' }] },
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "apps/": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    ],
    [
      'two controllers',
      {
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, name: 'b', controller: true },
        ],
      },
      [
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"b","uid":"u","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/a and Pod/b',
      ],
    ],
    [
      'a finalizer of nobody',
      { finalizers: ['orphan', 'a.b/c', 'mine'] },
      [
        'metadata.finalizers[2]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    [
      'both deletion finalizers',
      { finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [
      'an unknown operation in managedFields',
      { managedFields: [{ operation: 'X', fieldsType: 'FieldsV2' } as unknown as ManagedFieldsEntry] },
      [
        'metadata.managedFields[0].operation: Invalid value: "X": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`',
      ],
    ],
  ])('%s', ([, meta, faults]) => {
    expect(listFaults(meta)).toEqual(faults);
  });

  it('refuses a namespace on a cluster-scoped kind', () => {
    expect(listFaults({}, { namespaced: false })).toEqual(['metadata.namespace: Forbidden: not allowed on this type']);
  });

  it('reports labels by key and value', () => {
    const fields = validateObjectMeta({ name: 'a', namespace: 'n', labels: { 'a b': 'c d' } }, namespaced, path);
    expect(fields.map((error) => [error.field, error.value])).toEqual([
      ['metadata.labels', 'a b'],
      ['metadata.labels', 'c d'],
    ]);
  });
});

describe('validateObjectMetaUpdate', () => {
  const old: ObjectMeta = {
    name: 'a',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: '2026-01-31T12:00:00Z',
  };

  it.for<[string, ObjectMeta, string[]]>([
    ['nothing', {}, []],
    [
      'no resourceVersion',
      { resourceVersion: '' },
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ],
    ['a lower generation', { generation: 1 }, ['metadata.generation: Invalid value: 1: must not be decremented']],
    ['another name', { name: 'b' }, ['metadata.name: Invalid value: "b": field is immutable']],
    ['another uid', { uid: 'v' }, ['metadata.uid: Invalid value: "v": field is immutable']],
    [
      'another creationTimestamp',
      { creationTimestamp: null },
      ['metadata.creationTimestamp: Invalid value: null: field is immutable'],
    ],
    [
      'a deletion',
      { deletionTimestamp: '2026-01-31T12:00:00Z', deletionGracePeriodSeconds: 5 },
      [
        'metadata.deletionTimestamp: Invalid value: "2026-01-31T12:00:00Z": field is immutable',
        'metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable',
      ],
    ],
  ])('%s', ([, change, faults]) => {
    expect(validateObjectMetaUpdate({ ...old, ...change }, old, path).map(formatFieldError)).toEqual(faults);
  });

  it('lets a deleted object lose finalizers, never gain them', () => {
    const deleted = { ...old, deletionTimestamp: '2026-01-31T12:00:00Z', finalizers: ['a/b', 'a/c'] };
    expect(validateObjectMetaUpdate({ ...deleted, finalizers: ['a/b'] }, deleted, path)).toEqual([]);
    const grown = validateObjectMetaUpdate({ ...deleted, finalizers: ['a/b', 'a/e', 'a/d'] }, deleted, path);
    expect(grown.map(formatFieldError)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/d", "a/e"}',
    ]);
  });
});

describe('validateConditions', () => {
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Ok',
    message: '',
    lastTransitionTime: '2026-01-31T12:00:00Z',
  };

  it('accepts a whole condition, once', () => {
    expect(validateConditions([condition], path)).toEqual([]);
    expect(validateConditions([condition, condition], path).map(formatFieldError)).toEqual([
      'metadata[1].type: Duplicate value: "Ready"',
    ]);
  });

  it('names what is missing', () => {
    const faults = validateConditions([{ type: 'Ready', status: 'x', reason: '', message: '' }], path);
    expect(faults.map(formatFieldError)).toEqual([
      'metadata[0].status: Unsupported value: "x": supported values: "False", "True", "Unknown"',
      'metadata[0].lastTransitionTime: Required value',
      'metadata[0].reason: Required value',
    ]);
  });
});

describe('request options', () => {
  it.for([
    [validateWriteOptions({}), []],
    [validateWriteOptions({ dryRun: ['x'] }), ['dryRun: Unsupported value: ["x"]: supported values: "All"']],
    [
      validateWriteOptions({ fieldValidation: 'x' }),
      ['fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"'],
    ],
    [
      validateWriteOptions({ fieldManager: 'x'.repeat(129) }),
      ['fieldManager: Too long: may not be more than 128 bytes'],
    ],
    [
      validateWriteOptions({ fieldManager: 'a\tb' }),
      ['fieldManager: Invalid value: "a\\tb": invalid character U+0009 (at position 1)'],
    ],
    [
      validatePatchOptions({}, 'application/apply-patch+yaml'),
      ['fieldManager: Required value: is required for apply patch'],
    ],
    [
      validatePatchOptions({ force: true }, 'application/merge-patch+json'),
      ['force: Forbidden: may not be specified for non-apply patch'],
    ],
    [
      validateDeleteOptions({ orphanDependents: true, propagationPolicy: 'x' }),
      [
        'propagationPolicy: Invalid value: "x": orphanDependents and deletionPropagation cannot be both set',
        'propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
      ],
    ],
  ] as const)('%j', ([errors, texts]) => {
    expect(errors.map(formatFieldError)).toEqual(texts);
  });
});
