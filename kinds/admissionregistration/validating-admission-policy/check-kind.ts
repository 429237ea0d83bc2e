import type { CelEnvironment } from '../../../core/cel/check/cel-environment.ts';
import { checkSource } from '../../../core/cel/check-source.ts';
import { dynType } from '../../../core/cel/types/cel-type.ts';
import type { DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import { loosenType } from '../policy/compile-policy.ts';
import {
  buildPolicyEnvironment,
  DeclaredVariables,
  type PolicyEnvironmentOptions,
} from '../policy/policy-environment.ts';
import { cutWarning } from './cut-warning.ts';
import { formatKindName } from './list-checked-kinds.ts';
import { type CheckedKind, type KindWarnings, listExpressions, maxWarningCharacters } from './plan-type-checking.ts';
import type { ValidatingAdmissionPolicySpec } from './schema.ts';

/**
 * Checks validations and their messages as if objects were of one kind; `params` absent: their type is not known, and there are none. It
 * stops after each expression, so that whoever runs it can let others have their turn. Of very many warnings the text is empty.
 */
export function* checkKind(
  spec: ValidatingAdmissionPolicySpec,
  kind: CheckedKind,
  params?: DeclaredType,
): Generator<undefined, KindWarnings> {
  const environment = yield* declareVariables(spec, {
    mode: 'stored',
    hasParams: params !== undefined,
    hasAuthorizer: true,
    declared: {
      object: kind.type.type,
      oldObject: kind.type.type,
      ...(params === undefined ? {} : { params: params.type }),
      objects: [...kind.type.objects, ...(params?.objects ?? [])],
    },
  });
  const warnings = new Map<string, string>();
  let characters = 0;
  for (const [field, expression] of listExpressions(spec)) {
    const result = checkSource(expression, environment);
    if (result.checked === undefined) {
      const warning = cutWarning(`${formatKindName(kind.name)}: ${result.text}\n`);
      characters += warning.length;
      // Beyond what is told of all kinds together, it is enough that there is one.
      warnings.set(field, characters > maxWarningCharacters ? '' : warning);
    }
    yield;
  }
  return warnings;
}

/** The environment with the policy's variables; one that is wrong is of any type. */
function* declareVariables(
  spec: ValidatingAdmissionPolicySpec,
  options: PolicyEnvironmentOptions,
): Generator<undefined, CelEnvironment> {
  const variables = new DeclaredVariables();
  const environment = buildPolicyEnvironment({ ...options, variables });
  for (const { name, expression } of spec.variables ?? []) {
    const { checked } = checkSource(expression, environment);
    variables.add(name, loosenType(checked?.type ?? dynType));
    yield;
  }
  return environment;
}
