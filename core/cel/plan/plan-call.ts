import type { CelFunction, CelOverload } from '../libraries/cel-library.ts';
import type { Call } from '../syntax/expression.ts';
import { CelError, CelList, CelOptional } from '../values/cel-value.ts';
import type { Attribute } from './attribute.ts';
import { chooseInvoke, compileCall } from './compile-call.ts';
import { planConcatenation } from './plan-concatenation.ts';
import type { CallPlan, Summand } from './call-plan.ts';
import { isFastOperator, planEquality, planMembership, planOperator } from './plan-operator.ts';
import { planSetMembership } from './plan-set-membership.ts';
import { PlanRefusal, type Evaluate } from './frame.ts';
import type { PlanNode } from './plan-node.ts';
import { refuseError, type PlanContext } from './plan-context.ts';

/** Functions whose call with a constant is made when it is planned. */
const conversions = new Set([
  'bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint',
]); // prettier-ignore

/** Plans a call: operators that evaluate their operands themselves, constants, and functions. */
export function planCall(planner: PlanContext, node: Call): PlanNode {
  if (node.name === '_&&_' || node.name === '_||_') return planLogic(planner, node);
  if (node.name === '_+_') return planSum(planner, node);
  const operands = node.target === undefined ? node.arguments : [node.target, ...node.arguments];
  const nodes = operands.map((operand) => planner.plan(operand));
  switch (node.name) {
    case '_?_:_':
      return planChoice(planner, nodes as [PlanNode, PlanNode, PlanNode]);
    case '_[_]':
      return planner.planIndex(nodes[0]!, nodes[1]!, false);
    case '_?._':
    case '_[?_]':
      return planner.planIndex(nodes[0]!, nodes[1]!, true);
    default:
      break;
  }
  const evaluates = nodes.map((operand) => planner.compile(operand));
  if (node.name === '_==_' || node.name === '_!=_') return computed(planEquality(node.name, nodes, evaluates));
  if (node.name === '@not_strictly_false') return computed(planNotStrictlyFalse(evaluates[0]!));
  const plan: CallPlan = { ...resolve(planner, node), nodes, evaluates };
  const [first, second] = evaluates;
  const call = (plan.overload ?? plan.fn.overloads[0])?.call;
  if (isFastOperator(node.name) && call !== undefined) {
    return computed(planOperator(node.name, first!, { evaluate: second!, call, cost: plan.overload?.cost }));
  }
  const planned = planFunction(plan);
  if (planned !== undefined) return planned;
  if (node.name === '@in' && call !== undefined) {
    return computed(planMembership(first!, { evaluate: second!, call, cost: plan.overload?.cost }));
  }
  return computed(compileCall(plan));
}

/** Plans a chain `a + b + c`, which may become a long text. */
function planSum(planner: PlanContext, root: Call): PlanNode {
  const sums: Call[] = [];
  let node: Call['arguments'][number] = root;
  while (node.kind === 'call' && node.name === '_+_' && node.arguments.length === 2) {
    sums.unshift(node);
    node = node.arguments[0]!;
  }
  const first = planner.compile(planner.plan(node));
  const summands = sums.map((sum): Summand => {
    const { fn, overload } = resolve(planner, sum);
    const call = (overload ?? fn.overloads[0])!.call!;
    return { evaluate: planner.compile(planner.plan(sum.arguments[1]!)), call, cost: overload?.cost };
  });
  const [second] = summands as [Summand];
  return computed(summands.length === 1 ? planOperator('_+_', first, second) : planConcatenation(first, summands));
}

function resolve(planner: PlanContext, node: Call): { fn: CelFunction; overload: CelOverload | undefined } {
  const reference = planner.checked.references.get(node.id);
  if (reference?.kind !== 'call') throw new PlanRefusal(`no such overload: ${node.name}`);
  const { function: fn, overloads } = reference;
  return { fn, overload: overloads.length === 1 ? overloads[0] : undefined };
}

function computed(evaluate: Evaluate): PlanNode {
  return { kind: 'computed', evaluate };
}

/** What is done otherwise than by calling the function; `undefined`: nothing. */
function planFunction(plan: CallPlan): PlanNode | undefined {
  const { fn, overload, nodes, evaluates } = plan;
  const [first, second] = nodes;
  if (conversions.has(fn.name) && nodes.length === 1 && first!.kind === 'constant') {
    return { kind: 'constant', value: refuseError(chooseInvoke(plan)([first!.value])) };
  }
  if (overload?.id === 'in_list' && second!.kind === 'constant' && second!.value instanceof CelList) {
    const node = planSetMembership(evaluates[0]!, second!.value);
    if (node !== undefined) return node;
  }
  if (nodes.length === 2 && fn.name === 'or' && isLeft(overload, 'optional_or_optional')) {
    return computed(planOr(evaluates[0]!, evaluates[1]!));
  }
  if (nodes.length === 2 && fn.name === 'orValue' && isLeft(overload, 'optional_orValue_value')) {
    return computed(planOrValue(evaluates[0]!, evaluates[1]!));
  }
  const refusal = fn.refuses?.(nodes.map((node) => (node.kind === 'constant' ? node.value : undefined)));
  if (refusal !== undefined) throw new PlanRefusal(refusal);
  return undefined;
}

function isLeft(overload: CelOverload | undefined, id: string): boolean {
  return overload === undefined || overload.id === id;
}

/** `a.or(b)`: the second is only evaluated when the first has no value. */
function planOr(first: Evaluate, second: Evaluate): Evaluate {
  return (frame) => {
    const value = first(frame);
    return value instanceof CelOptional && value.value === undefined ? second(frame) : value;
  };
}

function planOrValue(first: Evaluate, second: Evaluate): Evaluate {
  return (frame) => {
    const value = first(frame);
    if (!(value instanceof CelOptional)) return value;
    return value.value === undefined ? second(frame) : value.value;
  };
}

function planNotStrictlyFalse(operand: Evaluate): Evaluate {
  return (frame) => {
    const value = operand(frame);
    frame.meter.charge(1);
    return typeof value === 'boolean' ? value : true;
  };
}

/** `c ? a : b`, to which selections may be added. */
function planChoice(planner: PlanContext, [condition, truthy, falsy]: [PlanNode, PlanNode, PlanNode]): PlanNode {
  const toBranch = (node: PlanNode): Attribute => planner.toAttribute(node);
  return {
    kind: 'attribute',
    attribute: { choice: { condition: planner.compile(condition), truthy: toBranch(truthy), falsy: toBranch(falsy) } },
    isTest: false,
  };
}

/** Plans `a && b && …` or `a || b || …` in one; which of the terms belong together makes no difference. */
function planLogic(planner: PlanContext, node: Call): PlanNode {
  const terms = listTerms(node, node.name).map((term) => planner.compile(planner.plan(term)));
  return computed(
    terms.length === 2 ? joinTwo(terms[0]!, terms[1]!, node.name === '_||_') : joinTerms(terms, node.name === '_||_'),
  );
}

function listTerms(root: Call, name: string): Call['arguments'][number][] {
  const terms: Call['arguments'][number][] = [];
  const open: Call['arguments'][number][] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.kind === 'call' && node.name === name) open.push(...node.arguments.toReversed());
    else terms.push(node);
  }
  return terms;
}

const noSuchOverload = new CelError('no such overload');

/** `decisive` is the value that decides without the others. */
function joinTerms(terms: readonly Evaluate[], decisive: boolean): Evaluate {
  return (frame) => {
    let failure: CelError | undefined;
    for (const term of terms) {
      const value = term(frame);
      if (value === decisive) return decisive;
      if (value !== !decisive) failure ??= value instanceof CelError ? value : noSuchOverload;
    }
    return failure ?? !decisive;
  };
}

function joinTwo(first: Evaluate, second: Evaluate, decisive: boolean): Evaluate {
  return (frame) => {
    const left = first(frame);
    if (left === decisive) return decisive;
    const right = second(frame);
    if (right === decisive) return decisive;
    if (left !== !decisive) return left instanceof CelError ? left : noSuchOverload;
    if (right !== !decisive) return right instanceof CelError ? right : noSuchOverload;
    return !decisive;
  };
}
