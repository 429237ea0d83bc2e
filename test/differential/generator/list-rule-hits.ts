import type { RuleCase } from '../../../kinds/rule-case.ts';
import { ruleTables } from '../../../kinds/rule-tables.ts';
import type { NormalAnswer } from '../normalize-answers.ts';

interface Cause {
  readonly field?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

function formatCause(kind: string, { field, reason, message }: Cause): string {
  return JSON.stringify([kind, field, reason, message]);
}

/** The rules of the nine kinds that Kubernetes has, and of these the ones that no answer names, by field, type and wording. */
export function listMissedRules(answers: Iterable<readonly NormalAnswer[]>): { rules: number; missed: string[] } {
  const told = new Set<string>();
  for (const { body } of [...answers].flat()) {
    if (body?.kind !== 'Status' || !Array.isArray(body.details?.causes)) continue;
    for (const cause of body.details.causes as Cause[]) told.add(formatCause(body.details.kind, cause));
  }
  const rules = Object.entries(ruleTables).flatMap(([kind, rows]) =>
    rows
      .filter((row) => row.rejected !== undefined && row.deviation === undefined)
      .map((row): [string, RuleCase] => [kind, row]),
  );
  const missed = rules.filter(
    ([kind, { field, type, message }]) => !told.has(formatCause(kind, { field, reason: type, message })),
  );
  return { rules: rules.length, missed: missed.map(([, { rule }]) => rule) };
}
