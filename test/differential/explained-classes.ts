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
  /** The pair without the differences that this class explains; absent: only steps that name it differ so. */
  level?(pair: AnswerPair, step: DifferentialStep): AnswerPair;
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

/** Controllers' entries, and conflicts with them, under one name. */
function renameControllers(body: Json): Json {
  const renamed = changeTexts(body, (text) => text.replaceAll(controllerConflict, 'conflict with a controller$1'));
  return changeManagers(renamed, (entries) => {
    const renamed = entries.map((entry) =>
      controllers.has(entry.manager) ? { ...entry, manager: 'a controller', operation: 'Update' } : entry,
    );
    const keyed = renamed.map((entry) => [JSON.stringify(entry), entry] as const);
    return keyed.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  });
}

/** What a client writes there may take over every field from flow control. */
const flowSchemaStatus = /\/flowschemas\/[^/]+\/status/;
const flowControlManager = /^api-priority-and-fairness-/;

/** A FlowSchema or PriorityLevelConfiguration without what Kubernetes' flow control writes into it, and who wrote what. */
function dropFlowControl(body: Json): Json {
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

function isOfFlowControl(body: Json): boolean {
  const entries: Json[] = body?.metadata?.managedFields ?? [];
  return entries.some(({ manager }) => flowControlManager.test(manager));
}

const quotedObject = /Invalid value: (\{.*\})(?=: )/g;

function sortKeys(_key: string, value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function levelQuotes(body: Json): Json {
  return changeTexts(body, (text) =>
    text
      .replaceAll(quotedObject, (all, quoted: string) => {
        try {
          return `Invalid value: ${JSON.stringify(JSON.parse(quoted), sortKeys)}`;
        } catch {
          return all;
        }
      })
      .replaceAll('[]', 'null'),
  );
}

const patchFault = /(\bInvalid value: "map\[.*\]": ).*/;

/** What a strategic merge patch was, without why its result is no object of the kind. */
function cutPatchFault(body: Json): Json {
  if (body?.kind !== 'Status' || body.details?.causes?.[0]?.field !== 'patch') return body;
  return changeTexts(body, (text) => text.replace(patchFault, '$1'));
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

function levelSpecification([real, ours]: AnswerPair): AnswerPair {
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
    level: ([real, ours], { path }) =>
      isMandatory(real) && ours.status === 201
        ? [real, real]
        : isOfFlowControl(real.body) || flowSchemaStatus.test(path)
          ? [changeBody(real, dropFlowControl), changeBody(ours, dropFlowControl)]
          : [real, ours],
  },
  {
    name: 'quotes',
    reason: 'Errors that quote an object show its fields in our order, and its empty lists as absent.',
    deviations: ['quoted-empty-lists', 'quoted-order', 'empty-lists'],
    level: ([real, ours]) => [changeBody(real, levelQuotes), changeBody(ours, levelQuotes)],
  },
  {
    name: 'wording',
    reason: 'Texts of libraries: one wording for one fault, whatever way an object comes.',
    deviations: ['patch-wording', 'yaml-wording'],
    level: ([real, ours]) => [changeBody(real, cutPatchFault), changeBody(ours, cutPatchFault)],
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
    deviations: ['plc-borrowing-zero', 'vap-reason', 'vap-message', 'vap-variable-names', 'anonymous'],
    level: levelSpecification,
  },
  // Last: it leaves texts that no other can read.
  {
    name: 'order',
    reason: 'Kubernetes goes through maps in random order; our order is the same every time.',
    deviations: ['quoted-maps', 'sorted-conflicts'],
    level: ([real, ours]) => [changeBody(real, sortFaults), changeBody(ours, sortFaults)],
  },
];
