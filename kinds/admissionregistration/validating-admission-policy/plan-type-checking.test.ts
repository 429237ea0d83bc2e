import { describe, expect, it } from 'vitest';
import { completeResource, declareShape, type DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import { shapeOfOpenApi } from '../../../core/cel/types/shape-of-open-api.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KindName } from '../policy/policy-request.ts';
import { listCheckedKinds } from './list-checked-kinds.ts';
import { checkKind } from './check-kind.ts';
import { type ExpressionWarning, planTypeChecking } from './plan-type-checking.ts';
import type { ValidatingAdmissionPolicySpec } from './schema.ts';
import cases from './testdata/type-checking.json' with { type: 'json' };

interface NamedSchema extends KindName {
  readonly resource: string;
  readonly schema: object;
}

function declare({ schema }: NamedSchema, name: string): DeclaredType {
  const shape = shapeOfOpenApi(schema as JsonObject, () => undefined);
  if (shape === undefined) throw new Error('the schema is none of an object');
  return declareShape(completeResource(shape), name);
}

function finish<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

it.for(cases)('warns of $name as Kubernetes does', ({ typeChecking, answer }) => {
  const spec = typeChecking.policy.spec as ValidatingAdmissionPolicySpec;
  const schemas: readonly NamedSchema[] = typeChecking.schemas;
  const names = listCheckedKinds(spec, ({ group, version, resource }) =>
    schemas.find((each) => each.group === group && each.version === version && each.resource === resource),
  );
  const { apiVersion = '', kind } = spec.paramKind ?? {};
  const params = schemas.find(
    (each) => (each.group === '' ? each.version : `${each.group}/${each.version}`) === apiVersion && each.kind === kind,
  );
  const found = names.map((name) => {
    const object = schemas.find((each) => each.group === name.group && each.kind === name.kind)!;
    const isNameTaken = params !== object && params?.kind === object.kind;
    const declared = params && declare(params, isNameTaken ? `${params.kind}2` : params.kind);
    return finish(checkKind(spec, { name, type: declare(object, object.kind) }, declared));
  });
  const warnings = planTypeChecking(spec, found).map((each) => ({
    ...each,
    warning: each.warning.replaceAll('ConfigMap2', 'ConfigMap'),
  }));
  expect(warnings).toEqual('warnings' in answer ? answer.warnings : []);
});

describe('of very many warnings', () => {
  const schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
  };
  const long = Array.from({ length: 200 }, () => 'object.spec.nothing == 1').join(' || ');

  function check(kindCount: number, validations: readonly string[]): readonly ExpressionWarning[] {
    const spec = { validations: validations.map((expression) => ({ expression })) } as ValidatingAdmissionPolicySpec;
    const kinds = Array.from({ length: kindCount }, (_, i): NamedSchema => ({
      ...{ group: 'example.org', version: 'v1', kind: `Thing${i}`, resource: 'things', schema },
    }));
    return planTypeChecking(
      spec,
      kinds.map((name) => finish(checkKind(spec, { name, type: declare(name, name.kind) }))),
    );
  }

  function countUntold(warnings: readonly ExpressionWarning[]): number {
    return Number(/\n… (\d+) more expressions with warnings\n$/.exec(warnings.at(-1)?.warning ?? '')?.[1]);
  }

  it('tells a bounded part, and how many there are besides', () => {
    const validations = [long, ...Array.from({ length: 500 }, (_, i) => `object.spec.absent${i} == 1`)];
    const warnings = check(10, validations);
    expect(JSON.stringify(warnings).length).toBeLessThan(160_000);
    expect(warnings[0]?.warning).toMatch(
      /^example\.org\/v1, Kind=Thing0: ERROR: <input>:1:12: undefined field 'nothing'\n/,
    );
    expect(warnings[0]?.warning.match(/… \d+ more characters\n/g)).toHaveLength(10);
    expect(warnings.length + countUntold(warnings)).toBe(validations.length);
  });

  it('tells nothing without a text where a single kind has too many', () => {
    const warnings = check(1, [...Array.from({ length: 30 }, () => long), 'object.spec.absent == 1']);
    expect(warnings.length).toBeGreaterThan(10);
    for (const { warning } of warnings) expect(warning).toContain('undefined field');
    expect(warnings.length + countUntold(warnings)).toBe(31);
  });
});
