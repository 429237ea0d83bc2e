import type { FieldError } from '../../../../core/errors/field-error.ts';
import { FieldPath } from '../../../../core/errors/field-path.ts';
import { makeInvalid } from '../../../../core/errors/make-field-error.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import type { DefinedSubresources } from '../../custom-resource-definition/custom-resource-definition.ts';
import { formatGoValue } from '../../../../core/patch/format-go-value.ts';

type ScalePaths = NonNullable<DefinedSubresources['scale']>;

const maxReplicas = 2 ** 31 - 1;

/** Faults of the number of wanted replicas. */
export function validateScaleSpec(object: JsonObject, scale: ScalePaths | undefined): FieldError[] {
  return scale === undefined ? [] : validateReplicas(object, scale.specReplicasPath);
}

/** Faults of the number of replicas that there are, and of the selector. */
export function validateScaleStatus(object: JsonObject, scale: ScalePaths | undefined): FieldError[] {
  if (scale === undefined) return [];
  const errors = validateReplicas(object, scale.statusReplicasPath);
  const { labelSelectorPath } = scale;
  if (labelSelectorPath === undefined) return errors;
  const found = readPath(object, labelSelectorPath);
  if ('fault' in found) errors.push(makeInvalid(FieldPath.root(labelSelectorPath), '', found.fault));
  else if (found.value !== undefined && typeof found.value !== 'string') {
    const fault = describeWrongType(labelSelectorPath, found.value, 'string');
    errors.push(makeInvalid(FieldPath.root(labelSelectorPath), '', fault));
  }
  return errors;
}

function validateReplicas(object: JsonObject, path: string): FieldError[] {
  const found = readPath(object, path);
  const at = FieldPath.root(path);
  if ('fault' in found) return [makeInvalid(at, 0, found.fault)];
  const { value } = found;
  if (value === undefined) return [];
  const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
  if (!isInteger) return [makeInvalid(at, 0, describeWrongType(path, value, 'int64'))];
  if (value < 0) return [makeInvalid(at, value, 'should be a non-negative integer')];
  if (value > maxReplicas) return [makeInvalid(at, value, `should be less than or equal to ${maxReplicas}`)];
  return [];
}

function splitPath(path: string): string[] {
  return path.replace(/^\./, '').split('.');
}

function describeWrongType(path: string, value: JsonValue, expected: string): string {
  return `.${splitPath(path).join('.')} accessor error: ${formatGoValue(value)} is of the type ${nameGoType(value)}, expected ${expected}`;
}

function nameGoType(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      if (value === null) return '<nil>';
      return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  }
}

/** The value at a dotted path, `undefined` when it is not there, or the fault of a step that is no object. */
function readPath(
  object: JsonObject,
  path: string,
): { readonly value: JsonValue | undefined } | { readonly fault: string } {
  let value: JsonValue | undefined = object;
  const names = splitPath(path);
  for (const [i, name] of names.entries()) {
    if (value === null) return { value: undefined };
    if (!isJsonObject(value)) {
      const at = `.${names.slice(0, i + 1).join('.')}`;
      const fault = `${at} accessor error: ${formatGoValue(value ?? null)} is of the type ${nameGoType(value ?? null)}, expected map[string]interface{}`;
      return { fault };
    }
    value = getOwn(value, name);
    if (value === undefined) return { value };
  }
  return { value };
}
