import type { FlowRequest, FlowUser } from './flow-request.ts';
import { findResourceMismatch, findUrlMismatch, isSubject, type Requester, type RuleMismatch } from './match-rules.ts';
import type { FlowSchema, PolicyRules } from './schema.ts';

/** Why an entry of a schema's rules does not match: no subject, no rule for this sort of request, or the field of the rule that came closest. */
export interface RuleExplanation {
  /** `spec.rules[0]`. */
  readonly field: string;
  readonly mismatch: 'subjects' | 'resourceRules' | 'nonResourceRules' | RuleMismatch;
}

/** What became of one schema: it took the request, matches too but is asked later, or does not match, and why. */
export type FlowExplanation<T extends FlowSchema = FlowSchema> =
  | { readonly schema: T; readonly outcome: 'Selected' | 'Preceded' }
  | { readonly schema: T; readonly outcome: 'NotMatched'; readonly rules: readonly RuleExplanation[] };

/** The fields of a rule in the order in which they are looked at: the later the mismatch, the closer the rule. */
const closeness: readonly RuleMismatch[] = [
  'verbs',
  'nonResourceURLs',
  'resources',
  'apiGroups',
  'clusterScope',
  'namespaces',
];

function findMismatch(
  { subjects, resourceRules = [], nonResourceRules = [] }: PolicyRules,
  who: Requester,
  request: FlowRequest,
): RuleExplanation['mismatch'] | undefined {
  if (!(subjects ?? []).some((subject) => isSubject(subject, who))) return 'subjects';
  const mismatches = request.isResourceRequest
    ? resourceRules.map((rule) => findResourceMismatch(rule, request))
    : nonResourceRules.map((rule) => findUrlMismatch(rule, request));
  if (mismatches.length === 0) return request.isResourceRequest ? 'resourceRules' : 'nonResourceRules';
  if (mismatches.includes(undefined)) return undefined;
  return mismatches.reduce((best, one) =>
    closeness.indexOf(one as RuleMismatch) > closeness.indexOf(best as RuleMismatch) ? one : best,
  );
}

/**
 * What became of each schema when a request was classified, in the order in which they are asked; `schemas` are in that order. At most
 * one is `Selected`: where none is, `catch-all` takes the request all the same.
 */
export function explainFlow<T extends FlowSchema>(
  schemas: readonly T[],
  user: FlowUser,
  request: FlowRequest,
): FlowExplanation<T>[] {
  const who = { username: user.username, groups: new Set(user.groups) };
  let isTaken = false;
  return schemas.map((schema): FlowExplanation<T> => {
    const rules: RuleExplanation[] = [];
    for (const [i, entry] of (schema.spec.rules ?? []).entries()) {
      const mismatch = findMismatch(entry, who, request);
      if (mismatch === undefined) {
        const outcome = isTaken ? 'Preceded' : 'Selected';
        isTaken = true;
        return { schema, outcome };
      }
      rules.push({ field: `spec.rules[${i}]`, mismatch });
    }
    return { schema, outcome: 'NotMatched', rules };
  });
}
