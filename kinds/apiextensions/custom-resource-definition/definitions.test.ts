import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { decodeTyped } from '../../../core/decode/decode-typed.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import type { FieldError } from '../../../core/errors/field-error.ts';
import { makeInvalidError } from '../../../core/errors/make-status-error.ts';
import { deepClone } from '../../../core/meta/deep.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { validateObjectMeta } from '../../../core/validation/object-meta.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { customResourceDefinitionKind } from './definition.ts';
import { planEstablishing } from './plan-establishing.ts';
import { planNames } from './plan-names.ts';
import { nameCase } from './testdata/definition-case.ts';
import { definitionCases } from './testdata/definition-cases.ts';

type Answer = JsonObject & { causes?: { field: string; message: string }[] };

const file = new URL('testdata/definition-answers.json', import.meta.url);
const answers = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Answer[]>;
const { strategy, schema, kind, groupTemplate } = customResourceDefinitionKind;
await strategy.loadChecks?.();
const context = { domain: 'bailiwick.dev', nowMillis: 0 };
const metaRules = { namespaced: false, allowsPlainFinalizers: true };

/** The object that a body becomes; or the fault of the body. */
function decode(body: JsonObject): KubeObject | { fault: string } {
  const decoded = decodeTyped(body, schema);
  if ('fault' in decoded) return decoded;
  const object = decoded.object as unknown as KubeObject;
  strategy.applyDefaults(object, context);
  return object;
}

function describeOutcome(object: KubeObject, errors: FieldError[], code: number, warnings: string[]): Answer {
  const texts = warnings.map((text) => `299 - ${JSON.stringify(text)}`).sort();
  const warned = texts.length > 0 ? { warnings: texts } : {};
  if (errors.length === 0) return { code, spec: (object as unknown as { spec: JsonObject }).spec, ...warned };
  const { message = '', details } = makeInvalidError(groupTemplate, kind, object.metadata.name ?? '', errors).status;
  const causes = [...(details?.causes ?? [])] as { field: string; message: string }[];
  causes.sort((a, b) => (`${a.field} ${a.message}` < `${b.field} ${b.message}` ? -1 : 1));
  return causes.length <= 1 ? { code: 422, message, ...warned } : { code: 422, causes, ...warned };
}

function describeFault(fault: string): Answer {
  const message = `${kind} in version "v1" cannot be handled as a ${kind}: ${fault}`;
  return { code: 400, message };
}

function create(body: JsonObject): { object: KubeObject; answer: Answer } | { answer: Answer } {
  const object = decode(body);
  if ('fault' in object) return { answer: describeFault(object.fault) };
  strategy.prepareForCreate(object, context);
  const errors = [
    ...validateObjectMeta(object.metadata, metaRules, FieldPath.root('metadata')),
    ...strategy.validateCreate(object, context),
  ];
  return { object, answer: describeOutcome(object, errors, 201, strategy.warnOnCreate?.(object, context) ?? []) };
}

/** The definition when its kind is served. */
function establish(object: KubeObject): CustomResourceDefinition {
  const definition = deepClone(object) as unknown as CustomResourceDefinition;
  definition.status = planNames(definition, [], 0) ?? {};
  definition.status = planEstablishing(definition, 0) ?? {};
  return definition;
}

function update(old: CustomResourceDefinition, body: JsonObject): Answer {
  const object = decode(body);
  if ('fault' in object) return describeFault(object.fault);
  const oldObject = old as unknown as KubeObject;
  strategy.prepareForUpdate(object, oldObject, context);
  const errors = strategy.validateUpdate(object, oldObject, context);
  return describeOutcome(object, errors, 200, strategy.warnOnUpdate?.(object, oldObject, context) ?? []);
}

function normalize(answer: Answer): unknown {
  return JSON.parse(
    JSON.stringify(answer)
      .replaceAll(/selfType\d*/g, 'selfType')
      // Go writes the characters of a literal's type, and maps in any order.
      .replaceAll(String.raw`\\u003e`, '>'),
  );
}

describe('definitions', () => {
  it.for(definitionCases.map((one, index) => [one.name, one, index] as const))(
    '%s: is taken or refused as by Kubernetes',
    ([name, { definition, change }, index]) => {
      const expected = answers[name];
      if (expected === undefined) throw new Error('there is no answer, record them again');
      const made = create(nameCase(definition, index));
      const found = [made.answer];
      if (change !== undefined && 'object' in made) {
        const old = establish(made.object);
        const changed = deepClone(old) as unknown as JsonObject;
        change(changed['spec'] as JsonObject, changed);
        found.push(update(old, nameCase(changed, index)));
      }
      expect(found.map(normalize)).toEqual(expected.map(normalize));
    },
  );
});
