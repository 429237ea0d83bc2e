import { expect, it } from 'vitest';
import { completeResource, declareShape, type DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import { shapeOfOpenApi } from '../../../core/cel/types/shape-of-open-api.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KindName } from '../policy/policy-request.ts';
import { listCheckedKinds } from './list-checked-kinds.ts';
import { checkKind } from './check-kind.ts';
import { planTypeChecking } from './plan-type-checking.ts';
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
