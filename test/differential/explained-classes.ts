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

/** The body of an answer changed where it is one of this condition. */
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

/** Controllers' entries under one name. */
function renameControllers(body: Json): Json {
  return changeManagers(body, (entries) => {
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

function isOfFlowControl(body: Json): boolean {
  const entries: Json[] = body?.metadata?.managedFields ?? [];
  return entries.some(({ manager }) => flowControlManager.test(manager));
}

/** Every class of differences that is known and wanted, ten at most. */
export const explainedClasses: readonly ExplainedClass[] = [
  {
    name: 'order',
    reason: 'Kubernetes goes through maps in random order; our order is the same every time.',
    deviations: ['quoted-maps', 'sorted-conflicts'],
    level: ([real, ours]) => [changeBody(real, sortFaults), changeBody(ours, sortFaults)],
  },
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
      isOfFlowControl(real.body) || flowSchemaStatus.test(path)
        ? [changeBody(real, dropFlowControl), changeBody(ours, dropFlowControl)]
        : [real, ours],
  },
  {
    name: 'specification',
    reason: 'The specification says otherwise.',
    deviations: ['plc-borrowing-zero', 'vap-reason', 'vap-message', 'vap-variable-names', 'anonymous'],
  },
];
