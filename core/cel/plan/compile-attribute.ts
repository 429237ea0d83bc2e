import { CelError, CelOptional, type CelResult, type CelValue } from '../values/cel-value.ts';
import { JsonMap, readProperty } from '../values/json-value.ts';
import type { Attribute, AttributeBase, Qualifier } from './attribute.ts';
import type { Evaluate, Frame } from './frame.ts';
import { findItem, refuseJsonQualifier, refuseQualifier, selectItem } from './qualify-value.ts';
import { isJson, takePath, walkJson, wrapJson, type Path } from './resolve-path.ts';

const noSuchOverload = new CelError('no such overload');

/** Evaluates an attribute as a part of an expression by itself: its selections, and 1 for the name. */
export function compileAttribute(attribute: Attribute, isTest: boolean): Evaluate {
  const resolve = compileResolve(attribute);
  // A choice costs nothing itself, and neither does a name that is only asked for a field.
  const cost = (attribute.choice === undefined ? 1 : 0) - (isTest ? 1 : 0);
  if (isTest) return charge(asTest(resolve), cost);
  if (cost === 0) return resolve;
  if (attribute.choice === undefined && attribute.qualifiers.length === 0) {
    return compileName(attribute.base) ?? charge(resolve, cost);
  }
  return charge(resolve, cost);
}

/** A test behind an optional selection yields an optional, which is only looked at where the test stands by itself, as in cel-go. */
function asTest(resolve: Evaluate): Evaluate {
  return (frame) => {
    const value = resolve(frame);
    return value instanceof CelOptional ? value.value !== undefined : value;
  };
}

function charge(resolve: Evaluate, cost: number): Evaluate {
  if (cost === 0) return resolve;
  return (frame) => {
    const value = resolve(frame);
    frame.meter.charge(cost);
    return value;
  };
}

function compileName(base: AttributeBase): Evaluate | undefined {
  if (base.kind !== 'local' || base.initial !== undefined) return undefined;
  const { place } = base;
  return (frame) => {
    frame.meter.charge(1);
    return frame.locals[place]!;
  };
}

/** Evaluates an attribute as a part of another: only its selections are charged. */
export function compileResolve(attribute: Attribute): Evaluate {
  if (attribute.choice !== undefined) {
    const { condition } = attribute.choice;
    const truthy = compileResolve(attribute.choice.truthy);
    const falsy = compileResolve(attribute.choice.falsy);
    return (frame) => {
      const value = condition(frame);
      if (value === true) return truthy(frame);
      if (value === false) return falsy(frame);
      return value instanceof CelError ? value : noSuchOverload;
    };
  }
  const { qualifiers } = attribute;
  const base = compileBase(attribute.base);
  if (qualifiers.length === 0) return attribute.base.kind === 'operand' ? flattenResult(base) : base;
  const path = takePath(qualifiers);
  if (path.length === qualifiers.length) return compilePath(base, path, qualifiers);
  const last = qualifiers.at(-1)!;
  if (path.length === qualifiers.length - 1 && last.isTest && typeof last.key === 'string') {
    return compileTest(base, path, qualifiers, last.key);
  }
  const prefix = qualifiers.slice(0, path.length);
  const walk = prefix.length === 0 ? base : compilePath(base, path, prefix);
  const rest = qualifiers.slice(path.length);
  return (frame) => {
    const value = walk(frame);
    return value instanceof CelError ? value : applyQualifiers(value, rest, frame);
  };
}

/** What cel-go makes of the value of an optional where it goes on with it: that of an optional inside, and null of nothing. */
function flatten(value: CelValue): CelValue {
  let inner = value;
  while (inner instanceof CelOptional) inner = inner.value === undefined ? null : inner.value;
  return inner;
}

/** A computed branch of a choice goes the way of a name, where optionals lose their inner ones. */
function flattenResult(evaluate: Evaluate): Evaluate {
  return (frame) => {
    const value = evaluate(frame);
    return value instanceof CelOptional && value.value instanceof CelOptional
      ? new CelOptional(flatten(value.value))
      : value;
  };
}

function compileBase(base: AttributeBase): Evaluate {
  switch (base.kind) {
    case 'operand':
      return base.evaluate;
    case 'variable': {
      const { name } = base;
      const missing = new CelError(`no such attribute(s): ${name}`);
      return (frame) => frame.variables[name] ?? (name in frame.variables ? null : missing);
    }
    default: {
      const { place, initial } = base;
      return (frame) => {
        const value = frame.locals[place];
        if (value !== undefined) return value;
        return (frame.locals[place] = initial === undefined ? null : initial(frame));
      };
    }
  }
}

function compilePath(base: Evaluate, path: Path, qualifiers: readonly Qualifier[]): Evaluate {
  return (frame) => {
    const value = base(frame);
    if (isJson(value)) return wrapJson(walkJson(value.json, path, frame.meter), value.schema, path);
    return value instanceof CelError ? value : applyQualifiers(value, qualifiers, frame);
  };
}

/** `has(a.b.c)` over JSON: nothing is made on the way, nor of what is found. */
function compileTest(base: Evaluate, path: Path, qualifiers: readonly Qualifier[], field: string): Evaluate {
  const { unescaped } = qualifiers.at(-1)!;
  return (frame) => {
    const value = base(frame);
    if (!(value instanceof JsonMap) || !isJson(value)) {
      return value instanceof CelError ? value : applyQualifiers(value, qualifiers, frame);
    }
    const json = walkJson(value.json, path, frame.meter);
    if (json instanceof CelError) return json;
    if (Array.isArray(json))
      return applyQualifiers(wrapJson(json, undefined, path) as CelValue, [qualifiers.at(-1)!], frame);
    frame.meter.charge(1);
    if (typeof json !== 'object' || json === null) return false;
    const object = json as Readonly<Record<string, unknown>>;
    if (readProperty(object, field) !== undefined) return true;
    return unescaped !== undefined && readProperty(object, unescaped) !== undefined;
  };
}

/** Applies selections in order. From the first optional one on, what is absent ends in nothing, and the result is an optional. */
function applyQualifiers(start: CelValue, qualifiers: readonly Qualifier[], frame: Frame): CelResult {
  let value: CelValue = start;
  let isOptional = false;
  if (start instanceof CelOptional) {
    if (start.value === undefined) return start;
    value = flatten(start.value);
    isOptional = true;
  }
  for (const qualifier of qualifiers) {
    isOptional ||= qualifier.isOptional;
    const key = readKey(qualifier, frame);
    const found = key instanceof CelError ? key : qualify(value, key, qualifier, isOptional);
    if (!isOptional || (found !== undefined && !(found instanceof CelError))) frame.meter.charge(1);
    if (found instanceof CelError) return found;
    if (found === undefined) return CelOptional.none;
    value = found;
  }
  return isOptional ? new CelOptional(value) : value;
}

function readKey({ key, evaluateKey, isRead }: Qualifier, frame: Frame): CelResult {
  if (evaluateKey === undefined) return key!;
  const evaluated = evaluateKey(frame);
  if (evaluated instanceof CelError) return evaluated;
  const isComputed = isRead === undefined || (evaluated === null && !isRead);
  return (isComputed ? refuseQualifier(evaluated) : refuseJsonQualifier(evaluated)) ?? evaluated;
}

/** One selection; `undefined`: there is no such field, and that is no error. */
function qualify(
  value: CelValue,
  key: CelValue,
  { isTest, unescaped }: Qualifier,
  isOptional: boolean,
): CelResult | undefined {
  if (!isTest && !isOptional && unescaped === undefined) return selectItem(value, key);
  let found = findItem(value, key);
  if (found === undefined && unescaped !== undefined) found = findItem(value, unescaped);
  if (found instanceof CelError) return found;
  if (isTest) return isOptional && found === undefined ? undefined : found !== undefined;
  return found === undefined && !isOptional ? selectItem(value, key) : found;
}
