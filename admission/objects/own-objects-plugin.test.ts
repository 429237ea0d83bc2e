import { describe, expect, it } from 'vitest';
import { StatusError } from '../../core/errors/status.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { OwnObjectsPlugin } from './own-objects-plugin.ts';

const plugin = new OwnObjectsPlugin({ registry: buildKindRegistry('example.org'), clock: new ManualClock() });

function makeRange(limits: unknown, metadata: object = {}): KubeObject {
  const object = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'l', namespace: 'n', ...metadata },
    spec: { limits },
  };
  return object;
}

function makeAttributes(object: KubeObject, oldObject?: KubeObject, more: object = {}): AdmissionAttributes {
  return {
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    resource: { group: '', version: 'v1', resource: 'limitranges' },
    ...{ kind: 'LimitRange', namespace: 'n', name: 'l', object, dryRun: false, user: { username: 'u', groups: [] } },
    ...(oldObject === undefined ? {} : { oldObject }),
    ...more,
  };
}

async function judge(attributes: AdmissionAttributes): Promise<{ code: number | undefined; warnings: string[] }> {
  const warnings: string[] = [];
  try {
    if (plugin.handles(attributes))
      await plugin.validate(attributes, { warn: (text) => warnings.push(text), annotate: () => undefined });
    return { code: undefined, warnings };
  } catch (error) {
    if (error instanceof StatusError) return { code: error.status.code, warnings };
    throw error;
  }
}

const good = [{ type: 'Container', max: { cpu: '1' } }];
const bad = [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }];

describe('OwnObjectsPlugin', () => {
  it('fills in what the kind defaults, in canonical form, and leaves metadata and status alone', async () => {
    const range = { ...makeRange([{ type: 'Container', max: { cpu: '1000m' } }]), status: { odd: true } };
    await plugin.mutate(makeAttributes(range));
    expect(range).toEqual({
      ...makeRange([{ type: 'Container', max: { cpu: '1' }, default: { cpu: '1' }, defaultRequest: { cpu: '1' } }]),
      status: { odd: true },
    });
  });

  it('never makes a null of what was none', async () => {
    const range = makeRange([]);
    await plugin.mutate(makeAttributes(range));
    expect(range).toEqual(makeRange([]));
  });

  it('leaves what does not decode to the schema', async () => {
    const range = makeRange('none');
    await plugin.mutate(makeAttributes(range));
    expect(range).toEqual(makeRange('none'));
    expect((await judge(makeAttributes(range))).code).toBe(400);
  });

  it.for<[string, AdmissionAttributes, number | undefined, number]>([
    ['a good one', makeAttributes(makeRange(good)), undefined, 0],
    ['a bad one', makeAttributes(makeRange(bad)), 422, 0],
    ['one that becomes bad', makeAttributes(makeRange(bad), makeRange(good)), 422, 0],
    ['one that was mended', makeAttributes(makeRange(good), makeRange(bad)), undefined, 0],
    [
      'a bad one with a new label',
      makeAttributes(makeRange(bad, { labels: { a: 'b' } }), makeRange(bad)),
      undefined,
      1,
    ],
    [
      'a bad one that is going',
      makeAttributes(makeRange([]), makeRange(bad, { deletionTimestamp: '2026-01-01T00:00:00Z' })),
      undefined,
      0,
    ],
    ['one that did not even decode', makeAttributes(makeRange(good), makeRange('none')), undefined, 0],
    ['a status', makeAttributes(makeRange(bad), makeRange(good), { subresource: 'status' }), undefined, 0],
    [
      'what is not ours',
      makeAttributes(makeRange(bad), undefined, { resource: { group: '', version: 'v1', resource: 'pods' } }),
      undefined,
      0,
    ],
  ])('judges %s', async ([, attributes, code, warnings]) => {
    const judged = await judge(attributes);
    expect([judged.code, judged.warnings.length]).toEqual([code, warnings]);
  });
});
