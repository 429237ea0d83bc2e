import type { NodeObject } from './node-object.ts';

const pairs = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;

/** Older labels that must say what the newer ones say; `undefined` when they do. */
export function planNodeLabels(node: NodeObject): Record<string, string> | undefined {
  const labels = node.metadata.labels ?? {};
  const changes = pairs.flatMap(([newer, older]) => {
    const value = labels[newer];
    return value === undefined || labels[older] === value ? [] : [[older, value] as const];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
