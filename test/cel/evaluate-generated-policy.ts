import { CompileCache } from '../../kinds/admissionregistration/policy/compile-cache.ts';
import { evaluatePolicy } from '../../kinds/admissionregistration/policy/evaluate-policy.ts';
import { makePolicy } from '../../kinds/admissionregistration/policy/testdata/make-request.ts';
import type { PermissionAnswer } from '../../core/cel/libraries/authorizer/permission.ts';
import { keyOfQuestion } from '../../core/cel/libraries/authorizer/permission.ts';
import { answerQuestion } from '../oracle/answer-expression.ts';
import type { OracleAnswer } from '../oracle/oracle-protocol.ts';
import { policyDecisions, type GeneratedPolicy } from './generator/policy-worlds.ts';

/** What the validation of a generated policy comes to here, in the oracle's terms; faults without their places. */
export function evaluateGeneratedPolicy(generated: GeneratedPolicy): OracleAnswer {
  const { validation, variables, request, param, namespaceObject } = generated;
  const policy = makePolicy({
    paramKind: { apiVersion: 'example.com/v1', kind: 'Widget' },
    variables: [...variables],
    validations: [{ expression: validation }],
  });
  const cache = new CompileCache();
  const permissions: Record<string, PermissionAnswer> = {};
  for (;;) {
    const input = { policy, param, request, matched: request, namespaceObject, permissions };
    const outcome = evaluatePolicy(input, { compile: (one) => cache.compile(one), traces: true });
    if ('needs' in outcome) {
      permissions[keyOfQuestion(outcome.needs)] = answerQuestion(outcome.needs, policyDecisions);
      continue;
    }
    const trace = outcome.traces.find(({ field }) => field === 'spec.validations[0].expression');
    if (trace === undefined) return { failure: 'the validation was not evaluated' };
    const { result, error } = trace;
    // With the variables that it reads; there is nothing else in the policy.
    const { cost } = outcome;
    const compilation = /^compilation error: (?:compilation failed: )?(?<text>.*)$/s.exec(error ?? '')?.groups?.[
      'text'
    ];
    if (compilation !== undefined) return { text: compilation, faults: [] };
    if (error === undefined) return { type: 'bool', result: { bool: result ?? null }, cost };
    const reason = /^expression '.*' resulted in error: (?<reason>.*)$/s.exec(error)?.groups?.['reason'];
    return { type: 'bool', error: reason ?? error, cost };
  }
}
