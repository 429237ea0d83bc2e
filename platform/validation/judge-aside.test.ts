import { describe, expect, it } from 'vitest';
import { StatusError } from '../../core/errors/status.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { defineCustomKinds } from '../../kinds/apiextensions/custom-resource/define-custom-kinds.ts';
import type { CustomResourceDefinition } from '../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';
import { JudgementTakesLong, judgeCreate, judgeUpdate } from '../../kinds/judge-write.ts';
import { buildKindRegistry, type RegisteredKind } from '../../kinds/registry.ts';
import { judgeAside } from './judge-aside.ts';

const context = { domain: 'example.org', nowMillis: 0 };
const registry = buildKindRegistry(context.domain);
const policyKind = registry.find('admissionregistration.example.org', 'v1', 'validatingadmissionpolicies')!;
const rangeKind = registry.find('', 'v1', 'limitranges')!;

function makePolicy(expressions: readonly string[]): KubeObject {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: '*' };
  const policy = {
    apiVersion: policyKind.apiVersion,
    kind: policyKind.kind,
    metadata: { name: 'p' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [rule], matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
      validations: expressions.map((expression) => ({ expression })),
    },
    status: {},
  };
  return policy;
}

function makeRange(type: string): KubeObject {
  const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l' }, spec: { limits: [{ type }] } };
  return range;
}

const sound = `${"object.x == 'a' && ".repeat(600)}true`;
const faulty = `${"nothing == 'a' && ".repeat(600)}true`;
const mistyped = `${'1 + '.repeat(100)}${' '.repeat(8_000)}1`;
const broken = `(${sound}`;

/** Code of the refusal; `undefined` when the write was judged. */
async function judgeCode(write: Promise<unknown>): Promise<number | undefined> {
  const error = await write.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return undefined;
  if (!(error instanceof StatusError)) throw error;
  return error.status.code;
}

describe('a write that takes long to judge', () => {
  it.for<[string, RegisteredKind, KubeObject, KubeObject | undefined, boolean, boolean]>([
    ['a short policy', policyKind, makePolicy(['true']), undefined, false, false],
    ['a short policy with a fault', policyKind, makePolicy(['1']), undefined, false, true],
    ['a long policy', policyKind, makePolicy([sound]), undefined, true, false],
    ['a long policy with faults', policyKind, makePolicy([faulty, 'true', mistyped, broken]), undefined, true, true],
    ['a changed long policy', policyKind, makePolicy([sound, 'true']), makePolicy([sound]), true, false],
    ['a changed long policy with faults', policyKind, makePolicy([faulty]), makePolicy([sound]), true, true],
    ['a kind that never takes long', rangeKind, makeRange('Container'), undefined, false, false],
    ['a kind that never takes long, with a fault', rangeKind, makeRange(''), undefined, false, true],
  ])('is judged as any other: %s', async ([, kind, object, old, takesLong, isFaulty]) => {
    const { strategy } = kind;
    await strategy.loadChecks?.();
    expect(strategy.takesLong?.(object) ?? false).toBe(takesLong);
    const here =
      old === undefined ? judgeCreate(strategy, object, context) : judgeUpdate(strategy, object, old, context);
    expect(here.faults.length > 0).toBe(isFaulty);
    expect(await judgeAside(kind, { object, old, context })).toEqual(here);
  });

  it('does not keep others waiting', async () => {
    const object = makePolicy(Array.from({ length: 20 }, () => `${"object.x == 'a' && ".repeat(5_000)}true`));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const { faults } = await judgeAside(policyKind, { object, context });
    clearInterval(timer);
    expect(faults).toEqual([]);
    expect(turns).toBeGreaterThan(20);
  });

  it('is refused when its time is over', async () => {
    expect(await judgeCode(judgeAside(policyKind, { object: makePolicy([sound]), context, deadlineMillis: 0 }))).toBe(
      504,
    );
  });

  it('is refused when too many others wait', async () => {
    const object = makePolicy([sound]);
    const writes = Array.from({ length: 500 }, () => judgeCode(judgeAside(policyKind, { object, context })));
    const codes = await Promise.all(writes);
    expect(codes[0]).toBeUndefined();
    expect(codes.at(-1)).toBe(503);
  });
});

describe('a custom object whose rules cost much', () => {
  const definition: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'lists.example.org', uid: 'u', generation: 1 },
    spec: {
      group: 'example.org',
      scope: 'Cluster',
      names: { plural: 'lists', kind: 'Lister' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                items: { type: 'array', items: { type: 'string' } },
                status: { type: 'object', properties: { phase: { type: 'string' } } },
              },
              'x-kubernetes-validations': [
                { rule: "!has(self.items) || self.items.all(a, self.items.all(b, a != '' || b != ''))" },
                { rule: "!has(self.status) || self.status.phase != 'Wrong'" },
              ],
            },
          },
        },
      ],
    },
  };
  const [defined] = defineCustomKinds(definition);
  const kind = { ...defined!, group: 'example.org', apiVersion: 'example.org/v1' };
  const make = (count: number, phase?: string): KubeObject & JsonObject => ({
    apiVersion: 'example.org/v1',
    kind: 'Lister',
    metadata: { name: 'l', resourceVersion: '1' },
    items: [...Array.from({ length: count }, () => 'x'), ''],
    ...(phase === undefined ? {} : { status: { phase } }),
  });

  it.for<[string, number, string | undefined]>([
    ['little', 5, undefined],
    ['much', 300, undefined],
    ['much, and the status is written', 300, 'Wrong'],
  ])('is judged as any other: %s', async ([, count, phase]) => {
    const object = make(count, phase);
    const old = phase === undefined ? undefined : make(count, 'Right');
    const isStatus = phase !== undefined;
    const strategy = isStatus ? kind.strategy.status! : kind.strategy;
    const patient = { ...context, mayTakeLong: true };
    const whole =
      old === undefined ? judgeCreate(kind.strategy, object, patient) : judgeUpdate(strategy, object, old, patient);
    expect(whole.faults.length).toBeGreaterThan(0);
    expect(await judgeAside(kind, { object, old, isStatus, context })).toEqual(whole);
    if (count > 100) expect(() => kind.strategy.validateCreate(object, context)).toThrow(JudgementTakesLong);
  });
});
