import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { compileLabelSelector, type Labels, type LabelSelector } from '../../../core/selectors/label-selector.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import { listLabelHooks, listSelectorHooks } from './list-selector-hooks.ts';

/** What may be chosen of how budgets are compared with pods. */
export interface BudgetMembersOptions {
  /** Absent: as selectors are compared everywhere. */
  readonly compile?: (selector: LabelSelector | undefined) => (labels: Labels) => boolean;
  /** A pod that is in more groups is found by comparing. */
  readonly maxGroups?: number;
}

interface Member {
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The groups that know it; `undefined` when it is in so many that none of them knows it. */
  groups: readonly BudgetGroup[] | undefined;
}

/** Budgets whose selectors are written alike. */
interface BudgetGroup {
  /** `undefined` for a selector that is too long to be compared with others. */
  readonly text: string | undefined;
  /** Of groups of a namespace, later ones have greater numbers. */
  readonly number: number;
  readonly matches: (labels: Labels) => boolean;
  /** Under which labels of a pod the group is found; `undefined`: under none, so that it is asked of every pod. */
  readonly hooks: readonly string[] | undefined;
  readonly budgets: Set<string>;
  readonly pods: Set<string>;
  /** Whether it has been compared with the pods that were there before it. */
  isComplete: boolean;
}

interface NamespaceMembers {
  readonly pods: Map<string, Member>;
  /** Pods that are in so many groups that no group knows them. */
  readonly crowded: Map<string, Member>;
  readonly budgets: Map<string, BudgetGroup>;
  readonly byText: Map<string, BudgetGroup>;
  readonly byHook: Map<string, Set<BudgetGroup>>;
  readonly withoutHooks: Set<BudgetGroup>;
  lastNumber: number;
}

const nobody: readonly string[] = [];
const noGroups: readonly BudgetGroup[] = [];
/** What is kept must not grow with pods times budgets. */
const defaultMaxGroups = 16;
const maxTextLength = 1_000;

function isSame(some: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const labels = Object.entries(some);
  return labels.length === Object.keys(other).length && labels.every(([label, value]) => other[label] === value);
}

function isThere(members: NamespaceMembers, group: BudgetGroup): boolean {
  for (const budget of group.budgets) return members.budgets.get(budget) === group;
  return false;
}

function unhook(members: NamespaceMembers, group: BudgetGroup): void {
  members.withoutHooks.delete(group);
  for (const hook of group.hooks ?? nobody) {
    const found = members.byHook.get(hook);
    found?.delete(group);
    if (found?.size === 0) members.byHook.delete(hook);
  }
  if (group.text !== undefined) members.byText.delete(group.text);
}

/** Those groups that may select a pod of these labels, of those that came after number `after`. */
function listCandidates(
  members: NamespaceMembers,
  labels: Readonly<Record<string, string>>,
  after: number,
): Set<BudgetGroup> {
  const candidates = new Set<BudgetGroup>();
  const add = (groups: Iterable<BudgetGroup>): void => {
    for (const group of groups) if (group.number > after) candidates.add(group);
  };
  add(members.withoutHooks);
  for (const [label, value] of Object.entries(labels)) {
    for (const hook of listLabelHooks(label, value)) add(members.byHook.get(hook) ?? noGroups);
  }
  return candidates;
}

/** A search for the groups that select a pod, which goes on while groups come. */
interface GroupSearch {
  readonly labels: Readonly<Record<string, string>>;
  readonly found: BudgetGroup[];
  /** The number of the last group that was looked at. */
  upTo: number;
}

function startSearch(labels: Readonly<Record<string, string>>): GroupSearch {
  return { labels, found: [], upTo: 0 };
}

/** Looks, in slices, at the groups that are there now and were not looked at yet. */
async function continueSearch(members: NamespaceMembers, search: GroupSearch): Promise<void> {
  const slices = new EventLoopYield();
  const candidates = listCandidates(members, search.labels, search.upTo);
  search.upTo = members.lastNumber;
  for (const group of candidates) {
    if (slices.isDue()) await slices.pause();
    if (group.matches(search.labels)) search.found.push(group);
  }
}

/** The groups that a pod is in. */
async function listGroups(members: NamespaceMembers, pod: Member): Promise<readonly BudgetGroup[]> {
  if (pod.groups !== undefined) return pod.groups;
  const search = startSearch(pod.labels);
  await continueSearch(members, search);
  return search.found;
}

function listBudgets(groups: Iterable<BudgetGroup>): readonly string[] {
  const budgets: string[] = [];
  for (const group of groups) for (const budget of group.budgets) budgets.push(budget);
  return budgets;
}

/**
 * Which budget selects which pod, so that a change of one costs only those that it concerns: a pod is compared with the budgets that want one
 * of its labels, and the pods of a budget are known. What is kept grows with pods and budgets, but not with one times the other, and
 * whatever may take long is done in slices.
 */
export class BudgetMembers {
  readonly #compile: NonNullable<BudgetMembersOptions['compile']>;
  readonly #maxGroups: number;
  readonly #namespaces = new Map<string, NamespaceMembers>();

  constructor({ compile = compileLabelSelector, maxGroups = defaultMaxGroups }: BudgetMembersOptions = {}) {
    this.#compile = compile;
    this.#maxGroups = maxGroups;
  }

  /** Notes a budget, or its changed selector. It selects pods that come later, and after `complete` those that are there. */
  setBudget(namespace: string, key: string, selector: LabelSelector | undefined): void {
    this.removeBudget(namespace, key);
    const members = this.#enter(namespace);
    const group = this.#findGroup(members, selector);
    group.budgets.add(key);
    members.budgets.set(key, group);
  }

  /** Compares a budget with the pods that were there before it; at once where that is done. */
  async complete(namespace: string, key: string): Promise<void> {
    const members = this.#namespaces.get(namespace);
    const group = members?.budgets.get(key);
    if (members === undefined || group === undefined || group.isComplete) return;
    const slices = new EventLoopYield();
    for (const pod of members.pods.values()) {
      if (slices.isDue()) await slices.pause();
      if (!isThere(members, group)) return;
      // What came to be meanwhile was compared when it came.
      if (members.pods.get(pod.key) !== pod || pod.groups === undefined || pod.groups.includes(group)) continue;
      if (group.matches(pod.labels)) this.#place(members, pod, [...pod.groups, group]);
    }
    group.isComplete = true;
  }

  /** Forgets a budget. */
  removeBudget(namespace: string, key: string): void {
    const members = this.#namespaces.get(namespace);
    const group = members?.budgets.get(key);
    if (members === undefined || group === undefined) return;
    members.budgets.delete(key);
    group.budgets.delete(key);
    if (group.budgets.size > 0) return;
    unhook(members, group);
    for (const key of group.pods) {
      const pod = members.pods.get(key);
      if (pod?.groups !== undefined) pod.groups = pod.groups.filter((other) => other !== group);
    }
    this.#leave(namespace, members);
  }

  /** Notes a pod with its labels; returns the keys of the budgets that select it now, or did before. What is done with one pod must be done one after the other. */
  async putPod(key: string, { metadata }: KubeObject): Promise<readonly string[]> {
    const { namespace = '', labels = {} } = metadata;
    const members = this.#enter(namespace);
    const old = members.pods.get(key);
    if (old?.groups !== undefined && isSame(labels, old.labels)) return listBudgets(old.groups);
    const pod: Member = { key, labels, groups: noGroups };
    // Known before it is compared, so that its namespace stays.
    if (old === undefined) members.pods.set(key, pod);
    const before = old === undefined || isSame(labels, old.labels) ? noGroups : await listGroups(members, old);
    const search = startSearch(labels);
    while (search.upTo < members.lastNumber) await continueSearch(members, search);
    const groups = search.found.filter((group) => isThere(members, group));
    if (old !== undefined) this.#place(members, old, noGroups);
    members.pods.set(key, pod);
    this.#place(members, pod, groups);
    return listBudgets(before.length === 0 ? groups : new Set([...groups, ...before]));
  }

  /** Forgets a pod; returns the keys of the budgets that selected it. */
  async removePod(namespace: string, key: string): Promise<readonly string[]> {
    const members = this.#namespaces.get(namespace);
    const pod = members?.pods.get(key);
    if (members === undefined || pod === undefined) return nobody;
    const groups = await listGroups(members, pod);
    members.pods.delete(key);
    this.#place(members, pod, noGroups);
    this.#leave(namespace, members);
    return listBudgets(groups);
  }

  /** Keys of the pods that a budget selects, in no particular order. */
  async listPods(namespace: string, budget: string): Promise<readonly string[]> {
    const members = this.#namespaces.get(namespace);
    const group = members?.budgets.get(budget);
    if (members === undefined || group === undefined) return nobody;
    const selected = new Set(group.pods);
    const slices = new EventLoopYield();
    for (const pod of members.crowded.values()) {
      if (slices.isDue()) await slices.pause();
      if (group.matches(pod.labels)) selected.add(pod.key);
    }
    return [...selected];
  }

  #findGroup(members: NamespaceMembers, selector: LabelSelector | undefined): BudgetGroup {
    const written = JSON.stringify(selector) ?? '';
    const text = written.length > maxTextLength ? undefined : written;
    const known = text === undefined ? undefined : members.byText.get(text);
    if (known !== undefined) return known;
    members.lastNumber += 1;
    const group: BudgetGroup = {
      ...{ text, number: members.lastNumber, matches: this.#compile(selector), hooks: listSelectorHooks(selector) },
      ...{ budgets: new Set(), pods: new Set(), isComplete: members.pods.size === 0 },
    };
    if (text !== undefined) members.byText.set(text, group);
    if (group.hooks === undefined) members.withoutHooks.add(group);
    for (const hook of group.hooks ?? nobody) {
      const found = members.byHook.get(hook);
      if (found === undefined) members.byHook.set(hook, new Set([group]));
      else found.add(group);
    }
    return group;
  }

  /** Makes these the groups of a pod. */
  #place(members: NamespaceMembers, pod: Member, groups: readonly BudgetGroup[]): void {
    const isCrowded = groups.length > this.#maxGroups;
    for (const group of pod.groups ?? noGroups) group.pods.delete(pod.key);
    pod.groups = isCrowded ? undefined : groups;
    for (const group of pod.groups ?? noGroups) group.pods.add(pod.key);
    if (isCrowded) members.crowded.set(pod.key, pod);
    else members.crowded.delete(pod.key);
  }

  #enter(namespace: string): NamespaceMembers {
    let members = this.#namespaces.get(namespace);
    if (members === undefined) {
      members = {
        ...{ pods: new Map(), crowded: new Map(), budgets: new Map(), byText: new Map() },
        ...{ byHook: new Map(), withoutHooks: new Set(), lastNumber: 0 },
      };
      this.#namespaces.set(namespace, members);
    }
    return members;
  }

  #leave(namespace: string, members: NamespaceMembers): void {
    if (members.pods.size === 0 && members.budgets.size === 0) this.#namespaces.delete(namespace);
  }
}
