import { encodeJson } from '../../../core/decode/encode-json.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid } from '../../../core/errors/make-field-error.ts';
import { makeBadRequestError, makeInvalidError } from '../../../core/errors/make-status-error.ts';
import type { StatusError } from '../../../core/errors/status.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';
import { listFaultWarnings } from './decode-body.ts';
import { formatGoValue } from '../../../core/patch/format-go-value.ts';
import { applyJsonPatch } from '../../../core/patch/json-patch.ts';
import { makeRejectedPatchError } from '../../../core/patch/make-rejected-patch-error.ts';
import { applyMergePatch } from '../../../core/patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../../../core/patch/strategic-merge-patch.ts';
import type { StructuralSchema } from '../../../core/schema/structural-schema.ts';
import type { ParsedPatch } from './parse-patch.ts';
import type { FieldValidation } from './query-parameters.ts';

/** What a patch made of a document. */
export interface PatchedDocument {
  readonly value: JsonValue;
  /** What Kubernetes quotes when the result is no object of the kind. */
  readonly shown: () => string;
}

/** 422 for a patch whose result is no object of the kind; `shown` is what Kubernetes quotes of it. */
export function makePatchInvalidError(shown: string, fault: string): StatusError {
  return makeInvalidError('', '', '', [makeInvalid(FieldPath.root('patch'), shown, fault)]);
}

/** Warns of what strict validation finds in a patch and its result, or refuses it with 422 where the client wants that. */
export function handlePatchFaults(
  faults: readonly string[],
  shown: () => string,
  fieldValidation: FieldValidation,
  warn: (text: string) => void,
): void {
  if (faults.length > 0 && fieldValidation === 'Strict') {
    throw makePatchInvalidError(shown(), `strict decoding error: ${faults.join(', ')}`);
  }
  if (fieldValidation === 'Warn') for (const text of listFaultWarnings(faults)) warn(text);
}

function sortTopLevel(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** Applies a patch other than server-side apply; the document is not changed. Throws 400 and 422 with Kubernetes' wording. */
export function applyPatch(patch: ParsedPatch, document: JsonObject, schema: StructuralSchema): PatchedDocument {
  if (patch.type === 'application/merge-patch+json') {
    const value = applyMergePatch(document, patch.value);
    return { value, shown: () => encodeJson(isJsonObject(value) ? sortTopLevel(value) : value) };
  }
  const isStrategic = patch.type === 'application/strategic-merge-patch+json';
  const result = isStrategic
    ? applyStrategicMergePatch(document, patch.value, schema)
    : applyJsonPatch(document, patch.value);
  if ('fault' in result) {
    if (result.kind === 'failed') throw makeRejectedPatchError();
    throw makeBadRequestError(result.fault);
  }
  const { value } = result;
  if (isStrategic) return { value, shown: () => formatGoValue(patch.value) };
  return { value, shown: () => encodeJson(isJsonObject(value) ? sortTopLevel(value) : value) };
}
