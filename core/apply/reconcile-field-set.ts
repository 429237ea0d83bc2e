import type { StructuralSchema } from '../schema/structural-schema.ts';
import { countPaths, type FieldSet } from './field-set.ts';
import { readFieldName, type PathElement } from './path-element.ts';
import { anySchema, findItemSchema, findMemberSchema, isAtomicList, isAtomicMap } from './typed-schema.ts';

const reconciledSets = new WeakMap<FieldSet, { schema: StructuralSchema; result: FieldSet }>();

/**
 * `set` as its manager would own it under `schema`: where a list or map has become atomic, or the set was written by a client
 * who thought it granular, what lies in it becomes the whole. The same set comes back when nothing differs.
 */
export function reconcileFieldSet(set: FieldSet, schema: StructuralSchema): FieldSet {
  const known = reconciledSets.get(set);
  if (known?.schema === schema) return known.result;
  const result = reconcileChildren(set, schema);
  reconciledSets.set(set, { schema, result });
  return result;
}

function reconcileChildren(set: FieldSet, schema: StructuralSchema): FieldSet {
  let members: Set<PathElement> | undefined;
  let children: Map<PathElement, FieldSet> | undefined;
  for (const [element, child] of set.children) {
    const childSchema = findStepSchema(schema, element);
    if (childSchema === undefined || childSchema.type === 'any') continue;
    const isWhole = childSchema.type === 'array' ? isAtomicList(childSchema) : isAtomicMap(childSchema);
    if (isWhole && countPaths(child) > 0) {
      members ??= new Set(set.members);
      members.add(element);
      children ??= new Map(set.children);
      children.delete(element);
      continue;
    }
    const reconciled = reconcileChildren(child, childSchema);
    if (reconciled === child) continue;
    children ??= new Map(set.children);
    children.set(element, reconciled);
  }
  if (members === undefined && children === undefined) return set;
  return { members: members ?? set.members, children: children ?? set.children };
}

function findStepSchema(schema: StructuralSchema, element: PathElement): StructuralSchema | undefined {
  const name = readFieldName(element);
  if (schema.type === 'array') return findItemSchema(schema);
  return name === undefined ? anySchema : findMemberSchema(schema, name);
}
