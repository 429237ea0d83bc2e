import type { DocumentNotes } from './parsed-document.ts';

/** How Go's decoder refuses a number that no double holds; `target` is what it would be read into. */
export function formatLargeNumberFault(literal: string, target = 'value'): string {
  return `json: cannot unmarshal number ${literal} into Go ${target} of type float64`;
}

/** The first number of a document, as it was written, that no double holds; `undefined` when there is none. */
export function findLargeNumber(notes: DocumentNotes): string | undefined {
  for (const literals of notes.numberLiterals.values()) {
    for (const literal of literals.values()) if (!Number.isFinite(Number(literal))) return literal;
  }
  return undefined;
}
