import {
  buildEnvironment,
  extendEnvironment,
  type CelEnvironment,
  type EnvironmentParts,
} from './check/cel-environment.ts';
import { wellKnownTypes } from './check/well-known-types.ts';
import { listKubernetesLibraries } from './libraries/kubernetes-libraries.ts';
import { standardLibrary } from './libraries/standard/standard-library.ts';
import { makeMacroTable } from './syntax/macro.ts';
import { listMacros, optionalMacros, standardMacros, twoVariableMacros } from './syntax/standard-macros.ts';

/** `new` for expressions that are written now, which the version before must understand; `stored` for those that are in force. */
export type ExpressionMode = 'new' | 'stored';

/** The variables of an environment, and the types with fields that they have. */
export interface KubernetesEnvironmentOptions extends Pick<EnvironmentParts, 'variables' | 'objects'> {
  readonly mode: ExpressionMode;
}

/** The environment of Kubernetes 1.34's expressions with these variables. */
export function buildKubernetesEnvironment({ mode, ...parts }: KubernetesEnvironmentOptions): CelEnvironment {
  bases[mode] ??= buildBase(mode);
  return extendEnvironment(bases[mode], parts);
}

const macros = [standardMacros, optionalMacros, twoVariableMacros];

const bases: Partial<Record<ExpressionMode, CelEnvironment>> = {};

function buildBase(mode: ExpressionMode): CelEnvironment {
  const isStored = mode === 'stored';
  return buildEnvironment({
    ...wellKnownTypes,
    libraries: [...(wellKnownTypes.libraries ?? []), standardLibrary, ...listKubernetesLibraries(mode)],
    macros: makeMacroTable(...macros, ...(isStored ? [listMacros] : [])),
  });
}
