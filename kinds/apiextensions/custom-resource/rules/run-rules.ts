import type { CelVariables } from '../../../../core/cel/cel-program.ts';
import { BudgetExceeded, CostMeter, EvaluationInterrupted } from '../../../../core/cel/plan/cost-meter.ts';
import { CelError, CelOptional, type CelResult } from '../../../../core/cel/values/cel-value.ts';
import { toCelValue } from '../../../../core/cel/values/json-value.ts';
import type { FieldError } from '../../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../../core/errors/field-path.ts';
import {
  formatFieldError,
  makeDuplicate,
  makeForbidden,
  makeInvalid,
  makeRequired,
} from '../../../../core/errors/make-field-error.ts';
import { quoteGo } from '../../../../core/errors/quote-go.ts';
import { getOwn, isJsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import type { CelProgram } from '../../../../core/cel/cel-program.ts';
import { JudgementTakesLong } from '../../../judge-write.ts';
import type { ValidationRule } from '../../custom-resource-definition/custom-resource-definition.ts';
import { KeyedItems, type CorrelatedValue } from '../validate/correlated-value.ts';
import type { CompiledRule } from './compile-rule.ts';
import type { RuleNode } from './rule-node.ts';

/** What one expression may cost. */
const expressionCostLimit = 1_000_000;
/** What all rules of one object may cost. */
export const objectCostLimit = 10_000_000;
/** What may be spent where evaluating holds up others: some 20 ms. */
const quickCost = 50_000;
/** What one call may take there, such as a match of a regular expression, in units of 100 ns. */
const quickCallUnits = 100_000;
/** So much of rules is compiled there at once, as `compileWork` counts. */
const quickCompileWork = 5_000;
const maxMessageBytes = 5 * 1024;
const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';
const limitExceeded = 'operation cancelled: actual cost limit exceeded';

/** What is known of a value's past: itself where it can be told, and the nearest around it where it cannot. */
interface Past {
  readonly current: CorrelatedValue | undefined;
  readonly nearest: CorrelatedValue | undefined;
}

const noPast: Past = { current: undefined, nearest: undefined };

/** What rules are run on. */
export interface RuleInput {
  readonly value: JsonValue;
  /** Absent on creation. */
  readonly old?: JsonValue | undefined;
  /** The same two, correlated; absent: nothing is excused for not having changed. */
  readonly before?: CorrelatedValue | undefined;
  readonly path: FieldPath;
  /** What may still be spent. */
  readonly budget: number;
  /** Whether evaluating may take as long as the budget lets it; absent: JudgementTakesLong is thrown when it takes long. */
  readonly mayTakeLong?: boolean | undefined;
}

/** What rules found. */
export interface RuleOutcome {
  readonly errors: readonly FieldError[];
  /** Texts of faults that were there before, and may stay. */
  readonly warnings: readonly string[];
  /** What is left of the budget; negative when it did not suffice, or a rule cost more than one may. */
  readonly remaining: number;
}

/** Evaluates the rules of a schema on a value and all that is inside. */
export function runRules(node: RuleNode, input: RuleInput): RuleOutcome {
  const run = new RuleRun(input.budget, input.mayTakeLong === true);
  const past: Past = { current: input.before, nearest: undefined };
  run.visit(node, { value: input.value, old: input.old, path: input.path, past });
  return { errors: run.errors, warnings: run.warnings, remaining: run.remaining };
}

interface Place {
  readonly value: JsonValue | undefined;
  readonly old: JsonValue | undefined;
  readonly path: FieldPath;
  readonly past: Past;
}

interface Evaluation {
  readonly result: CelResult | undefined;
  readonly cost: number;
}

class RuleRun {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  remaining: number;
  /** What may be spent before it takes long; `undefined`: all. */
  #leftHere: number | undefined;
  /** What was compiled, as `compileWork` counts. */
  #compiledHere = 0;

  constructor(budget: number, mayTakeLong: boolean) {
    this.remaining = budget;
    this.#leftHere = mayTakeLong ? undefined : quickCost;
  }

  visit(node: RuleNode, place: Place): void {
    const { value } = place;
    if (value === undefined || value === null) return;
    this.#runOwn(node, place, value);
    if (Array.isArray(value)) this.#visitItems(node, place, value);
    else if (isJsonObject(value)) {
      if (node.values !== undefined) {
        for (const key of Object.keys(value)) {
          if (this.remaining < 0) return;
          this.visit(node.values, enter(place, key, place.path.key(key)));
        }
      }
      for (const [key, child] of node.properties) {
        if (this.remaining < 0) return;
        this.visit(child, enter(place, key, place.path.child(key)));
      }
    }
  }

  #visitItems(node: RuleNode, place: Place, list: readonly JsonValue[]): void {
    if (node.items === undefined) return;
    const { old, past } = place;
    const isMap = node.schema['x-kubernetes-list-type'] === 'map';
    const oldItems = isMap && Array.isArray(old) ? new KeyedItems(old, node.schema) : undefined;
    for (const [index, item] of list.entries()) {
      if (this.remaining < 0) return;
      const { current } = past;
      const inner: Past = current === undefined ? past : { current: current.item(index), nearest: current };
      this.visit(node.items, { value: item, old: oldItems?.find(item), path: place.path.index(index), past: inner });
    }
  }

  #runOwn(node: RuleNode, place: Place, value: JsonValue): void {
    if (node.compileWork === 0) return;
    const rules = this.#readRules(node);
    const { path } = place;
    const type = node.schema.type ?? '';
    if (this.remaining <= 0) return this.#stop(makeInvalid(path, type, outOfBudget));
    const hasOld = place.old !== undefined && place.old !== null;
    const self = toCelValue(value, node.structure);
    const seesOld = rules.some(({ usesOldSelf }) => usesOldSelf);
    const oldSelf = hasOld ? toCelValue(place.old, node.structure) : undefined;
    const plain: CelVariables = seesOld && oldSelf !== undefined ? { self, oldSelf } : { self };
    const optional: CelVariables = seesOld
      ? { self, oldSelf: oldSelf === undefined ? CelOptional.none : new CelOptional(oldSelf) }
      : plain;
    for (const compiled of rules) {
      const { rule, program, usesOldSelf } = compiled;
      const isOptional = rule.optionalOldSelf === true;
      if (compiled.fault !== undefined) {
        this.errors.push(makeInvalid(path, type, `rule compile error: ${compiled.fault}`));
      } else if (program !== undefined && (!usesOldSelf || hasOld || isOptional)) {
        this.#runOne(compiled, program, isOptional ? optional : plain, plain, place, type);
      }
      if (this.remaining < 0) return;
    }
  }

  /** Compiles some rules at a time where that holds up others; what was compiled stays, so that it goes further the next time. */
  #readRules(node: RuleNode): readonly CompiledRule[] {
    if (this.#leftHere !== undefined && !node.isCompiled) {
      this.#compiledHere += node.compileWork;
      if (this.#compiledHere > quickCompileWork) throw new JudgementTakesLong();
    }
    return node.rules;
  }

  #runOne(
    compiled: CompiledRule,
    program: CelProgram,
    variables: CelVariables,
    plain: CelVariables,
    place: Place,
    type: string,
  ): void {
    const { rule } = compiled;
    const { path } = place;
    const { result, cost } = this.#evaluate(program, variables);
    if (cost > this.remaining) return this.#stop(makeInvalid(path, type, outOfBudget));
    this.remaining -= cost;
    if (result === undefined) {
      const detail = `'${limitExceeded}': no further validation rules will be run due to call cost exceeds limit for rule: ${nameRule(rule)}`;
      return this.#stop(makeInvalid(path, type, detail));
    }
    if (result instanceof CelError) {
      const { message } = result;
      const detail = message.startsWith('no such overload')
        ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${nameRule(rule)}`
        : `${message} evaluating rule: ${nameRule(rule)}`;
      this.errors.push(makeInvalid(path, type, detail));
    } else if (result !== true) {
      this.#report(compiled, plain, place, type);
    }
  }

  #report(compiled: CompiledRule, plain: CelVariables, { path, past }: Place, type: string): void {
    const { rule, fieldPath, messageProgram } = compiled;
    const at = fieldPath === undefined || fieldPath === '' ? path : path.child(fieldPath);
    const add = (error: FieldError): void => {
      if (!compiled.usesOldSelf && isUnchanged(past)) this.warnings.push(formatFieldError(error));
      else this.errors.push(error);
    };
    if (messageProgram === undefined) {
      add(makeReasoned(at, type, findMessage(rule), rule.reason));
      return;
    }
    const { result, cost } = this.#evaluate(messageProgram, plain);
    if (cost > this.remaining) {
      const detail =
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';
      add(makeInvalid(at, type, detail));
      this.remaining = -1;
      return;
    }
    if (result === undefined) {
      const detail = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quoteGo(rule.messageExpression ?? '')}`;
      add(makeInvalid(at, type, detail));
      this.remaining = -1;
      return;
    }
    this.remaining -= cost;
    const message = typeof result === 'string' ? result.trim() : '';
    const isFit = message !== '' && !message.includes('\n') && Buffer.byteLength(message) <= maxMessageBytes;
    add(makeReasoned(at, type, isFit ? message : findMessage(rule), rule.reason));
  }

  /** `result` is absent when the expression cost more than one may. */
  #evaluate(program: CelProgram, variables: CelVariables): Evaluation {
    const here = this.#leftHere;
    const meter = new CostMeter(
      Math.min(expressionCostLimit, here ?? expressionCostLimit),
      here === undefined ? {} : { maxCallUnits: quickCallUnits },
    );
    try {
      const result = program.evaluate(variables, meter);
      if (here !== undefined) this.#leftHere = here - meter.spent;
      return { result, cost: meter.spent };
    } catch (error) {
      if (error instanceof EvaluationInterrupted) throw new JudgementTakesLong();
      if (!(error instanceof BudgetExceeded)) throw error;
      if (here !== undefined) throw new JudgementTakesLong();
      return { result: undefined, cost: meter.spent };
    }
  }

  #stop(error: FieldError): void {
    this.errors.push(error);
    this.remaining = -1;
  }
}

function enter({ value, old, past }: Place, key: string, path: FieldPath): Place {
  return {
    value: isJsonObject(value) ? getOwn(value, key) : undefined,
    old: isJsonObject(old) ? getOwn(old, key) : undefined,
    path,
    past: enterPast(past, key),
  };
}

function enterPast(past: Past, key: string): Past {
  const { current, nearest } = past;
  if (current === undefined) return past;
  // The server gives both texts, in the version of the request.
  if (nearest === undefined && (key === 'apiVersion' || key === 'kind')) return noPast;
  return { current: current.member(key), nearest: current };
}

function isUnchanged({ current, nearest }: Past): boolean {
  return (current ?? nearest)?.isUnchanged === true;
}

/** What names a rule where it failed otherwise than by being false. */
function nameRule({ rule, message }: ValidationRule): string {
  return (message !== undefined && message !== '' ? message : rule).trim();
}

function findMessage(rule: ValidationRule): string {
  return rule.message === undefined || rule.message === '' ? `failed rule: ${nameRule(rule)}` : rule.message.trim();
}

function makeReasoned(path: FieldPath, type: string, detail: string, reason: string | undefined): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return makeForbidden(path, detail);
    case 'FieldValueRequired':
      return makeRequired(path, detail);
    case 'FieldValueDuplicate':
      return makeDuplicate(path, type);
    default:
      return makeInvalid(path, type, detail);
  }
}
