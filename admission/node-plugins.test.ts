import { describe, expect, it } from 'vitest';

import { readNodeTaintKeys } from '../kinds/core/node/node-taint-keys.ts';
import type { AdmissionAttributes } from './admission-plugin.ts';
import { DefaultTolerations } from './default-tolerations.ts';
import { NewNodeTaint } from './new-node-taint.ts';

const keys = readNodeTaintKeys('k8s.io');
const times = { notReadyTolerationSeconds: 300, unreachableTolerationSeconds: 60 };
const tolerations = new DefaultTolerations(keys, times);
const taints = new NewNodeTaint(keys);

function attribute(resource: string, spec?: object, more: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  const object = { apiVersion: 'v1', kind: 'Any', metadata: { name: 'a' }, ...(spec === undefined ? {} : { spec }) };
  return {
    ...{ operation: 'CREATE', resource: { group: '', version: 'v1', resource }, kind: 'Any', name: 'a', dryRun: false },
    ...{ object, user: { username: 'u', groups: [] }, ...more },
  };
}

async function mutate(plugin: DefaultTolerations | NewNodeTaint, attributes: AdmissionAttributes): Promise<unknown> {
  await plugin.mutate(attributes);
  return (attributes.object as { spec?: unknown }).spec;
}

describe('DefaultTolerationSeconds', () => {
  it('gives a pod the times of both troubles, after what it says itself', async () => {
    const effect = 'NoExecute';
    const spec = { nodeName: 'n', tolerations: [{ key: 'a', operator: 'Exists' }] };
    expect(await mutate(tolerations, attribute('pods', spec))).toEqual({
      nodeName: 'n',
      tolerations: [
        { key: 'a', operator: 'Exists' },
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect, tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect, tolerationSeconds: 60 },
      ],
    });
  });

  it('leaves a pod that tolerates both', async () => {
    const spec = { tolerations: [{ operator: 'Exists' }] };
    expect(await mutate(tolerations, attribute('pods', spec))).toBe(spec);
  });

  it.for<[string, AdmissionAttributes, boolean]>([
    ['new pods', attribute('pods', {}), true],
    ['changed pods', attribute('pods', {}, { operation: 'UPDATE' }), true],
    ['no deletions', attribute('pods', {}, { operation: 'DELETE' }), false],
    ['no statuses', attribute('pods', {}, { operation: 'UPDATE', subresource: 'status' }), false],
    ['no other kinds', attribute('podtemplates', {}), false],
  ])('handles %s', ([, attributes, answer]) => {
    expect(tolerations.handles(attributes)).toBe(answer);
  });
});

describe('TaintNodesByCondition', () => {
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  it.for<[string, object | undefined, object]>([
    ['taints a new node', undefined, { taints: [taint] }],
    [
      'puts it behind its own',
      { taints: [{ key: 'a', effect: 'NoSchedule' }] },
      { taints: [{ key: 'a', effect: 'NoSchedule' }, taint] },
    ],
    ['leaves the one that it brings', { taints: [{ ...taint, value: 'v' }] }, { taints: [{ ...taint, value: 'v' }] }],
  ])('%s', async ([, spec, after]) => {
    expect(await mutate(taints, attribute('nodes', spec))).toEqual(after);
  });

  it.for<[string, AdmissionAttributes, boolean]>([
    ['new nodes', attribute('nodes'), true],
    ['no changed nodes', attribute('nodes', {}, { operation: 'UPDATE' }), false],
    ['no statuses', attribute('nodes', {}, { subresource: 'status' }), false],
    ['no other kinds', attribute('pods'), false],
  ])('handles %s', ([, attributes, answer]) => {
    expect(taints.handles(attributes)).toBe(answer);
  });
});
