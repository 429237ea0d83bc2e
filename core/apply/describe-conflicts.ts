import { quoteGo } from '../errors/quote-go.ts';
import type { StatusCause } from '../errors/status.ts';
import type { ConflictSets } from './field-ownership.ts';
import { listPaths } from './field-set.ts';
import type { ManagerRecord, ManagerRecords } from './managed-fields.ts';
import { compareBytes, formatPath } from './path-element.ts';

/** One field of the configuration that another manager owns with another value. */
export interface ApplyConflict {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string;
  /** Path as Kubernetes prints it: `.spec.template.spec.containers[name="c"].image`. */
  readonly field: string;
}

/** Conflicts, sorted by manager and field, with the message and causes of the 409 that Kubernetes answers. */
export function describeConflicts(
  sets: ConflictSets,
  records: ManagerRecords,
): { conflicts: ApplyConflict[]; message: string; causes: StatusCause[] } {
  const conflicts: ApplyConflict[] = [];
  const causes: StatusCause[] = [];
  const sections: string[] = [];
  for (const key of [...sets.keys()].sort(compareBytes)) {
    const record = records.get(key)!;
    const holder = formatHolder(record);
    sections.push(`conflicts with ${holder}:`);
    for (const path of listPaths(sets.get(key)!)) {
      const field = formatPath(path);
      conflicts.push(makeConflict(record, field));
      causes.push({ reason: 'FieldManagerConflict', message: `conflict with ${holder}`, field });
      sections.push(`- ${field}`);
    }
  }
  const only = causes.length === 1 ? causes[0] : undefined;
  const message =
    only === undefined
      ? `Apply failed with ${causes.length} conflicts: ${sections.join('\n')}`
      : `Apply failed with 1 conflict: ${only.message}: ${only.field}`;
  return { conflicts, message, causes };
}

function makeConflict(record: ManagerRecord, field: string): ApplyConflict {
  const { manager, operation, apiVersion, subresource } = record;
  return { manager, operation, apiVersion, ...(subresource === '' ? {} : { subresource }), field };
}

function formatHolder(record: ManagerRecord): string {
  const name = quoteGo(record.manager);
  const holder = record.subresource === '' ? name : `${name} with subresource ${quoteGo(record.subresource)}`;
  return record.operation === 'Update' ? `${holder} using ${record.apiVersion}` : holder;
}
