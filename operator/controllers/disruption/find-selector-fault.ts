import { FieldPath } from '../../../core/errors/field-path.ts';
import { formatFieldError } from '../../../core/errors/make-field-error.ts';
import { type LabelSelector, validateLabelSelector } from '../../../core/selectors/label-selector.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';

/** Of so many expressions and values everything is looked at in one go, and all faults are told. */
const shortLength = 1_000;

function measure({ matchLabels, matchExpressions }: LabelSelector): number {
  let length = Object.keys(matchLabels ?? {}).length;
  for (const { values } of matchExpressions ?? []) length += 1 + (values?.length ?? 0);
  return length;
}

/** The parts of a selector, each short, that have its faults. */
function* listParts({ matchLabels, matchExpressions }: LabelSelector): Generator<LabelSelector> {
  const labels = Object.entries(matchLabels ?? {});
  for (let i = 0; i < labels.length; i += shortLength) {
    yield { matchLabels: Object.fromEntries(labels.slice(i, i + shortLength)) };
  }
  for (const expression of matchExpressions ?? []) {
    const { values } = expression;
    if (values === undefined || values.length === 0) yield { matchExpressions: [expression] };
    for (let i = 0; i < (values?.length ?? 0); i += shortLength) {
      yield { matchExpressions: [{ ...expression, values: values?.slice(i, i + shortLength) ?? [] }] };
    }
  }
}

/**
 * Why a budget's selector can select nothing; `undefined` when it has no fault. A long one is looked at in slices, up to the first part with
 * a fault, whose places count within the part.
 */
export async function findSelectorFault(selector: LabelSelector | undefined | null): Promise<string | undefined> {
  if (selector === undefined || selector === null) return undefined;
  const path = FieldPath.root('spec', 'selector');
  const isShort = measure(selector) <= shortLength;
  const slices = new EventLoopYield();
  for (const part of isShort ? [selector] : listParts(selector)) {
    if (slices.isDue()) await slices.pause();
    const faults = validateLabelSelector(part, path);
    if (faults.length > 0) return faults.map(formatFieldError).join(', ');
  }
  return undefined;
}
