import { describe, expect, it } from 'vitest';
import { decodeTyped } from '../core/decode/decode-typed.ts';
import type { FieldError } from '../core/errors/field-error.ts';
import { formatFieldErrorBody } from '../core/errors/make-field-error.ts';
import { deepClone } from '../core/meta/deep.ts';
import type { JsonObject, JsonValue } from '../core/meta/json.ts';
import type { KubeObject } from '../core/meta/kube-object.ts';
import { buildKindRegistry } from './registry.ts';
import type { RegisteredKind } from './registry.ts';
import { resolveRuleObject } from './rule-case.ts';
import type { RuleCase } from './rule-case.ts';
import { reviewRuleTables, ruleTables } from './rule-tables.ts';

const domain = 'bailiwick.dev';
const context = { domain, nowMillis: 0 };
const registry = buildKindRegistry(domain);
for (const { strategy } of registry.kinds) await strategy.loadChecks?.();

function decode(kind: RegisteredKind, object: JsonObject): KubeObject {
  const decoded = decodeTyped(resolveRuleObject(object, domain), kind.schema);
  if ('fault' in decoded) throw new Error(decoded.fault);
  expect(decoded.unknownFields).toEqual([]);
  const typed = decoded.object as unknown as KubeObject;
  kind.strategy.applyDefaults(typed, context);
  return typed;
}

/** Takes an object through the strategy as the API service does. */
function write(kind: RegisteredKind, rule: RuleCase, object: JsonObject): { object: KubeObject; errors: FieldError[] } {
  const typed = decode(kind, object);
  if (rule.old === undefined) {
    kind.strategy.prepareForCreate(typed, context);
    return { object: typed, errors: kind.strategy.validateCreate(typed, context) };
  }
  const strategy = rule.subresource === undefined ? kind.strategy : kind.strategy.status;
  if (strategy === undefined) throw new Error(`${kind.kind} has no status`);
  const old = decode(kind, rule.old);
  kind.strategy.prepareForCreate(old, context);
  const stored = deepClone(old);
  strategy.prepareForUpdate(typed, old, context);
  const errors = strategy.validateUpdate(typed, old, context);
  expect(old).toEqual(stored);
  return { object: typed, errors };
}

function readPath(object: KubeObject, path: string): JsonValue | undefined {
  return path
    .split('.')
    .reduce<JsonValue | undefined>(
      (value, name) => (value as JsonObject | undefined)?.[name],
      object as unknown as JsonObject,
    );
}

describe.for(Object.entries({ ...ruleTables, ...reviewRuleTables }))('rules of %s', ([name, rules]) => {
  const kind = registry.kinds.find((candidate) => candidate.kind === name) as RegisteredKind;

  it('have names of their own that begin with the kind', () => {
    const names = rules.map(({ rule }) => rule);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((rule) => !rule.startsWith(`${name}.`))).toEqual([]);
  });

  it.for(rules.map((rule) => [rule.rule, rule] as const))('%s: keeps', ([, rule]) => {
    const { object, errors } = write(kind, rule, rule.accepted);
    expect(errors).toEqual([]);
    if (rule.effect !== undefined) expect(readPath(object, rule.effect.path)).toEqual(rule.effect.value);
  });

  it.for(rules.filter(({ rejected }) => rejected !== undefined).map((rule) => [rule.rule, rule] as const))(
    '%s: breaks',
    ([, rule]) => {
      const { errors } = write(kind, rule, rule.rejected as JsonObject);
      const shown = errors.map((error) => ({
        field: error.field,
        type: error.type,
        message: formatFieldErrorBody(error),
      }));
      expect(shown).toContainEqual({ field: rule.field, type: rule.type, message: rule.message });
    },
  );
});
