import { describe, expect, it } from 'vitest';

import { podTemplateKind } from '../pod-template/definition.ts';
import { podKind } from './definition.ts';

const context = { domain: 'k8s.io', nowMillis: 0 };
const containers = [{ name: 'a', image: 'a' }];

describe('the grace period', () => {
  it.for([
    ['is half a minute where nothing is said', undefined, 30],
    ['stays what it is', 0, 0],
    ['is a second where it is negative', -1, 1],
  ] as const)('of a pod %s', ([, given, kept]) => {
    const spec = { containers, ...(given === undefined ? {} : { terminationGracePeriodSeconds: given }) };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: structuredClone(spec) };
    podKind.strategy.applyDefaults?.(pod, context);
    expect(pod.spec).toMatchObject({ terminationGracePeriodSeconds: kept });
  });

  it('of a template stays as it was written', () => {
    const template = { spec: { containers: structuredClone(containers), terminationGracePeriodSeconds: -1 } };
    const object = { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'a' }, template };
    podTemplateKind.strategy.applyDefaults?.(object, context);
    expect(object.template.spec).toMatchObject({ terminationGracePeriodSeconds: -1 });
  });
});
