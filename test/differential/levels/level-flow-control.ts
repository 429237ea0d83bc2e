import type { DifferentialStep } from '../differential-case.ts';
import type { NormalAnswer } from '../normalize-answers.ts';
import { changeBodies, changeQuoted, changeTexts, type AnswerPair, type Json } from './change-body.ts';

/** Where flow control may have written, though a client has taken over every field since. */
const flowSchema = /\/flowschemas\b/;
const flowControlManager = /^api-priority-and-fairness-/;

/** Errors that quote a FlowSchema without what flow control writes into it. */
function dropQuotedFlowControl(body: Json): Json {
  return changeTexts(body, (text) =>
    changeQuoted(text.replaceAll(/<version \d+>/g, '<version>'), (object) => {
      if (object.kind !== 'FlowSchema' || typeof object.metadata !== 'object') return object;
      const { resourceVersion: _version, ...metadata } = object.metadata;
      return { ...object, metadata, status: undefined };
    }),
  );
}

/** A FlowSchema or PriorityLevelConfiguration without what Kubernetes' flow control writes into it, and who wrote what. */
function dropFlowControl(body: Json): Json {
  if (body?.kind === 'FlowSchemaList') {
    const items = body.items.map((item: Json) => dropFlowControl({ kind: 'FlowSchema', ...item }));
    return { ...body, items };
  }
  if (body?.kind !== 'FlowSchema' && body?.kind !== 'PriorityLevelConfiguration') return body;
  const { managedFields: _managers, resourceVersion: _version, ...metadata } = body.metadata;
  const conditions = (body.status?.conditions ?? []).filter(({ type }: Json) => type !== 'Dangling');
  return { ...body, metadata, status: { ...body.status, conditions } };
}

/** Whether an object is refused since flow control has made it. */
function isMandatory({ status, body }: NormalAnswer): boolean {
  return (
    status === 409 &&
    /^(?:flowschemas|prioritylevelconfigurations)\.\S+ "(?:exempt|catch-all)" already/.test(body.message)
  );
}

function isFlowControlConflict({ status, body }: NormalAnswer): boolean {
  return (
    status === 409 && String(body.message).startsWith('Apply failed with 1 conflict: conflict with "api-priority-')
  );
}

function isOfFlowControl(body: Json): boolean {
  const entries: Json[] = body?.metadata?.managedFields ?? [];
  return entries.some(({ manager }) => flowControlManager.test(manager));
}

/** The pair without what only a server with flow control of its own does. */
export function levelFlowControl([real, ours]: AnswerPair, { path }: DifferentialStep): AnswerPair {
  if (isMandatory(real) && ours.status === 201) return [real, real];
  if (isFlowControlConflict(real) && ours.status === 200) return [real, real];
  if (!isOfFlowControl(real.body) && !flowSchema.test(path)) return [real, ours];
  return changeBodies([real, ours], (body) => dropFlowControl(dropQuotedFlowControl(body)));
}
