import { makeTypeType, makeObjectType, type CelType } from '../types/cel-type.ts';
import { CelTypeValue } from '../values/cel-value.ts';
import { listCandidateNames, type CelEnvironment } from './cel-environment.ts';
import type { CelReference } from './checked-expression.ts';

/** What a name denotes. */
export interface Declaration {
  readonly name: string;
  readonly type: CelType;
  readonly reference: CelReference;
}

/** The variables of a comprehension, within those around it. */
export interface Scope {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly outer: Scope | undefined;
}

/** What a name denotes where `scope` is the innermost; `undefined` when it is not declared. */
export function findDeclaration(
  environment: CelEnvironment,
  scope: Scope | undefined,
  written: string,
): Declaration | undefined {
  for (const name of listCandidateNames(environment, written)) {
    const declaration = findByFullName(environment, scope, name);
    if (declaration !== undefined) return declaration;
  }
  return undefined;
}

function findByFullName(environment: CelEnvironment, scope: Scope | undefined, name: string): Declaration | undefined {
  const variable = findVariable(scope, name) ?? environment.variables.get(name);
  if (variable !== undefined) return { name, type: variable, reference: { kind: 'variable', name } };
  const denoted = environment.types.get(name) ?? (environment.objects.has(name) ? makeObjectType(name) : undefined);
  if (denoted !== undefined) {
    return { name, type: makeTypeType(denoted), reference: { kind: 'constant', value: new CelTypeValue(denoted) } };
  }
  const constant = environment.constants.get(name);
  if (constant === undefined) return undefined;
  return { name, type: constant.type, reference: { kind: 'constant', value: constant.value } };
}

function findVariable(scope: Scope | undefined, name: string): CelType | undefined {
  for (let current = scope; current !== undefined; current = current.outer) {
    const type = current.variables.get(name);
    if (type !== undefined) return type;
  }
  return undefined;
}
