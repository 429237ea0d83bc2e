import { describe, expect, it } from 'vitest';
import { formatFieldError } from '../../../core/errors/make-field-error.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { horizontalPodAutoscalerKind } from './definition.ts';

const context = { domain: 'bailiwick.dev', nowMillis: 0 };
const { strategy, printRow } = horizontalPodAutoscalerKind;
const web = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

function make(spec: JsonObject, status: JsonObject = {}): KubeObject {
  const object = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'a' } };
  const autoscaler = { ...object, spec: { scaleTargetRef: web, maxReplicas: 3, ...spec }, status } as KubeObject;
  strategy.applyDefaults(autoscaler, context);
  return autoscaler;
}

function resource(name: string, target: JsonObject): JsonObject {
  return { type: 'Resource', resource: { name, target } };
}

describe('an update of an autoscaler', () => {
  it.for<[string, JsonObject, JsonObject, string[]]>([
    ['keeps a target that would be refused now', { apiVersion: 'v1' }, { apiVersion: 'v1' }, []],
    [
      'refuses a new one',
      { apiVersion: 'v1' },
      {},
      ['spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group'],
    ],
  ])('%s', ([, target, oldTarget, expected]) => {
    const object = make({ scaleTargetRef: { ...web, ...target } });
    const old = make({ scaleTargetRef: { ...web, ...oldTarget } });
    expect(strategy.validateUpdate(object, old, context).map(formatFieldError)).toEqual(expected);
  });

  it('keeps zero replicas where there were zero', () => {
    const external = { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } };
    const zero = make({ minReplicas: 0, metrics: [external] });
    expect(strategy.validateUpdate(zero, zero, context)).toEqual([]);
    expect(strategy.validateUpdate(zero, make({}), context).map(formatFieldError)).toEqual([
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
    ]);
  });

  it('of the status takes no negative counts', () => {
    const object = make({}, { currentReplicas: -1, desiredReplicas: 0 });
    expect(strategy.status?.validateUpdate(object, object, context).map(formatFieldError)).toEqual([
      'status.currentReplicas: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});

describe('the targets of an autoscaler in a table', () => {
  it.for<[string, JsonObject[], JsonObject[]]>([
    ['cpu: <unknown>/80%', [], []],
    [
      'cpu: 5%/80%',
      [resource('cpu', { averageUtilization: 80 })],
      [{ resource: { current: { averageUtilization: 5 } } }],
    ],
    [
      'memory: 1Gi/2Gi',
      [resource('memory', { averageValue: '2Gi' })],
      [{ resource: { current: { averageValue: '1Gi' } } }],
    ],
    [
      '<unknown>/2, 3/4 (avg) + 1 more...',
      [
        { type: 'Pods', pods: { target: { averageValue: '2' } } },
        { type: 'External', external: { target: { averageValue: '4' } } },
        { type: 'Object', object: { target: { value: '1' } } },
      ],
      [{}, { external: { current: { averageValue: '3' } } }],
    ],
    ['1/2', [{ type: 'Object', object: { target: { value: '2' } } }], [{ object: { current: { value: '1' } } }]],
    ['<unknown type>', [{ type: 'Odd' }], []],
  ])('%s', ([expected, metrics, currentMetrics]) => {
    expect(printRow(make({ metrics }, { currentMetrics }), 0)[2]).toBe(expected);
  });
});
