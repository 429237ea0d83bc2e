import type { FlowSchema } from './schema.ts';

const DEFAULT_MATCHING_PRECEDENCE = 1000;

/** matchingPrecedence is 1000 when absent or 0; an empty list of namespaces is written as null. In place. */
export function applyFlowSchemaDefaults({ spec }: FlowSchema): void {
  spec.matchingPrecedence ||= DEFAULT_MATCHING_PRECEDENCE;
  for (const rules of spec.rules ?? []) {
    for (const rule of rules.resourceRules ?? []) {
      if (rule.namespaces?.length === 0) rule.namespaces = null;
    }
  }
}
