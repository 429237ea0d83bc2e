import { describe, expect, it } from 'vitest';
import { formatFieldError } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { serviceCidrKind } from './definition.ts';

const context = { domain: 'bailiwick.dev', nowMillis: 0 };

function make(cidrs: string[]): KubeObject {
  const object = { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'a' } };
  return { ...object, spec: { cidrs } } as KubeObject;
}

const [v4, other, v6] = ['10.7.0.0/24', '10.8.0.0/24', 'fd00:7::/112'];

describe('an update of a range of services', () => {
  it.for<[string, string[], string[], string[]]>([
    ['may leave it', [v4], [v4], []],
    ['may add one of the other family', [v4, v6], [v4], []],
    ['may not change it', [other], [v4], ['spec.cidrs[0]: Invalid value: "10.8.0.0/24": field is immutable']],
    [
      'may not add one of the same family',
      [v4, other],
      [v4],
      [
        'spec.cidrs: Invalid value: ["10.7.0.0/24","10.8.0.0/24"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
      ],
    ],
    ['may not take one off', [v4], [v4, v6], ['spec.cidrs: Invalid value: ["10.7.0.0/24"]: field is immutable']],
  ])('%s', ([, cidrs, old, expected]) => {
    const errors = serviceCidrKind.strategy.validateUpdate(make(cidrs), make(old), context);
    expect(errors.map(formatFieldError)).toEqual(expected);
  });
});
