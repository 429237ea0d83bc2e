import { describe, expect, it } from 'vitest';

import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { leavesClassOpen, planDefaultClass } from './plan-default-class.ts';
import type { Ingress } from './schema.ts';

function makeClass(name: string, second: number, mark?: string): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: {
      name,
      creationTimestamp: `2026-01-31T00:00:0${second}Z`,
      ...(mark === undefined ? {} : { annotations: { 'ingressclass.kubernetes.io/is-default-class': mark } }),
    },
  };
}

describe('planDefaultClass', () => {
  it.for([
    ['nothing without classes', [], undefined],
    [
      'nothing where none is marked',
      [makeClass('a', 1), makeClass('b', 2, 'false'), makeClass('c', 3, 'True')],
      undefined,
    ],
    ['the marked one', [makeClass('a', 1), makeClass('b', 2, 'true')], 'b'],
    ['the newest of several', [makeClass('a', 1, 'true'), makeClass('b', 2, 'true')], 'b'],
    ['the first by name of several of one age', [makeClass('b', 1, 'true'), makeClass('a', 1, 'true')], 'a'],
  ] as const)('chooses %s', ([, classes, name]) => {
    expect(planDefaultClass(classes)).toBe(name);
  });
});

describe('leavesClassOpen', () => {
  it.for([
    ['no class', {}, {}, true],
    ['a class', {}, { ingressClassName: 'a' }, false],
    ['an empty class', {}, { ingressClassName: '' }, false],
    ['the annotation of old', { 'kubernetes.io/ingress.class': '' }, {}, false],
    ['other annotations', { a: 'b' }, {}, true],
  ] as const)('with %s', ([, annotations, spec, isOpen]) => {
    const ingress = { apiVersion: '', kind: 'Ingress', metadata: { annotations }, spec } as unknown as Ingress;
    expect(leavesClassOpen(ingress)).toBe(isOpen);
  });
});
