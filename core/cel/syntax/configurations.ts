import type { State } from './grammar-network.ts';
import type { ReturnStack } from './return-stack.ts';
import { endOfInput } from './token-kind.ts';

/** Where a simulated parse may be; one for each state and alternative. */
export interface Configuration {
  readonly state: State;
  readonly alternative: number;
  stacks: Set<ReturnStack>;
  /** Whether it left the rule where the decision is taken. */
  leftRule: boolean;
  /** Whether it left the outermost call of a left-recursive rule. */
  leftOutermost: boolean;
}

interface Step {
  readonly state: State;
  readonly alternative: number;
  readonly stack: ReturnStack;
  readonly leftRule: boolean;
  readonly leftOutermost: boolean;
  readonly isInContext: boolean;
}

/** Configurations by state and alternative. */
export type Configurations = Map<number, Configuration>;

/** A text that tells configurations apart. */
export function describe(each: Configuration): string {
  return `${each.state.id}/${each.alternative}/${each.leftRule}/${each.leftOutermost}/${describeStacks(each)}`;
}

function describeStacks({ stacks }: Configuration): string {
  const ids: number[] = [];
  for (const stack of stacks) ids.push(stack.id);
  return ids.toSorted((left, right) => left - right).join(',');
}

/** Where a parse may be before a decision; `precedence` is that of the rule being parsed. */
export function computeStart(state: State, precedence: number, stack: ReturnStack, withStack: boolean): Configurations {
  const found: Configurations = new Map();
  const isLoop = state.iterationEnd !== undefined;
  state.transitions.forEach(({ target }, index) => {
    const step: Step = {
      state: target,
      alternative: index + 1,
      stack,
      leftRule: false,
      leftOutermost: false,
      isInContext: true,
    };
    close(step, found, { withStack, precedence: isLoop ? precedence : 0 });
  });
  return found;
}

/** Where a parse may be after a token more; empty: nowhere. */
export function computeReach(from: Configurations, kind: number, withStack: boolean): Configurations {
  const moved: Configurations = new Map();
  const stopped: Configuration[] = [];
  for (const each of from.values()) {
    if (each.state.kind === 'ruleStop') {
      if (withStack || kind === endOfInput) stopped.push(each);
      continue;
    }
    for (const transition of each.state.transitions) {
      if (transition.type !== 'token' || !transition.kinds.has(kind)) continue;
      for (const stack of each.stacks) add(moved, { ...each, state: transition.target, stack }, withStack);
    }
  }
  const isDecided = stopped.length === 0 && kind !== endOfInput;
  if (isDecided && (moved.size === 1 || findUnique(moved) !== undefined)) return moved;
  const reached: Configurations = new Map();
  const seen = new Set<string>();
  for (const each of moved.values()) {
    for (const stack of each.stacks) {
      close({ ...each, stack, isInContext: false }, reached, { withStack, precedence: 0 }, seen);
    }
  }
  if (kind === endOfInput) {
    for (const [key, { state }] of reached) if (state.kind !== 'ruleStop') reached.delete(key);
  }
  if (withStack && hasStopped(reached)) return reached;
  for (const each of stopped) for (const stack of each.stacks) add(reached, { ...each, stack }, withStack);
  return reached;
}

function hasStopped(configurations: Configurations): boolean {
  for (const { state } of configurations.values()) if (state.kind === 'ruleStop') return true;
  return false;
}

interface Closing {
  readonly withStack: boolean;
  /** What a test of precedence in the decision's own rule has to reach. */
  readonly precedence: number;
}

function close(start: Step, into: Configurations, closing: Closing, seen = new Set<string>()): void {
  const pending = [start];
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    const key = `${step.state.id}/${step.alternative}/${step.stack.id}/${step.leftRule}/${step.leftOutermost}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (step.state.kind === 'ruleStop') leaveRule(step, into, closing, pending);
    else leaveState(step, into, closing, pending);
  }
}

function leaveRule(step: Step, into: Configurations, closing: Closing, pending: Step[]): void {
  if (!step.stack.isEmpty) {
    pending.push({ ...step, state: step.stack.state!, stack: step.stack.parent! });
    return;
  }
  if (closing.withStack || step.state.transitions.length === 0) {
    add(into, step, closing.withStack);
    return;
  }
  for (const transition of step.state.transitions.toReversed()) {
    const leavesOutermost = transition.type === 'epsilon' && transition.leavesOutermost === step.state.rule;
    pending.push({
      ...step,
      state: transition.target,
      leftRule: true,
      leftOutermost: step.leftOutermost || leavesOutermost,
      isInContext: false,
    });
  }
}

function leaveState(step: Step, into: Configurations, closing: Closing, pending: Step[]): void {
  const { transitions } = step.state;
  if (transitions[0]?.type === 'token') {
    add(into, step, closing.withStack);
    return;
  }
  for (let index = transitions.length - 1; index >= 0; index--) {
    if (index === 0 && repeatsLoop(step)) continue;
    const transition = transitions[index]!;
    if (transition.type === 'rule') {
      pending.push({
        ...step,
        state: transition.target,
        stack: step.stack.push(transition.follow),
        isInContext: false,
      });
    } else if (transition.type !== 'precedence' || !step.isInContext || transition.precedence >= closing.precedence) {
      pending.push({ ...step, state: transition.target });
    }
  }
}

/** Whether an operand within a loop would enter the same loop, which the outer loop does as well. */
function repeatsLoop({ state, stack }: Step): boolean {
  return state.iterationEnd !== undefined && stack.state === state.iterationEnd;
}

function add(into: Configurations, step: Omit<Step, 'isInContext'>, withStack: boolean): void {
  const key = step.state.id * 16 + step.alternative;
  const present = into.get(key);
  if (present === undefined) {
    const { state, alternative, leftRule, leftOutermost } = step;
    into.set(key, { state, alternative, leftRule, leftOutermost, stacks: new Set([step.stack]) });
    return;
  }
  present.leftRule ||= step.leftRule;
  present.leftOutermost ||= step.leftOutermost;
  if (withStack) present.stacks.add(step.stack);
  else addUnlessCovered(present.stacks, step.stack);
}

/** Without the outer stack the end of a stack stands for any, so that a stack covers those that begin with it. */
function addUnlessCovered(stacks: Set<ReturnStack>, stack: ReturnStack): void {
  for (const each of stacks) {
    if (covers(each, stack)) return;
    if (covers(stack, each)) stacks.delete(each);
  }
  stacks.add(stack);
}

function covers(short: ReturnStack, long: ReturnStack): boolean {
  let left = short;
  let right = long;
  while (!left.isEmpty) {
    if (right.isEmpty || left.state !== right.state) return false;
    left = left.parent!;
    right = right.parent!;
  }
  return true;
}

/** Leaving a left-recursive loop for an outer turn of the same loop is no alternative to going on with it. */
export function filterLoop(state: State, configurations: Configurations): Configurations {
  if (state.iterationEnd === undefined) return configurations;
  const goingOn = new Map<number, string>();
  for (const each of configurations.values()) {
    if (each.alternative === 1) goingOn.set(each.state.id, describeStacks(each));
  }
  const kept: Configurations = new Map();
  for (const [key, each] of configurations) {
    const isSame = goingOn.get(each.state.id) === describeStacks(each);
    if (each.alternative === 1 || each.leftOutermost || !isSame) kept.set(key, each);
  }
  return kept;
}

/** The alternative of all configurations; `undefined` when they have several. */
export function findUnique(configurations: Configurations): number | undefined {
  let found: number | undefined;
  for (const { alternative } of configurations.values()) {
    if (found !== undefined && found !== alternative) return undefined;
    found = alternative;
  }
  return found;
}

/** The least alternative that came to the end of the decision's rule. */
export function findFinished(configurations: Configurations): number | undefined {
  let found: number | undefined;
  for (const each of configurations.values()) {
    const isAtEnd = each.state.kind === 'ruleStop' && Array.from(each.stacks).some(({ isEmpty }) => isEmpty);
    if ((each.leftRule || isAtEnd) && (found === undefined || each.alternative < found)) found = each.alternative;
  }
  return found;
}

function groupAlternatives(
  configurations: Configurations,
  keyOf: (each: Configuration) => string,
): ReadonlyMap<string, ReadonlySet<number>> {
  const groups = new Map<string, Set<number>>();
  for (const each of configurations.values()) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, new Set([each.alternative]));
    else group.add(each.alternative);
  }
  return groups;
}

const byStateAndStack = (each: Configuration): string => `${each.state.id}/${describeStacks(each)}`;

/** Whether no token can decide without the stack of the rules around. */
export function isTerminatingConflict(configurations: Configurations): boolean {
  if (Array.from(configurations.values()).every(({ state }) => state.kind === 'ruleStop')) return true;
  const isOneOfMany = ({ size }: ReadonlySet<number>): boolean => size > 1;
  const hasConflict = groupAlternatives(configurations, byStateAndStack).values().some(isOneOfMany);
  return (
    hasConflict &&
    groupAlternatives(configurations, ({ state }) => `${state.id}`)
      .values()
      .every(isOneOfMany)
  );
}

/** The least alternative, when it is that of every place where the parse may be. */
export function findSingleViable(configurations: Configurations): number | undefined {
  let found: number | undefined;
  for (const group of groupAlternatives(configurations, byStateAndStack).values()) {
    const least = Math.min(...group);
    if (found !== undefined && found !== least) return undefined;
    found = least;
  }
  return found;
}
