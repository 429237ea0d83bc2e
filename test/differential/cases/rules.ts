import type { JsonObject } from '../../../core/meta/json.ts';
import { buildKindRegistry, type RegisteredKind } from '../../../kinds/registry.ts';
import { resolveRuleObject, type RuleCase } from '../../../kinds/rule-case.ts';
import { ruleTables } from '../../../kinds/rule-tables.ts';
import { mandatoryFlowSchemas } from '../../../kinds/flowcontrol/flow-schema/mandatory.ts';
import { mandatoryPriorityLevels } from '../../../kinds/flowcontrol/priority-level-configuration/mandatory.ts';
import { create, read, update, type DifferentialCase, type DifferentialStep } from '../differential-case.ts';
import { awaitSettled } from './await-settled.ts';

const domain = 'k8s.io';

/** Of rules that Kubernetes has not: the row of docs/deviations.md for what keeps the rule and for what breaks it. */
const deviations: Readonly<Record<string, readonly [string | undefined, string | undefined]>> = {
  'PriorityLevelConfiguration.spec.limited.borrowingLimitPercent.zero': [undefined, 'plc-borrowing-zero'],
  'ValidatingAdmissionPolicy.spec.validations.reason': [undefined, 'vap-reason'],
  'ValidatingAdmissionPolicy.spec.validations.reason.unauthorized': ['vap-reason', undefined],
  'ValidatingAdmissionPolicy.spec.validations.message.required': [undefined, 'vap-message'],
  'ValidatingAdmissionPolicy.spec.variables.name.unique': [undefined, 'vap-variable-names'],
};

/** Path of a kind's objects in a namespace, where it has one. */
export function formatKindPath(kind: RegisteredKind, namespace: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  return `${root}${kind.namespaced ? `/namespaces/${namespace}` : ''}/${kind.plural}`;
}

/** The kind of a rule table, under the groups of Kubernetes. */
export function findRuleKind(name: string): RegisteredKind {
  const kind = buildKindRegistry(domain).kinds.find((candidate) => candidate.kind === name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

/** The object under a name that no other case uses, unless its name is one that matters. */
function place(object: JsonObject): JsonObject {
  const resolved = resolveRuleObject(object, domain);
  const metadata = resolved['metadata'] as JsonObject;
  return metadata['name'] === 'rule' ? { ...resolved, metadata: { ...metadata, name: '{{case}}' } } : resolved;
}

/** The writes of a rule: what keeps it and what breaks it, as new objects or as changes of a stored one. */
function listSteps(kind: RegisteredKind, { rule, accepted, rejected, old, subresource }: RuleCase): DifferentialStep[] {
  const changed = [accepted, ...(rejected === undefined ? [] : [rejected])].map(place);
  const query = 'dryRun=All&fieldManager=rules';
  if (old === undefined) {
    const collection = `${formatKindPath(kind, 'default')}?${query}`;
    return changed.map((object, i) => {
      const deviation = deviations[rule]?.[i];
      return create(collection, object, deviation === undefined ? {} : { deviation });
    });
  }
  const path = formatKindPath(kind, '{{ns}}');
  const { name } = place(old)['metadata'] as JsonObject;
  const target = `${path}/${String(name)}`;
  const writes = changed.map((object): DifferentialStep => {
    const metadata = { ...(object['metadata'] as JsonObject), resourceVersion: '{{2.metadata.resourceVersion}}' };
    const unconditional = kind.strategy.allowUnconditionalUpdate !== false;
    const body = unconditional ? object : { ...object, metadata };
    return update(`${target}${subresource ? `/${subresource}` : ''}?${query}`, body);
  });
  return [...makeStored(kind, path, place(old)), ...writes];
}

/** Steps that create an object and wait until controllers have said about it what they have to say. */
export function makeStored(kind: RegisteredKind, path: string, object: JsonObject): DifferentialStep[] {
  const { name } = object['metadata'] as { name: string };
  const mandatory = mandatoryFlowSchemas.get(name) ?? mandatoryPriorityLevels.get(name);
  const target = `${path}/${name}`;
  // Both have those already.
  if (mandatory === undefined) return [create(path, object, { compares: 'status' }), awaitSettled(kind.kind, target)];
  const spec = kind.kind === 'FlowSchema' ? mandatoryFlowSchemas.get(name) : mandatoryPriorityLevels.get(name);
  return [create(path, { ...object, spec }, { compares: 'status' }), read(target, { compares: 'nothing' })];
}

/** One case a rule of the nine kinds. */
export const ruleCases: readonly DifferentialCase[] = Object.entries(ruleTables).flatMap(([name, rules]) => {
  const kind = findRuleKind(name);
  return rules.map((rule, i) => ({ name: `rule-${kind.singular}-${i}`, steps: listSteps(kind, rule) }));
});
