import { authorizerLibrary } from './authorizer/authorizer-library.ts';
import type { CelLibrary } from './cel-library.ts';
import { formatLibrary } from './format/format-library.ts';
import { extendedListsLibrary } from './lists/extended-lists-library.ts';
import { kubernetesListsLibrary } from './lists/kubernetes-lists-library.ts';
import { cidrLibrary } from './net/cidr-library.ts';
import { ipLibrary } from './net/ip-library.ts';
import { optionalLibrary } from './optional-library.ts';
import { quantityLibrary } from './quantity-library.ts';
import { regexLibrary } from './regex/regex-library.ts';
import { semverLibrary } from './semver/semver-library.ts';
import { setsLibrary } from './sets-library.ts';
import { stringsLibrary } from './strings/strings-library.ts';
import { twoVariableLibrary } from './two-variable-library.ts';
import { urlLibrary } from './url/url-library.ts';

const librariesOfNewExpressions: readonly CelLibrary[] = [
  urlLibrary,
  regexLibrary,
  kubernetesListsLibrary,
  authorizerLibrary,
  optionalLibrary,
  quantityLibrary,
  stringsLibrary,
  setsLibrary,
  ipLibrary,
  cidrLibrary,
  formatLibrary,
  twoVariableLibrary,
  semverLibrary,
];

/**
 * The libraries of Kubernetes 1.34 beside the standard one. A `new` expression may use what 1.33 knows too; a `stored` one, all that
 * any version has let through.
 */
export function listKubernetesLibraries(mode: 'new' | 'stored'): readonly CelLibrary[] {
  return mode === 'new' ? librariesOfNewExpressions : [...librariesOfNewExpressions, extendedListsLibrary];
}
