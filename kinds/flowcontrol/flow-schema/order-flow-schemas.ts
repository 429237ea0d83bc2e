import type { FlowSchema } from './schema.ts';

/** Which of two schemas is asked first: negative for `a`. By precedence, then by name. */
export function compareFlowSchemas(a: FlowSchema, b: FlowSchema): number {
  if (a.spec.matchingPrecedence !== b.spec.matchingPrecedence) {
    return a.spec.matchingPrecedence - b.spec.matchingPrecedence;
  }
  const [left = '', right = ''] = [a.metadata.name, b.metadata.name];
  // Go compares bytes of UTF-8; names are ASCII, where UTF-16 has the same order.
  return left < right ? -1 : left > right ? 1 : 0;
}
