import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { compileLabelSelector, type Labels, type LabelSelector } from '../../../core/selectors/label-selector.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';

interface Member {
  readonly key: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly budgets: Set<string>;
}

interface SelectingBudget {
  readonly key: string;
  readonly matches: (labels: Labels) => boolean;
  /** Under which labels of a pod the budget is found; `undefined`: under none, so that it is asked of every pod. */
  readonly hooks: readonly string[] | undefined;
  readonly pods: Set<string>;
  /** Whether it has been compared with the pods that were there before it. */
  isComplete: boolean;
}

interface NamespaceMembers {
  readonly pods: Map<string, Member>;
  readonly budgets: Map<string, SelectingBudget>;
  readonly byHook: Map<string, Set<SelectingBudget>>;
  readonly withoutHooks: Set<SelectingBudget>;
}

const nobody: readonly string[] = [];

function formatHook(label: string, value: string): string {
  return `${label}=${value}`;
}

/** Labels of which a pod must have one to be selected, as few as there are; `undefined` when a pod may be selected without any. */
function listHooks(selector: LabelSelector | undefined): readonly string[] | undefined {
  if (selector === undefined) return nobody;
  for (const [label, value] of Object.entries(selector.matchLabels ?? {})) return [formatHook(label, value)];
  const choice = selector.matchExpressions?.find(({ operator }) => operator === 'In');
  return choice === undefined ? undefined : (choice.values ?? []).map((value) => formatHook(choice.key, value));
}

/**
 * Which budget selects which pod, both ways, so that a change of one costs only those that it concerns: a pod is compared with the budgets
 * that want one of its labels, and the pods of a budget are known.
 */
export class BudgetMembers {
  readonly #namespaces = new Map<string, NamespaceMembers>();

  /** Notes a budget, or its changed selector. It selects pods that come later, and after `complete` those that are there. */
  setBudget(namespace: string, key: string, selector: LabelSelector | undefined): void {
    this.removeBudget(namespace, key);
    const members = this.#enter(namespace);
    const budget: SelectingBudget = {
      ...{ key, matches: compileLabelSelector(selector), hooks: listHooks(selector), pods: new Set() },
      isComplete: members.pods.size === 0,
    };
    members.budgets.set(key, budget);
    if (budget.hooks === undefined) members.withoutHooks.add(budget);
    for (const hook of budget.hooks ?? []) {
      const found = members.byHook.get(hook);
      if (found === undefined) members.byHook.set(hook, new Set([budget]));
      else found.add(budget);
    }
  }

  /** Compares a budget with the pods that were there before it; at once where that is done, and in slices where there are many. */
  async complete(namespace: string, key: string): Promise<void> {
    const members = this.#namespaces.get(namespace);
    const budget = members?.budgets.get(key);
    if (members === undefined || budget === undefined || budget.isComplete) return;
    const slices = new EventLoopYield();
    for (const pod of members.pods.values()) {
      if (slices.isDue()) await slices.pause();
      // What came to be meanwhile was compared when it came.
      if (members.pods.get(pod.key) !== pod || members.budgets.get(key) !== budget) continue;
      if (!budget.matches(pod.labels)) continue;
      budget.pods.add(pod.key);
      pod.budgets.add(key);
    }
    budget.isComplete = true;
  }

  /** Forgets a budget. */
  removeBudget(namespace: string, key: string): void {
    const members = this.#namespaces.get(namespace);
    const budget = members?.budgets.get(key);
    if (members === undefined || budget === undefined) return;
    members.budgets.delete(key);
    members.withoutHooks.delete(budget);
    for (const hook of budget.hooks ?? []) {
      const found = members.byHook.get(hook);
      found?.delete(budget);
      if (found?.size === 0) members.byHook.delete(hook);
    }
    for (const pod of budget.pods) members.pods.get(pod)?.budgets.delete(key);
    this.#leave(namespace, members);
  }

  /** Notes a pod with its labels; returns the keys of the budgets that select it now, or did before. */
  putPod(key: string, { metadata }: KubeObject): readonly string[] {
    const { namespace = '', labels = {} } = metadata;
    const members = this.#enter(namespace);
    const old = members.pods.get(key);
    const pod: Member = { key, namespace, labels, budgets: new Set() };
    members.pods.set(key, pod);
    for (const budget of this.#listCandidates(members, labels)) {
      if (budget.matches(labels)) pod.budgets.add(budget.key);
    }
    for (const budget of old?.budgets ?? []) {
      if (!pod.budgets.has(budget)) members.budgets.get(budget)?.pods.delete(key);
    }
    for (const budget of pod.budgets) members.budgets.get(budget)?.pods.add(key);
    return old === undefined ? [...pod.budgets] : [...new Set([...pod.budgets, ...old.budgets])];
  }

  /** Forgets a pod; returns the keys of the budgets that selected it. */
  removePod(namespace: string, key: string): readonly string[] {
    const members = this.#namespaces.get(namespace);
    const pod = members?.pods.get(key);
    if (members === undefined || pod === undefined) return nobody;
    members.pods.delete(key);
    for (const budget of pod.budgets) members.budgets.get(budget)?.pods.delete(key);
    this.#leave(namespace, members);
    return [...pod.budgets];
  }

  /** Keys of the pods that a budget selects, in no particular order. */
  listPods(namespace: string, budget: string): readonly string[] {
    const pods = this.#namespaces.get(namespace)?.budgets.get(budget)?.pods;
    return pods === undefined ? nobody : [...pods];
  }

  #listCandidates(members: NamespaceMembers, labels: Readonly<Record<string, string>>): Set<SelectingBudget> {
    const candidates = new Set(members.withoutHooks);
    for (const [label, value] of Object.entries(labels)) {
      for (const budget of members.byHook.get(formatHook(label, value)) ?? []) candidates.add(budget);
    }
    return candidates;
  }

  #enter(namespace: string): NamespaceMembers {
    let members = this.#namespaces.get(namespace);
    if (members === undefined) {
      members = { pods: new Map(), budgets: new Map(), byHook: new Map(), withoutHooks: new Set() };
      this.#namespaces.set(namespace, members);
    }
    return members;
  }

  #leave(namespace: string, members: NamespaceMembers): void {
    if (members.pods.size === 0 && members.budgets.size === 0) this.#namespaces.delete(namespace);
  }
}
