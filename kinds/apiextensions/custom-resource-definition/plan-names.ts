import { aggregateMessages } from '../../../core/errors/make-field-error.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import { deepEqual } from '../../../core/meta/deep.ts';
import { findCondition, saysTheSame, withCondition, type DefinitionStatus } from './conditions.ts';
import type { CustomResourceDefinition, DefinedNames, DefinitionCondition } from './custom-resource-definition.ts';

interface ClaimedNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** Names as they are when nobody gave them: every one is a text, lists that nobody made are not there. */
function fillNames(names: DefinedNames | undefined): DefinedNames & { singular: string; listKind: string } {
  return {
    ...names,
    plural: names?.plural ?? '',
    singular: names?.singular ?? '',
    kind: names?.kind ?? '',
    listKind: names?.listKind ?? '',
  };
}

function collectClaimedNames(group: string, definitions: readonly CustomResourceDefinition[]): ClaimedNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const definition of definitions) {
    if (definition.spec.group !== group) continue;
    const names = fillNames(definition.status?.acceptedNames);
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) resources.add(name);
    kinds.add(names.kind).add(names.listKind);
  }
  return { resources, kinds };
}

function describeConflict(wanted: string, accepted: string, claimed: ReadonlySet<string>): string | undefined {
  return wanted === accepted || !claimed.has(wanted) ? undefined : `${quoteGo(wanted)} is already in use`;
}

function describeShortNameConflicts(
  wanted: DefinedNames,
  accepted: DefinedNames,
  claimed: ReadonlySet<string>,
): string | undefined {
  if (deepEqual(wanted.shortNames ?? [], accepted.shortNames ?? [])) return undefined;
  const own = new Set(accepted.shortNames ?? []);
  const conflicts = (wanted.shortNames ?? [])
    .filter((name) => !own.has(name))
    .map((name) => describeConflict(name, '', claimed))
    .filter((conflict) => conflict !== undefined);
  return conflicts.length === 0 ? undefined : aggregateMessages(conflicts);
}

function decideEstablished(definition: CustomResourceDefinition, namesAreAccepted: boolean): DefinitionCondition {
  const old = findCondition(definition, 'Established');
  if (old?.status !== 'True' && namesAreAccepted) {
    const message = 'the initial names have been accepted';
    return { type: 'Established', status: 'False', reason: 'Installing', message };
  }
  const message = 'not all names are accepted';
  return old ?? { type: 'Established', status: 'False', reason: 'NotAccepted', message };
}

/**
 * The status in which a definition has the names that it wants as far as no other definition of its group has them, with the
 * conditions NamesAccepted and (until it is established) Established; `undefined` when its status says that already. `definitions`
 * are all there are, the definition itself included or not. When the accepted names change, those of the same group that wait for
 * a name are to be planned again.
 */
export function planNames(
  definition: CustomResourceDefinition,
  definitions: readonly CustomResourceDefinition[],
  nowMillis: number,
): DefinitionStatus | undefined {
  const wanted = fillNames(definition.spec.names);
  const accepted = fillNames(definition.status?.acceptedNames);
  if (deepEqual(wanted, accepted)) return undefined;
  const claimed = collectClaimedNames(definition.spec.group, definitions);
  const conflicts = {
    plural: describeConflict(wanted.plural, accepted.plural, claimed.resources),
    singular: describeConflict(wanted.singular, accepted.singular, claimed.resources),
    shortNames: describeShortNameConflicts(wanted, accepted, claimed.resources),
    kind: describeConflict(wanted.kind, accepted.kind, claimed.kinds),
    listKind: describeConflict(wanted.listKind, accepted.listKind, claimed.kinds),
  };
  const keys = Object.keys(conflicts) as (keyof typeof conflicts)[];
  const names: DefinedNames = { ...accepted, categories: wanted.categories };
  for (const key of keys) if (conflicts[key] === undefined) Object.assign(names, { [key]: wanted[key] });
  const acceptedNames = dropAbsent(names);

  const last = keys.findLast((key) => conflicts[key] !== undefined);
  const condition: DefinitionCondition =
    last === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', reason: nameReason(last), message: conflicts[last] ?? '' };
  const isSame = deepEqual(fillNames(acceptedNames), accepted);
  if (isSame && saysTheSame(condition, findCondition(definition, 'NamesAccepted'))) return undefined;
  const established = decideEstablished(definition, last === undefined);
  const status = withCondition({ ...definition.status, acceptedNames }, condition, nowMillis);
  return withCondition(status, established, nowMillis);
}

function nameReason(key: string): string {
  return `${key.charAt(0).toUpperCase()}${key.slice(1)}Conflict`;
}

/** Names as they are written: what is empty is left out, but for plural and kind. */
function dropAbsent(names: DefinedNames): DefinedNames {
  const written = Object.entries(names).filter(
    ([key, value]) => key === 'plural' || key === 'kind' || (value !== undefined && (value as unknown[]).length > 0),
  );
  return Object.fromEntries(written) as unknown as DefinedNames;
}
