import type { DifferentialStep } from '../differential-case.ts';
import type { NormalAnswer } from '../normalize-answers.ts';
import { changeBodies, changeBody, changeQuoted, changeTexts, type AnswerPair, type Json } from './change-body.ts';
import { isAcceptance } from './is-acceptance.ts';
import { levelVersions } from './level-versions.ts';

/** Where flow control may have written, though a client has taken over every field since. */
const flowControlPath = /\/(?:flowschemas|prioritylevelconfigurations)\b/;
const conditionManager = /^api-priority-and-fairness-config-consumer-/;
const objectManager = /^api-priority-and-fairness-config-producer-/;
/** Who made an object of such a name where flow control does not. */
const clientManager = 'unknown';
const kinds: Readonly<Record<string, string>> = {
  flowschemas: 'FlowSchema',
  prioritylevelconfigurations: 'PriorityLevelConfiguration',
};
const mandatory = /^(?:exempt|catch-all)$/;
const danglingKey = 'k:{"type":"Dangling"}';

function dropDangling(status: Json): Json {
  const conditions = (status?.conditions ?? []).filter(({ type }: Json) => type !== 'Dangling');
  return { ...status, conditions };
}

/** Errors that quote a FlowSchema without what flow control writes into it. */
function dropQuoted(body: Json): Json {
  return changeTexts(body, (text) =>
    changeQuoted(text.replaceAll(/<version \d+>/g, '<version>'), (object) => {
      if (object.kind !== 'FlowSchema' || typeof object.metadata !== 'object') return object;
      const { resourceVersion: _version, ...metadata } = object.metadata;
      return { ...object, metadata, status: dropDangling(object.status) };
    }),
  );
}

/** An entry without the condition of flow control; `undefined` when nothing else was in it. */
function dropOwnership(entry: Json): Json {
  if (conditionManager.test(entry.manager)) return undefined;
  const conditions = entry.fieldsV1?.['f:status']?.['f:conditions'];
  if (conditions === undefined) return entry;
  const { [danglingKey]: _dangling, '.': _dot, ...others } = conditions;
  if (Object.keys(others).length > 0) return { ...entry, fieldsV1: { ...entry.fieldsV1, 'f:status': others } };
  const { 'f:status': _status, ...fields } = entry.fieldsV1;
  return Object.keys(fields).length === 0 ? undefined : { ...entry, fieldsV1: fields };
}

/** Who owns what, as if flow control had written nothing. */
function dropManagers(metadata: Json): Json {
  if (metadata.managedFields === undefined) return metadata;
  const managedFields = metadata.managedFields.flatMap((entry: Json) => {
    const kept = dropOwnership(entry);
    if (kept === undefined) return [];
    return [objectManager.test(kept.manager) ? { ...kept, manager: clientManager } : kept];
  });
  return { ...metadata, managedFields };
}

/** A FlowSchema without what Kubernetes' flow control writes into it, and that it did. */
function dropFlowControl(body: Json): Json {
  if (body?.kind === 'FlowSchemaList') {
    const items = body.items.map((item: Json) => dropFlowControl({ ...item, kind: 'FlowSchema' }));
    return { ...body, items };
  }
  if (body?.metadata === undefined || !Object.values(kinds).includes(body.kind)) return body;
  const { name, uid } = body.metadata;
  // Which answer told of it first depends on who made it.
  const identity = mandatory.test(name) && uid !== undefined ? { uid: '<uid>' } : {};
  const changed = { ...body, metadata: { ...dropManagers(body.metadata), ...identity } };
  return body.kind === 'FlowSchema' ? { ...changed, status: dropDangling(body.status) } : changed;
}

/** Whether an object is refused since flow control has made it. */
function isMandatory({ status, body }: NormalAnswer): boolean {
  return (
    status === 409 &&
    /^(?:flowschemas|prioritylevelconfigurations)\.\S+ "(?:exempt|catch-all)" already/.test(body.message)
  );
}

/** Whether an apply is refused since flow control owns its condition, and for nothing else. */
function isFlowControlConflict({ status, body }: NormalAnswer): boolean {
  const causes: Json[] = body?.details?.causes ?? [];
  return (
    status === 409 &&
    causes.length > 0 &&
    causes.every(
      ({ field, message }) =>
        message.startsWith('conflict with "api-priority-and-fairness-') && field.startsWith('.status.conditions'),
    )
  );
}

/** A refusal that names its kind as one for faults does. */
function nameKind(refusal: NormalAnswer): NormalAnswer {
  return changeBody(refusal, (body) => ({
    ...body,
    details: { ...body.details, kind: kinds[body.details?.kind] ?? body.details?.kind },
  }));
}

/** The pair without what only a server with flow control of its own does. */
export function levelFlowControl([real, ours]: AnswerPair, { path }: DifferentialStep): AnswerPair {
  const isRefused = isMandatory(real) || isFlowControlConflict(real);
  if (isRefused && isAcceptance(ours, nameKind(real))) return [real, real];
  if (!flowControlPath.test(path)) return [real, ours];
  return levelVersions(changeBodies([real, ours], (body) => dropFlowControl(dropQuoted(body))));
}
