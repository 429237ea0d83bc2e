import type { ConformanceVerdict } from './judge-conformance-test.ts';
import { conformanceModule } from './read-conformance-tests.ts';

interface FileCount {
  tests: number;
  kubernetes: number;
  ours: number;
  same: number;
}

function countFiles(verdicts: readonly ConformanceVerdict[]): ReadonlyMap<string, FileCount> {
  const counts = new Map<string, FileCount>();
  for (const { test, passes, isAsKubernetes } of verdicts) {
    const count = counts.get(test.file) ?? { tests: 0, kubernetes: 0, ours: 0, same: 0 };
    counts.set(test.file, count);
    count.tests++;
    if (test.passes) count.kubernetes++;
    if (passes) count.ours++;
    if (isAsKubernetes) count.same++;
  }
  return counts;
}

function describeReason({ test: { kubernetes, checkOnly } }: ConformanceVerdict): string {
  const [fault] = kubernetes.faults ?? [];
  const message = fault?.message ?? kubernetes.error ?? kubernetes.failure;
  if (message === undefined) return checkOnly === true ? 'another type' : 'another result';
  const shortened = message
    .replace(/^(?<start>Syntax error|unsupported syntax).*$/s, '$<start>')
    .replaceAll(/ \(in container '[^']*'\)/g, '')
    .replaceAll(/'\.?cel\.expr\.conformance\.[^']*'/g, "'cel.expr.conformance…'");
  return `\`${shortened.replaceAll('|', '\\|').slice(0, 100)}\``;
}

function countReasons(verdicts: readonly ConformanceVerdict[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const verdict of verdicts.filter(({ test }) => !test.passes)) {
    const reason = describeReason(verdict);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, first], [b, second]) => second - first || (a < b ? -1 : 1));
}

/** The page that says which conformance tests pass, in Kubernetes and here. */
export function renderConformancePage(verdicts: readonly ConformanceVerdict[]): string {
  const counts = [...countFiles(verdicts)];
  const sum = (name: keyof FileCount): number => counts.reduce((total, [, count]) => total + count[name], 0);
  const rows = counts.map(
    ([file, { tests, kubernetes, ours, same }]) => `| ${file} | ${tests} | ${kubernetes} | ${ours} | ${same} |`,
  );
  const reasons = countReasons(verdicts).map(([reason, count]) => `| ${reason} | ${count} |`);
  return `# Conformance of the expression language

<!-- Made by \`npm run generate\`; do not edit. -->

The conformance tests that the language's project publishes (${conformanceModule}), run by Kubernetes 1.34's own engine in the
environment of new expressions, and by ours. Every expression is checked before it is evaluated, as Kubernetes does, those too whose
test asks for no check. A test passes that yields what it expects; "as Kubernetes" are those with the same outcome as there: the same
result, an error where it has one, faults at the same places.

How many tests "apply to Kubernetes" depends on this choice: with the tests that ask for no check run unchecked, which Kubernetes never
does, it passes 1,524. The figures in the [decision for an engine of our own](../adr/0001-our-own-cel-engine.md) come from a list of 1,412 that
was drawn up before this page.

| file | tests | Kubernetes passes | Bailiwick passes | as Kubernetes |
| --- | ---: | ---: | ---: | ---: |
${rows.join('\n')}
| **all** | **${sum('tests')}** | **${sum('kubernetes')}** | **${sum('ours')}** | **${sum('same')}** |

Why Kubernetes does not pass the others, by the first thing it says:

| Kubernetes says | tests |
| --- | ---: |
${reasons.join('\n')}
`;
}
