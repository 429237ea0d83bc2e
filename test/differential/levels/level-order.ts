import type { DifferentialStep } from '../differential-case.ts';
import { changeBodies, type AnswerPair, type Json } from './change-body.ts';

const textMap = /(?:^|\.)(?:labels|annotations|matchLabels)$/;
const quotaMap = /^((?:spec|status)\.(?:hard|used))\[/;
const rangeMap = /^(spec\.limits\[\d+\])(\.[A-Za-z]+)\[(.*)\]$/s;
/** The map that a fault is about an entry of; `undefined` where Kubernetes finds faults in an order of its own. */
function findMap({ field, message }: Json): string | undefined {
  if (textMap.test(field)) return field;
  const quota = quotaMap.exec(field)?.[1];
  if (quota !== undefined) return quota;
  const [, limit, map = '', key = ''] = rangeMap.exec(field) ?? [];
  // Keys are looked at map by map, then those of all maps of a limit together.
  const isOfKey = message.startsWith(`Invalid value: ${JSON.stringify(key)}: `);
  return limit !== undefined && isOfKey ? limit + map : limit;
}

/** Faults of the entries of one map, which follow each other, in one order. */
function sortEntries(causes: readonly Json[]): Json[] {
  const runs: { map: string | undefined; causes: Json[] }[] = [];
  for (const cause of causes) {
    const map = findMap(cause);
    const last = runs.at(-1);
    if (map !== undefined && last?.map === map) last.causes.push(cause);
    else runs.push({ map, causes: [cause] });
  }
  return runs.flatMap((run) => sortBy(run.causes, (cause) => JSON.stringify(cause)));
}

function sortBy<T>(items: readonly T[], toKey: (item: T) => string): T[] {
  return items.toSorted((a, b) => Number(toKey(a) > toKey(b)) - Number(toKey(a) < toKey(b)));
}

function isOfUsers(group: unknown): boolean {
  return typeof group === 'string' && group.includes('.') && !group.endsWith('.k8s.io');
}

/** Causes in one order where Kubernetes' own is random. */
function sortCauses(causes: readonly Json[], { group, kind }: Json): Json[] {
  // Schemas keep properties in a map.
  if (isOfUsers(group)) return sortBy(causes, ({ field }) => String(field));
  // Looked at twice: metadata, spec, metadata, spec.
  const ordered =
    kind === 'NetworkPolicy' ? sortBy(causes, ({ field }) => (field.startsWith('metadata') ? '' : 'spec')) : causes;
  return sortEntries(ordered);
}

function joinFaults(causes: readonly Json[]): string {
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;
}

/** A refusal with its causes sorted, and its message made of them where it was before. */
function sortRefusal(body: Json): Json {
  const causes: Json[] = body.details.causes;
  const sorted = sortCauses(causes, body.details);
  const [before, after] = [joinFaults(causes), joinFaults(sorted)];
  const message = body.message.endsWith(before) ? body.message.slice(0, -before.length) + after : body.message;
  return { ...body, message, details: { ...body.details, causes: sorted } };
}

/** Conflicts of an apply, those with one manager together, by manager. */
function sortConflicts(body: Json): Json {
  const causes = sortBy(body.details.causes as Json[], ({ message }) => String(message));
  const [head = '', ...managers] = body.message.split(/(?:: |\n)(?=conflicts? with ")/);
  return { ...body, message: [head, ...managers.toSorted()].join('\n'), details: { ...body.details, causes } };
}

const limitFaults = /^(\S+ "[^"]*" is forbidden: )\[(.*)\]$/s;

/** What limits forbid: they are maps by resource. */
function sortForbidden(body: Json): Json {
  const [, head, faults] = limitFaults.exec(body.message) ?? [];
  if (faults === undefined) return body;
  const parts = faults.split(/, (?=(?:maximum|minimum) |\S+ max limit to request ratio )/);
  return { ...body, message: [head, ...parts.toSorted()].join('\n') };
}

/** What an apply finds of the wrong type, a line each: maps are gone through at random. */
function sortTypeFaults(body: Json): Json {
  const [head = '', faults] = body.message.split(': errors:\n');
  if (faults === undefined) return body;
  return { ...body, message: [head, ...faults.split('\n').toSorted()].join('\n') };
}

function sortFaults(body: Json): Json {
  if (body?.kind !== 'Status' || typeof body.message !== 'string') return body;
  if (body.message.startsWith('failed to create typed patch object')) return sortTypeFaults(body);
  if (body.reason === 'Forbidden') return sortForbidden(body);
  if (!Array.isArray(body.details?.causes)) return body;
  if (body.code === 409) return sortConflicts(body);
  return body.code === 422 || body.code === undefined ? sortRefusal(body) : body;
}

/** The pair with the faults of maps' entries, and conflicts with managers, in one order. */
export function levelOrder(pair: AnswerPair, _step: DifferentialStep): AnswerPair {
  return changeBodies(pair, sortFaults);
}
