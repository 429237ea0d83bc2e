import type { StructuralSchema } from '../../schema/structural-schema.ts';
import { CelError, type CelResult } from '../values/cel-value.ts';
import { JsonList, JsonMap, selectSchema, toCelValue } from '../values/json-value.ts';
import type { Qualifier } from './attribute.ts';
import type { CostMeter } from './cost-meter.ts';
import { makeMissingKey, selectItem } from './qualify-value.ts';

/** One step along JSON, by a key that is known. */
interface PathStep {
  readonly key: string | number;
  /** Whether every object seems to have it, through its prototype. */
  readonly isInherited: boolean;
  readonly unescaped: string | undefined;
  readonly missing: CelError;
}

/** Selections whose keys are known; they are walked along plain JSON without making values on the way. */
export type Path = readonly PathStep[];

/** The selections at the beginning that can be walked along JSON. */
export function takePath(qualifiers: readonly Qualifier[]): Path {
  const path: PathStep[] = [];
  for (const { key, isOptional, isTest, unescaped } of qualifiers) {
    if (isOptional || isTest || (typeof key !== 'string' && typeof key !== 'number')) break;
    path.push({ key, isInherited: key in Object.prototype, unescaped, missing: makeMissingKey(key) });
  }
  return path;
}

function readStep(json: object, step: PathStep): unknown {
  const { key } = step;
  const value = (json as Readonly<Record<string, unknown>>)[key];
  if (value !== undefined && (!step.isInherited || Object.hasOwn(json, key))) return value;
  if (step.unescaped === undefined || !Object.hasOwn(json, step.unescaped)) return undefined;
  return (json as Readonly<Record<string, unknown>>)[step.unescaped];
}

/** Walks along JSON and charges each step; an error where there is no way. */
export function walkJson(json: unknown, path: Path, meter: CostMeter): unknown {
  let current = json;
  const length = path.length;
  for (let index = 0; index < length; index++) {
    const step = path[index]!;
    const next =
      typeof current !== 'object' || current === null
        ? undefined
        : Array.isArray(current)
          ? readItem(current, step)
          : typeof step.key === 'string'
            ? readStep(current, step)
            : undefined;
    if (next === undefined || next instanceof CelError) {
      meter.charge(index + 1);
      return next ?? step.missing;
    }
    current = next;
  }
  meter.charge(length);
  return current;
}

function readItem(list: readonly unknown[], step: PathStep): unknown {
  const { key } = step;
  if (typeof key === 'number' && key >= 0 && key < list.length) return list[key] ?? null;
  const failed = selectItem(new JsonList([], undefined), key);
  return failed;
}

function findSchema(schema: StructuralSchema | undefined, path: Path): StructuralSchema | undefined {
  let current = schema;
  for (const { key, unescaped } of path) {
    if (current === undefined) return undefined;
    const inner: StructuralSchema | undefined =
      typeof key === 'number'
        ? current.items
        : (selectSchema(current, key) ?? (unescaped === undefined ? undefined : selectSchema(current, unescaped)));
    current = inner;
  }
  return current;
}

/** What a walk ended at as a value, with the schema of that place. */
export function wrapJson(json: unknown, schema: StructuralSchema | undefined, path: Path): CelResult {
  if (typeof json === 'string' || typeof json === 'boolean') return json;
  if (json instanceof CelError) return json;
  return toCelValue(json, schema === undefined ? undefined : findSchema(schema, path));
}

/** Whether a value is plain JSON inside, whose parts need no schema to be read. */
export function isJson(value: CelResult): value is JsonMap | JsonList {
  return (value instanceof JsonMap || value instanceof JsonList) && value.schema?.isDeclared !== true;
}
