import type { JudgedAnswer } from './scenario.ts';

/** The parts of a value that several bindings or params added to, in no order. */
function splitValues(annotations: JudgedAnswer['annotations']): Record<string, string[]> {
  return Object.fromEntries(Object.entries(annotations ?? {}).map(([key, text]) => [key, text.split(', ').toSorted()]));
}

/** Whether what the real one has, which is at most one, is among ours. */
function isOneOf(ours: readonly unknown[] = [], real: readonly unknown[] = []): boolean {
  if (real.length === 0) return ours.length === 0;
  return ours.some((value) => JSON.stringify(value) === JSON.stringify(real[0]));
}

/**
 * Differences between our answer and the real one's, as texts. Of failures of policies the real one tells and audits the first only, ours
 * all; where the real one's order is by chance, its first may be any of ours, and another one when it is asked again (`isRepeated`).
 */
export function compareAnswers(
  ours: JudgedAnswer,
  real: JudgedAnswer,
  { isUnordered, isRepeated }: { readonly isUnordered: boolean; readonly isRepeated: boolean },
): string[] {
  const differences: string[] = [];
  const expect = (what: string, mine: unknown, theirs: unknown): void => {
    if (JSON.stringify(mine) === JSON.stringify(theirs)) return;
    differences.push(`${what}: ${JSON.stringify(mine)} instead of ${JSON.stringify(theirs)}`);
  };
  const isDenial = /denied request: /.test(real.message ?? '');
  expect('status', ours.status, real.status);
  expect('warnings', ours.warnings, real.warnings);
  if (isUnordered) {
    expect('annotations', splitValues(ours.annotations), splitValues(real.annotations));
    for (const field of ['causes', 'failures'] as const) {
      const isAlike = isRepeated ? ours[field]?.length === real[field]?.length : isOneOf(ours[field], real[field]);
      if (!isAlike) expect(field, ours[field], real[field]);
    }
    return differences;
  }
  expect('reason', ours.reason, real.reason);
  expect('message', ours.message, real.message);
  expect('details', sortKeys(ours.details), sortKeys(real.details));
  expect('causes', isDenial ? ours.causes?.slice(0, 1) : ours.causes, real.causes);
  expect('annotations', sortKeys(ours.annotations), sortKeys(real.annotations));
  expect('failures', ours.failures?.slice(0, 1), real.failures);
  return differences;
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
