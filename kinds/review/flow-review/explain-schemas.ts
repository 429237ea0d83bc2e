import { explainFlow } from '../../flowcontrol/flow-schema/explain-flow.ts';
import type { FlowRequest, FlowUser } from '../../flowcontrol/flow-schema/flow-request.ts';
import type { FlowSchema } from '../../flowcontrol/flow-schema/schema.ts';
import type { ReviewedFlowSchema } from './schema.ts';

function describeSchema({ metadata, spec }: FlowSchema): Omit<ReviewedFlowSchema, 'outcome'> {
  return {
    name: metadata.name ?? '',
    priorityLevel: spec.priorityLevelConfiguration.name,
    matchingPrecedence: spec.matchingPrecedence,
  };
}

/**
 * What became of each schema: those in force in the order in which they are asked, and then those that dangle. Where none matches,
 * `selected` takes the request all the same.
 */
export function explainSchemas(
  schemas: { readonly inForce: readonly FlowSchema[]; readonly dangling: Iterable<string>; readonly selected: string },
  user: FlowUser,
  request: FlowRequest,
): ReviewedFlowSchema[] {
  const explained = explainFlow(schemas.inForce, user, request).map((one): ReviewedFlowSchema => {
    const described = describeSchema(one.schema);
    if (one.outcome !== 'NotMatched') return { ...described, outcome: one.outcome };
    if (described.name === schemas.selected) return { ...described, outcome: 'Selected' };
    return { ...described, outcome: one.outcome, rules: one.rules.map(({ field, mismatch }) => ({ field, mismatch })) };
  });
  const dangling = [...schemas.dangling].map((name): ReviewedFlowSchema => ({ name, outcome: 'Dangling' }));
  return [...explained, ...dangling];
}
