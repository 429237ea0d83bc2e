import { Deferred } from '../load/deferred.ts';
import { loadParts } from '../load/load-parts.ts';

const expressions = new Deferred(async () => {
  await loadParts([
    () => import('./check/cel-environment.ts'),
    () => import('./check/check-expression.ts'),
    () => import('./syntax/convert-tree.ts'),
    () => import('./syntax/configurations.ts'),
    () => import('./syntax/recovering-parser.ts'),
    () => import('./syntax/parse-valid.ts'),
    () => import('./check-source.ts'),
    () => import('./values/json-value.ts'),
    () => import('./plan/compile-attribute.ts'),
    () => import('./values/arithmetic.ts'),
    () => import('./plan/plan-call.ts'),
    () => import('./plan/plan-macro.ts'),
    () => import('./compile-expression.ts'),
    () => import('./libraries/regex/compile-regex.ts'),
    () => import('./libraries/standard/standard-library.ts'),
    () => import('./libraries/format/format-library.ts'),
    () => import('./libraries/lists/extended-lists-library.ts'),
    () => import('./libraries/net/cidr-library.ts'),
    () => import('./libraries/quantity-library.ts'),
    () => import('./libraries/semver/semver-library.ts'),
    () => import('./libraries/strings/strings-library.ts'),
    () => import('./kubernetes-environment.ts'),
  ]);
  return true;
});

/** Loads what compiles and evaluates expressions where nothing needed it yet, without holding up others. */
export async function loadExpressions(): Promise<void> {
  await expressions.load();
}
