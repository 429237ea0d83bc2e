import { describe, expect } from 'vitest';

import type { JsonObject, JsonValue } from '../../core/meta/json.ts';
import { resolveRuleObject } from '../../kinds/rule-case.ts';
import type { RuleCase } from '../../kinds/rule-case.ts';
import { ruleTables } from '../../kinds/rule-tables.ts';
import type { ServiceResponse } from '../service/start-service.ts';
import { kindSamples } from '../spec/samples.ts';
import { settleStatus } from '../spec/settle-status.ts';
import { checkContract } from './contract-case.ts';
import type { ContractSubject } from './contract-case.ts';

const namespace = 'rules';

/** How a subject words its refusals: as the specification and Kubernetes do, or in its own way, with the same code. */
export type RuleWording = 'exact' | 'own';

function readPath(object: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const step of path.split('.')) {
    value = (value as Record<string, JsonValue> | undefined)?.[step];
  }
  return value;
}

/** Holds every rule of every kind against a subject: the object that keeps it, the one that breaks it, and the default that follows. */
export function walkRules(subject: ContractSubject, wording: RuleWording): void {
  const { domain } = subject;
  const service = { request: subject.request };
  let counter = 0;

  function pathOf(kind: string): string {
    const sample = kindSamples[kind];
    const group = (sample?.group ?? '').replace('{domain}', domain);
    const root = group === '' ? '/api/v1' : `/apis/${group}/v1`;
    return `${root}${sample?.namespaced ? `/namespaces/${namespace}` : ''}/${sample?.plural ?? ''}`;
  }

  /** The object under a name of its own, unless the rule is about the name. */
  function rename(object: JsonObject, name: string | undefined): JsonObject {
    const resolved = resolveRuleObject(object, domain);
    const metadata = resolved['metadata'] as JsonObject;
    return name !== undefined && metadata['name'] === 'rule'
      ? { ...resolved, metadata: { ...metadata, name } }
      : resolved;
  }

  /** Writes one object of a rule the way that the rule means. */
  async function write(kind: string, rule: RuleCase, object: JsonObject): Promise<ServiceResponse> {
    const fresh = `rule-${++counter}`;
    const body = rename(object, fresh);
    const name = String((body['metadata'] as JsonObject)['name']);
    const path = pathOf(kind);
    if (name !== fresh && name !== '') {
      await service.request('DELETE', `${path}/${name}`);
    }
    if (rule.old === undefined && rule.subresource === undefined) {
      return service.request('POST', path, { body });
    }
    const stored = await service.request('POST', path, {
      body: rename(rule.old ?? { ...object, status: undefined }, name),
    });
    expect(stored.status, stored.text).toBe(201);
    await settleStatus(service, kind, `${path}/${name}`, subject.written);
    const live = (await service.request('GET', `${path}/${name}`)).json as JsonObject;
    const changed = { ...body, metadata: { ...(live['metadata'] as JsonObject), ...(body['metadata'] as JsonObject) } };
    return service.request('PUT', `${path}/${name}${rule.subresource ? `/${rule.subresource}` : ''}`, {
      body: changed,
    });
  }

  for (const [kind, rules] of Object.entries(ruleTables)) {
    describe(kind, () => {
      for (const rule of rules) {
        checkContract(subject, rule.rule, `[${rule.rule}] (${rule.spec})`, async () => {
          const accepted = await write(kind, rule, rule.accepted);
          expect(accepted.status, accepted.text).toBeLessThan(300);
          if (rule.effect) {
            expect(readPath(accepted.json as JsonObject, rule.effect.path)).toEqual(rule.effect.value);
          }
          if (rule.rejected) {
            const rejected = await write(kind, rule, rule.rejected);
            expect(rejected.status, rejected.text).toBe(422);
            expect(rejected.json).toMatchObject({ kind: 'Status', reason: 'Invalid', code: 422 });
            if (wording === 'own') return;
            const causes = JSON.parse(
              JSON.stringify(rejected.json.details.causes).replaceAll(/rule-\d+/g, 'rule'),
            ) as unknown[];
            expect(causes).toContainEqual({
              reason: rule.type,
              message: rule.message,
              field: rule.field,
            });
          }
        });
      }
    });
  }
}
