import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { formatFieldError } from '../../../core/errors/make-field-error.ts';
import { validateVolumes } from './validate-volumes.ts';

function listFaults(volume: object): string[] {
  return validateVolumes({ volumes: [{ name: 'v', ...volume }] }, FieldPath.root('spec')).errors.map(formatFieldError);
}

describe('validateVolumes', () => {
  it.for([
    ['a token', { projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 600 } }] } }, []],
    [
      'a token without a path',
      { projected: { sources: [{ serviceAccountToken: { path: '', expirationSeconds: 600 } }] } },
      ['spec.volumes[0].projected.path: Required value'],
    ],
    [
      'a token that hardly lives',
      { projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 1 } }] } },
      [
        'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
      ],
    ],
    [
      'a projected secret of no name',
      { projected: { sources: [{ secret: { name: '' } }] } },
      ['spec.volumes[0].projected.sources[0].secret.name: Required value'],
    ],
    [
      'a file of no field',
      { downwardAPI: { items: [{ path: 'f' }] } },
      ['spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required'],
    ],
    [
      'a file outside',
      { downwardAPI: { items: [{ path: '/f', fieldRef: { fieldPath: 'metadata.labels' } }] } },
      ['spec.volumes[0].downwardAPI.path: Invalid value: "/f": must be a relative path'],
    ],
  ] as const)('answers %s as Kubernetes does', ([, volume, faults]) => {
    expect(listFaults(volume)).toEqual(faults);
  });
});
