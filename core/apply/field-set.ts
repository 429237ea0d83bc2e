import { isJsonObject } from '../meta/json.ts';
import { comparePathElements, parsePathElement, type FieldPathSteps, type PathElement } from './path-element.ts';

/**
 * A set of field paths, as a tree. `members` are the paths that end at this node's steps; a step in `children` leads on and
 * is itself in the set only if it is a member too. Sets are never changed once made and may share nodes.
 */
export interface FieldSet {
  readonly members: ReadonlySet<PathElement>;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

/** A set under construction. */
export interface FieldSetBuilder extends FieldSet {
  readonly members: Set<PathElement>;
  readonly children: Map<PathElement, FieldSetBuilder>;
}

const NO_MEMBERS: ReadonlySet<PathElement> = new Set();
const NO_CHILDREN: ReadonlyMap<PathElement, FieldSet> = new Map();

/** The set without paths. */
export const emptyFieldSet: FieldSet = { members: NO_MEMBERS, children: NO_CHILDREN };

/** A new empty set to insert paths into. */
export function makeFieldSetBuilder(): FieldSetBuilder {
  return { members: new Set(), children: new Map() };
}

/** Inserts `path` below `set`; the empty path is the whole object, which is not tracked. */
export function insertPath(set: FieldSetBuilder, path: FieldPathSteps): void {
  if (path.length === 0) return;
  let node = set;
  for (let i = 0; i < path.length - 1; i++) {
    const step = path[i]!;
    let child = node.children.get(step);
    if (child === undefined) {
      child = makeFieldSetBuilder();
      node.children.set(step, child);
    }
    node = child;
  }
  node.members.add(path[path.length - 1]!);
}

/** A set of the given paths. */
export function makeFieldSet(paths: Iterable<FieldPathSteps>): FieldSet {
  const set = makeFieldSetBuilder();
  for (const path of paths) insertPath(set, path);
  return set;
}

/** Whether no path is in `set`. */
export function isEmptyFieldSet(set: FieldSet): boolean {
  if (set.members.size > 0) return false;
  for (const child of set.children.values()) if (!isEmptyFieldSet(child)) return false;
  return true;
}

/** Whether `path` is in `set`. */
export function hasPath(set: FieldSet, path: FieldPathSteps): boolean {
  let node: FieldSet | undefined = set;
  for (let i = 0; i < path.length - 1; i++) {
    node = node.children.get(path[i]!);
    if (node === undefined) return false;
  }
  return path.length > 0 && node.members.has(path[path.length - 1]!);
}

/** Paths of either set. */
export function uniteFieldSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isBare(b)) return a;
  if (isBare(a)) return b;
  const children = new Map(a.children);
  for (const [step, child] of b.children) {
    const other = children.get(step);
    children.set(step, other === undefined ? child : uniteFieldSets(other, child));
  }
  return { members: a.members.union(b.members), children };
}

/** Paths of both sets. */
export function intersectFieldSets(a: FieldSet, b: FieldSet): FieldSet {
  if (isBare(a) || isBare(b)) return emptyFieldSet;
  const children = new Map<PathElement, FieldSet>();
  for (const [step, child] of a.children) {
    const other = b.children.get(step);
    if (other === undefined) continue;
    const both = intersectFieldSets(child, other);
    if (!isEmptyFieldSet(both)) children.set(step, both);
  }
  return { members: a.members.intersection(b.members), children };
}

/** Paths of `a` that are not in `b`; what lies below a path of `b` stays. */
export function subtractFieldSet(a: FieldSet, b: FieldSet): FieldSet {
  if (isBare(a) || isBare(b)) return a;
  const children = new Map<PathElement, FieldSet>();
  for (const [step, child] of a.children) {
    const other = b.children.get(step);
    const rest = other === undefined ? child : subtractFieldSet(child, other);
    if (other === undefined || !isEmptyFieldSet(rest)) children.set(step, rest);
  }
  return { members: a.members.difference(b.members), children };
}

/** Paths of `a` that are neither in `b` nor below a path of `b`. */
export function subtractFieldSetDeep(a: FieldSet, b: FieldSet): FieldSet {
  if (isBare(a) || isBare(b)) return a;
  const children = new Map<PathElement, FieldSet>();
  for (const [step, child] of a.children) {
    if (b.members.has(step)) continue;
    const other = b.children.get(step);
    const rest = other === undefined ? child : subtractFieldSetDeep(child, other);
    if (other === undefined || !isEmptyFieldSet(rest)) children.set(step, rest);
  }
  return { members: a.members.difference(b.members), children };
}

/** Paths of `set` below which it has no other path. */
export function findLeaves(set: FieldSet): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const [step, child] of set.children) children.set(step, findLeaves(child));
  return { members: new Set([...set.members].filter((step) => !set.children.has(step))), children };
}

/** Number of paths. */
export function countPaths(set: FieldSet): number {
  let count = set.members.size;
  for (const child of set.children.values()) count += countPaths(child);
  return count;
}

/** Whether two sets have the same paths. */
export function isSameFieldSet(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.members.size !== b.members.size || !a.members.isSubsetOf(b.members)) return false;
  for (const [step, child] of a.children) {
    if (!isSameFieldSet(child, b.children.get(step) ?? emptyFieldSet)) return false;
  }
  for (const [step, child] of b.children) {
    if (!a.children.has(step) && !isEmptyFieldSet(child)) return false;
  }
  return true;
}

/** All paths in Kubernetes' order: of each node first its members, then what lies below its children. */
export function listPaths(set: FieldSet): PathElement[][] {
  const paths: PathElement[][] = [];
  collectPaths(set, [], paths);
  return paths;
}

function collectPaths(set: FieldSet, prefix: PathElement[], paths: PathElement[][]): void {
  for (const step of sortSteps(set.members)) paths.push([...prefix, step]);
  for (const step of sortSteps(set.children.keys())) collectPaths(set.children.get(step)!, [...prefix, step], paths);
}

/** fieldsV1 of `set`, keys in the order in which Kubernetes writes them. */
export function encodeFieldSet(set: FieldSet): Record<string, unknown> {
  return encodeNode(set, false);
}

function encodeNode(set: FieldSet, isMember: boolean): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  if (isMember && !isBare(set)) fields['.'] = {};
  const steps = set.children.size === 0 ? set.members : set.members.union(new Set(set.children.keys()));
  for (const step of sortSteps(steps)) {
    const child = set.children.get(step);
    fields[step] = child === undefined ? {} : encodeNode(child, set.members.has(step));
  }
  return fields;
}

/** Reads fieldsV1; `undefined` and null are the empty set. Kinds of steps that are not known are skipped. */
export function decodeFieldSet(fields: unknown): FieldSet | { fault: string } {
  if (fields === undefined || fields === null) return emptyFieldSet;
  const known = typeof fields === 'object' ? decodedSets.get(fields) : undefined;
  if (known !== undefined) return known;
  const node = decodeNode(fields);
  if ('fault' in node) return node;
  const set = node.set ?? emptyFieldSet;
  decodedSets.set(fields, set);
  return set;
}

/** Stored objects are never changed, so the same fieldsV1 object always means the same set. */
const decodedSets = new WeakMap<object, FieldSet>();

/** `set` is `undefined` when nothing lies below the node, which then is a member itself. */
function decodeNode(fields: unknown): { set: FieldSet | undefined; isMember: boolean } | { fault: string } {
  if (fields === null) return { set: undefined, isMember: true };
  if (!isJsonObject(fields)) return { fault: 'a set of fields must be an object' };
  let isMember = false;
  let set: { members: Set<PathElement>; children: Map<PathElement, FieldSet> } | undefined;
  for (const key of Object.keys(fields)) {
    if (key === '.') {
      isMember = true;
      continue;
    }
    const step = parsePathElement(key);
    if (step === undefined) continue;
    if (typeof step !== 'string') return step;
    const child = decodeNode(fields[key]);
    if ('fault' in child) return child;
    set ??= { members: new Set(), children: new Map() };
    if (child.isMember) set.members.add(step);
    if (child.set !== undefined) set.children.set(step, child.set);
  }
  return { set, isMember: isMember || set === undefined };
}

function isBare(set: FieldSet): boolean {
  return set.members.size === 0 && set.children.size === 0;
}

function sortSteps(steps: Iterable<PathElement>): PathElement[] {
  return [...steps].sort(comparePathElements);
}
