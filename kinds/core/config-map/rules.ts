import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeTooLong } from '../../../core/errors/make-field-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { checkConfigMapKey, countBytes } from '../../../core/validation/names.ts';
import { makeInvalids } from '../pod-spec/validate-choice.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { readField, readFlag, readTexts } from '../../workloads/read-field.ts';
import { validateImmutable } from '../../workloads/validate-immutable.ts';

/** The most that a ConfigMap or a Secret may hold, in bytes. */
export const maxDataBytes = 1024 * 1024;

/** Bytes of a base64 text once decoded. */
export function countDecodedBytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length * 3) / 4 - padding;
}

/** Faults of the keys of a map. */
export function validateDataKeys(data: Readonly<Record<string, string>>, path: FieldPath): FieldError[] {
  return Object.keys(data)
    .sort()
    .flatMap((key) => makeInvalids(path.key(key), key, checkConfigMapKey(key)));
}

/** Faults of an update of an object that said it would never change. */
export function validateFrozen(object: KubeObject, old: KubeObject, keys: readonly string[]): FieldError[] {
  if (!readFlag(old, 'immutable')) return [];
  const detail = 'field is immutable when `immutable` is set';
  const changed = keys.filter(
    (key) => validateImmutable(readField(object, key) ?? {}, readField(old, key) ?? {}, FieldPath.root(key)).length > 0,
  );
  const isKept = readFlag(object, 'immutable');
  return [...(isKept ? [] : ['immutable']), ...changed].map((key) => makeForbidden(FieldPath.root(key), detail));
}

function validate(configMap: KubeObject): FieldError[] {
  const data = readTexts(configMap, 'data');
  const binaryData = readTexts(configMap, 'binaryData');
  const errors = validateDataKeys(data, FieldPath.root('data'));
  for (const key of Object.keys(data).sort()) {
    if (!Object.hasOwn(binaryData, key)) continue;
    errors.push(makeInvalid(FieldPath.root('data').key(key), key, 'duplicate of key present in binaryData'));
  }
  errors.push(...validateDataKeys(binaryData, FieldPath.root('binaryData')));
  const texts = Object.values(data).reduce((sum, text) => sum + countBytes(text), 0);
  const size = Object.values(binaryData).reduce((sum, text) => sum + countDecodedBytes(text), texts);
  if (size > maxDataBytes) errors.push(makeTooLong(FieldPath.root(''), '', maxDataBytes));
  return errors;
}

/** How config maps are written. */
export const configMapRules: WorkloadRules = {
  repeatedChecks: ['change', 'object'],
  validate,
  validateUpdate: (configMap, old) => [
    ...validateFrozen(configMap, old, ['data', 'binaryData']),
    ...validate(configMap),
  ],
};
