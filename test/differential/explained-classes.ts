import type { DifferentialStep } from './differential-case.ts';
import type { NormalAnswer } from './normalize-answers.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of any kind
type Json = any;

/** The answers of a real server and of ours to one request. */
export type AnswerPair = readonly [real: NormalAnswer, ours: NormalAnswer];

/** A reason for which our answers differ from Kubernetes' on purpose. */
export interface ExplainedClass {
  readonly name: string;
  /** Why, in a sentence. */
  readonly reason: string;
  /** Ids of its rows in docs/deviations.md; a step that names one differs for this reason. */
  readonly deviations: readonly string[];
  /**
   * The pair without the differences that this class explains; absent: only steps that name it differ so. `before` are the steps up to
   * this one.
   */
  level?(pair: AnswerPair, step: DifferentialStep, before: readonly DifferentialStep[]): AnswerPair;
}

function changeBody(answer: NormalAnswer, change: (body: Json) => Json): NormalAnswer {
  return { ...answer, body: change(answer.body) };
}

/** Causes and the parts of the message in one order. */
function sortFaults(body: Json): Json {
  const causes = body?.details?.causes;
  if (body?.kind !== 'Status' || !Array.isArray(causes)) return body;
  const sorted = causes.map((cause) => JSON.stringify(cause)).toSorted();
  const words = String(body.message)
    .split(/[[\], ]+/)
    .toSorted();
  return { ...body, message: words, details: { ...body.details, causes: sorted } };
}

/** Applies `change` to the texts of a Status. */
function changeTexts(body: Json, change: (text: string) => string): Json {
  if (body?.kind !== 'Status') return body;
  const causes = body.details?.causes;
  const details = Array.isArray(causes)
    ? { ...body.details, causes: causes.map((cause) => ({ ...cause, message: change(String(cause.message)) })) }
    : body.details;
  return { ...body, message: change(String(body.message)), details };
}

/** Applies `change` to every object within a value that has managedFields, from the inside out. */
function changeManagers(value: Json, change: (entries: Json[]) => Json[]): Json {
  if (Array.isArray(value)) return value.map((item) => changeManagers(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      key === 'managedFields' && Array.isArray(item) ? [key, change(item)] : [key, changeManagers(item, change)],
    ),
  );
}

const controllers: ReadonlySet<string> = new Set([
  ...['bailiwick', 'kube-controller-manager', 'validatingadmissionpolicy-status', 'clusterrole-aggregation-controller'],
]);

/** A conflict with a controller; those that apply are named without a version. */
const controllerConflict = new RegExp(
  `conflict with "(?:${[...controllers].join('|')})"( with subresource "[a-z]+")?(?: using [a-z0-9./]+)?`,
  'g',
);

/** A field set without who owns structs themselves, which those that apply do not. */
function dropOwnDots(fields: Json): Json {
  if (typeof fields !== 'object' || fields === null) return fields;
  const entries = Object.entries(fields).filter(([name]) => name !== '.');
  return Object.fromEntries(entries.map(([name, inner]) => [name, dropOwnDots(inner)]));
}

/** Controllers' entries, and conflicts with them, under one name. */
function renameControllers(body: Json): Json {
  const renamed = changeTexts(body, (text) => text.replaceAll(controllerConflict, 'conflict with a controller$1'));
  return changeManagers(renamed, (entries) => {
    const renamed = entries.map((entry) =>
      controllers.has(entry.manager)
        ? { ...entry, manager: 'a controller', operation: 'Update', fieldsV1: dropOwnDots(entry.fieldsV1) }
        : entry,
    );
    const keyed = renamed.map((entry) => [JSON.stringify(entry), entry] as const);
    return keyed.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  });
}

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

const quotedObject = /Invalid value: (\{.*\})(?=: )/g;

/** A text with the objects that it quotes changed, and their fields in one order. */
function changeQuoted(text: string, change: (object: Json) => Json): string {
  return text.replaceAll(quotedObject, (all, quoted: string) => {
    try {
      return `Invalid value: ${JSON.stringify(change(JSON.parse(quoted)), sortKeys)}`;
    } catch {
      return all;
    }
  });
}

function sortKeys(_key: string, value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function levelQuotes(body: Json): Json {
  return changeTexts(body, (text) => changeQuoted(text, (object) => object).replaceAll('[]', 'null'));
}

/** Whether a write up to this one sent an empty list or map to the object that was answered. */
function sentEmpty(before: readonly DifferentialStep[]): boolean {
  return before.some(({ method, body }) => method !== 'GET' && /\[\]|\{\}/.test(JSON.stringify(body) ?? ''));
}

/**
 * Kubernetes takes an empty list or map of a NetworkPolicy for a change, and one of a LimitRange for something to own; it is gone when
 * the object has been stored.
 */
function dropTraces(body: Json): Json {
  if (body?.kind === 'LimitRange') return { ...body, metadata: { ...body.metadata, managedFields: undefined } };
  if (body?.kind !== 'NetworkPolicy') return body;
  return { ...body, metadata: { ...body.metadata, generation: undefined, resourceVersion: undefined } };
}

const patchFault = /(\bInvalid value: "map\[.*\]": ).*/;

/** What a strategic merge patch was, without why its result is no object of the kind. */
function cutPatchFault(body: Json): Json {
  if (body?.kind !== 'Status' || body.details?.causes?.[0]?.field !== 'patch') return body;
  return changeTexts(body, (text) => text.replace(patchFault, '$1'));
}

const overflow = /cannot unmarshal number -?\d+ into .* of type u?int\d+$/;

/** Whether an amount is refused as no integer since its thousandfold has more than 64 bits, and for nothing else. */
function isLargeAmount({ body }: NormalAnswer): boolean {
  const causes: Json[] = body?.details?.causes ?? [];
  return (
    causes.length > 0 && causes.every(({ message }) => /^Invalid value: "\d+E": must be an integer$/.test(message))
  );
}

function blameClient(body: Json): Json {
  return { ...body, code: 400, reason: 'BadRequest' };
}

/** What only our rules find wrong, and how Kubernetes' list of supported reasons reads. */
const ownFaults: readonly { readonly field: RegExp; readonly message: RegExp }[] = [
  { field: /^spec\.limited\.borrowingLimitPercent$/, message: /^Invalid value: 0: / },
  { field: /^spec\.validations\[\d+\]\.message$/, message: /^Required value: message must be specified if/ },
  { field: /^spec\.variables\[\d+\]\.name$/, message: /^Duplicate value: / },
];
const kubernetesFault = {
  field: /^spec\.validations\[\d+\]\.reason$/,
  message: /^Unsupported value: "Unauthorized": /,
};
const supportedReasons = '"Forbidden", "Invalid", "RequestEntityTooLarge"';

/** A refusal without what only one of the two finds wrong; an acceptance when nothing is left. */
function dropFaults(answer: NormalAnswer, faults: readonly { field: RegExp; message: RegExp }[]): NormalAnswer {
  const causes: Json[] = answer.body?.details?.causes ?? [];
  const kept = causes.filter(
    (cause) => !faults.some(({ field, message }) => field.test(cause.field) && message.test(cause.message)),
  );
  if (kept.length === causes.length) return answer;
  return changeBody(answer, (body) => ({ ...body, message: '', details: { ...body.details, causes: kept } }));
}

function levelSpecification([real, ours]: AnswerPair, { method }: DifferentialStep): AnswerPair {
  const isCollection = method === 'DELETE' && Array.isArray(real.body?.items);
  if (isCollection && real.status === 200 && ours.status === 200 && ours.body?.kind === 'Status') return [real, real];
  const told = changeBody(ours, (body) =>
    changeTexts(body, (text) => text.replaceAll(`${supportedReasons}, "Unauthorized"`, supportedReasons)),
  );
  const [theirs, own] = [dropFaults(real, [kubernetesFault]), dropFaults(told, ownFaults)];
  if (theirs === real && own === told) return [real, own];
  const isEmpty = (answer: NormalAnswer): boolean => answer.body?.details?.causes?.length === 0;
  // One of the two refuses for nothing else.
  if ((isEmpty(theirs) && ours.status < 300) || (isEmpty(own) && real.status < 300)) return [real, real];
  const silence = (body: Json): Json => ({ ...body, message: '' });
  return [changeBody(theirs, silence), changeBody(own, silence)];
}

const protobufType = /, application\/vnd\.kubernetes\.protobuf(?:;stream=watch)?/g;

/** Every class of differences that is known and wanted, ten at most. */
export const explainedClasses: readonly ExplainedClass[] = [
  {
    name: 'names',
    reason: 'Who answers and who controls has a name of its own.',
    deviations: ['controller-names', 'version'],
    level: ([real, ours]) => [changeBody(real, renameControllers), changeBody(ours, renameControllers)],
  },
  {
    name: 'flow-control',
    reason: 'Flow control is still to come: it makes objects of its own and tells whether a FlowSchema has a level.',
    deviations: ['flow-control'],
    level: ([real, ours], { path }) => {
      if (isMandatory(real) && ours.status === 201) return [real, real];
      if (isFlowControlConflict(real) && ours.status === 200) return [real, real];
      if (!isOfFlowControl(real.body) && !flowSchema.test(path)) return [real, ours];
      const level = (body: Json): Json => dropFlowControl(dropQuotedFlowControl(body));
      return [changeBody(real, level), changeBody(ours, level)];
    },
  },
  {
    name: 'quotes',
    reason: 'Decoded, an empty list is as an absent one; errors that quote an object show its fields in our order.',
    deviations: ['quoted-empty-lists', 'quoted-order', 'empty-lists', 'empty-generation'],
    level: ([real, ours], _step, before) => {
      const level = (body: Json): Json => levelQuotes(sentEmpty(before) ? dropTraces(body) : body);
      return [changeBody(real, level), changeBody(ours, level)];
    },
  },
  {
    name: 'wording',
    reason: 'Texts of libraries: one wording for one fault, whatever way an object comes.',
    deviations: ['patch-wording', 'yaml-wording'],
    level: ([real, ours]) => [changeBody(real, cutPatchFault), changeBody(ours, cutPatchFault)],
  },
  {
    name: 'bounds',
    reason: 'No number changes silently: what is beyond its type is refused, what is large is kept.',
    deviations: ['quantity-bounds', 'patch-overflow'],
    level: ([real, ours], { headers }) => {
      const causes: Json[] = ours.body?.details?.causes ?? [];
      const isStrategic = headers?.['content-type']?.includes('strategic') === true;
      const isOverflow = causes.some(({ field, message }) => field === 'patch' && overflow.test(message));
      return (isStrategic && isOverflow) || isLargeAmount(real) ? [real, real] : [real, ours];
    },
  },
  {
    name: 'blame',
    reason: 'What the client is to blame for is no error of the server, which clients would repeat.',
    deviations: ['patch-500'],
    level: ([real, ours]) =>
      real.status === 500 && ours.status === 400
        ? [changeBody({ ...real, status: 400 }, blameClient), ours]
        : [real, ours],
  },
  {
    name: 'specification',
    reason: 'The specification says otherwise.',
    deviations: [
      'plc-borrowing-zero',
      'vap-reason',
      'vap-message',
      'vap-variable-names',
      'anonymous',
      'collection-answer',
    ],
    level: levelSpecification,
  },
  {
    name: 'representations',
    reason: 'Answers are JSON or YAML, which every client reads; refusals name what there is.',
    deviations: ['protobuf-answers'],
    level: ([real, ours]) => [
      changeBody(real, (body) => changeTexts(body, (text) => text.replaceAll(protobufType, ''))),
      ours,
    ],
  },
  {
    name: 'kinds',
    reason: 'Some kinds are not served, so that discovery does not list them.',
    deviations: ['webhooks'],
  },
  // Last: it leaves texts that no other can read.
  {
    name: 'order',
    reason: 'Kubernetes goes through maps in random order; our order is the same every time.',
    deviations: ['quoted-maps', 'sorted-conflicts'],
    level: ([real, ours]) => [changeBody(real, sortFaults), changeBody(ours, sortFaults)],
  },
];
