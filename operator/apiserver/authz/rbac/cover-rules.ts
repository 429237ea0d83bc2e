import { quoteGo } from '../../../../core/errors/quote-go.ts';
import { matchesUrlPattern } from './match-rule.ts';
import type { PolicyRule } from './rbac-objects.ts';

/** The rules that have one verb, one group, one resource and at most one name each, or one verb and one path. */
function breakDownRule(rule: PolicyRule): PolicyRule[] {
  const parts: PolicyRule[] = [];
  const names = rule.resourceNames ?? [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs) {
        const part = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (names.length === 0) parts.push(part);
        else for (const name of names) parts.push({ ...part, resourceNames: [name] });
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? []) {
    for (const verb of rule.verbs) parts.push({ verbs: [verb], nonResourceURLs: [url] });
  }
  return parts;
}

function holds(set: readonly string[] | undefined, wanted: readonly string[] | undefined): boolean {
  return (wanted ?? []).every((value) => set?.includes('*') || set?.includes(value));
}

function holdsResource(set: readonly string[] | undefined, wanted: readonly string[] | undefined): boolean {
  return (wanted ?? []).every((resource) => {
    if (set?.includes('*') || set?.includes(resource)) return true;
    const slash = resource.indexOf('/');
    return slash >= 0 && set?.includes(`*${resource.slice(slash)}`) === true;
  });
}

/** Whether a rule gives at least what one part gives. */
function coversPart(rule: PolicyRule, part: PolicyRule): boolean {
  const names = rule.resourceNames ?? [];
  const wantedNames = part.resourceNames ?? [];
  return (
    holds(rule.verbs, part.verbs) &&
    holds(rule.apiGroups, part.apiGroups) &&
    holdsResource(rule.resources, part.resources) &&
    (names.length === 0 || (wantedNames.length > 0 && wantedNames.every((name) => names.includes(name)))) &&
    (part.nonResourceURLs ?? []).every((url) =>
      (rule.nonResourceURLs ?? []).some((pattern) => matchesUrlPattern(pattern, url)),
    )
  );
}

/** The parts of `wanted` that no rule of `held` gives; empty when `held` covers it all. */
export function findMissingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDownRule).filter((part) => !held.some((rule) => coversPart(rule, part)));
}

/** Joins parts that differ in their verb only. */
function joinVerbs(parts: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, { verbs: string[] } & PolicyRule>();
  const others: PolicyRule[] = [];
  for (const part of parts) {
    if (part.nonResourceURLs !== undefined) {
      others.push(part);
      continue;
    }
    const key = JSON.stringify([part.apiGroups, part.resources, part.resourceNames]);
    const known = joined.get(key);
    if (known === undefined) joined.set(key, { ...part, verbs: [...part.verbs] });
    else known.verbs.push(...part.verbs);
  }
  return [...others, ...joined.values()];
}

/** A list of strings as Go's `%q` prints it: `["a" "b"]`. */
export function formatQuotedList(values: readonly string[]): string {
  return `[${values.map(quoteGo).join(' ')}]`;
}

function formatRule(rule: PolicyRule): string {
  const members: [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = members.filter(([, values]) => values !== undefined && values.length > 0);
  return `{${shown.map(([name, values]) => `${name}:${formatQuotedList(values ?? [])}`).join(', ')}}`;
}

/** Describes missing parts one a line, sorted, as Kubernetes does when it refuses an escalation. */
export function formatMissingRules(parts: readonly PolicyRule[]): string {
  return [...new Set(joinVerbs(parts).map(formatRule))].toSorted().join('\n');
}
