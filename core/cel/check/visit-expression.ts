import type { Expression } from '../syntax/expression.ts';

/** Calls `visit` for an expression and all it is made of, parts first, each with the calls that it is in, outermost first. */
export function visitExpression(
  node: Expression,
  visit: (node: Expression, calls: readonly string[]) => void,
  calls: readonly string[] = [],
): void {
  const inner = node.kind === 'call' ? [...calls, node.name] : calls;
  for (const part of listParts(node)) visitExpression(part, visit, inner);
  visit(node, calls);
}

function listParts(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'select':
      return [node.operand];
    case 'call':
      return node.target === undefined ? node.arguments : [node.target, ...node.arguments];
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'message':
      return node.fields.map((field) => field.value);
    case 'comprehension':
      return [node.range, node.initial, node.condition, node.step, node.result];
    default:
      return [];
  }
}
