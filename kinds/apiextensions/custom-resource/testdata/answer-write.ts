import { encodeJson } from '../../../../core/decode/encode-json.ts';
import { parseJson } from '../../../../core/decode/parse-json.ts';
import { FieldPath } from '../../../../core/errors/field-path.ts';
import { formatFieldErrorBody } from '../../../../core/errors/make-field-error.ts';
import { deepClone } from '../../../../core/meta/deep.ts';
import type { JsonObject, JsonValue } from '../../../../core/meta/json.ts';
import type { KubeObject } from '../../../../core/meta/kube-object.ts';
import { validateObjectMeta } from '../../../../core/validation/object-meta.ts';
import { judgeCreate, judgeUpdate, type WriteJudgement } from '../../../judge-write.ts';
import type { KindDefinition } from '../../../kind-definition.ts';
import { defineCustomKinds } from '../define-custom-kinds.ts';
import {
  caseGroup,
  hasOld,
  makeCaseDefinition,
  makeCaseObject,
  type CustomAnswer,
  type CustomCase,
  type CustomWrite,
} from './custom-case.ts';

const context = { domain: 'k8s.io', nowMillis: 0, mayTakeLong: true };
type Written = KubeObject & JsonObject;

function makeKind(one: CustomCase, isOld: boolean): KindDefinition {
  const [kind] = defineCustomKinds(makeCaseDefinition(one, isOld));
  if (kind === undefined) throw new Error(`${one.name} defines no kind`);
  return kind;
}

/** Decodes what a client sends, as it comes over the wire; `fault` when it is no object of the kind. */
function decode(kind: KindDefinition, one: CustomCase, object: JsonObject, index: number) {
  const sent = {
    apiVersion: `${caseGroup}/v1`,
    kind: makeCaseDefinition(one, false).spec.names.kind,
    ...object,
    metadata: { name: `w${index}`, ...(object['metadata'] as JsonObject | undefined) },
  };
  const parsed = parseJson(Buffer.from(encodeJson(sent as JsonValue)));
  if ('fault' in parsed) throw new Error(parsed.fault);
  const decoded = kind.decode?.(parsed.value, { notes: parsed.notes });
  if (decoded === undefined) throw new Error('a custom kind decodes itself');
  if ('fault' in decoded) return decoded;
  const written = decoded.object as Written;
  kind.strategy.applyDefaults(written, context);
  return { written, warnings: decoded.strictFaults };
}

function makeOld(one: CustomCase, write: CustomWrite, index: number, now: KindDefinition): Written {
  const before = makeKind(one, true);
  const decoded = decode(before, one, makeCaseObject(write, true), index);
  if ('fault' in decoded) throw new Error(decoded.fault);
  const { written } = decoded;
  const { status } = written;
  before.strategy.prepareForCreate(written, context);
  if (status !== undefined) written['status'] = status;
  now.conversion?.fromStored(written);
  return written;
}

/** What the kind of a case makes of a write, as a server would answer it. */
export function answerWrite(one: CustomCase, write: CustomWrite, index: number): CustomAnswer {
  const kind = makeKind(one, false);
  const decoded = decode(kind, one, makeCaseObject(write, false), index);
  if ('fault' in decoded) {
    const { kind: name } = kind;
    return { code: 400, message: `${name} in version "v1" cannot be handled as a ${name}: ${decoded.fault}` };
  }
  const { written } = decoded;
  if (!hasOld(write)) {
    kind.strategy.prepareForCreate(written, context);
    return describeAnswer(written, judgeCreate(kind.strategy, written, context), decoded.warnings, 201);
  }
  const old = makeOld(one, write, index, kind);
  const strategy = write.isStatus === true ? kind.strategy.status : kind.strategy;
  if (strategy === undefined) throw new Error(`${one.name} has no status`);
  if (old.metadata.generation !== undefined) written.metadata.generation = old.metadata.generation;
  strategy.prepareForUpdate(written, deepClone(old), context);
  return describeAnswer(written, judgeUpdate(strategy, written, old, context), decoded.warnings, 200);
}

function describeAnswer(
  written: Written,
  judgement: WriteJudgement,
  faults: readonly string[],
  code: number,
): CustomAnswer {
  const rules = { namespaced: false, allowsPlainFinalizers: true };
  const metaFaults = validateObjectMeta(written.metadata, rules, FieldPath.root('metadata'));
  const causes = [...metaFaults, ...judgement.faults].map((error): [string, string, string] => [
    error.type,
    error.field,
    formatFieldErrorBody(error),
  ]);
  const own = causes.length > 0 ? [] : judgement.warnings;
  const warnings = [...faults, ...(judgement.excused ?? []), ...own].toSorted();
  const shown = warnings.length === 0 ? {} : { warnings };
  if (causes.length > 0) {
    const sorted = causes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return { code: 422, ...shown, causes: sorted };
  }
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = written;
  return { code, ...shown, object: { ...rest, generation: metadata.generation } };
}

