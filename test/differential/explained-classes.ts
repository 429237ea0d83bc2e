import type { DifferentialStep } from './differential-case.ts';
import { changeBodies, changeBody, changeTexts, type AnswerPair, type Json } from './levels/change-body.ts';
import { levelBounds } from './levels/level-bounds.ts';
import { levelFlowControl } from './levels/level-flow-control.ts';
import { levelQuotes } from './levels/level-quotes.ts';
import { levelSpecification } from './levels/level-specification.ts';
import { renameControllers } from './levels/rename-controllers.ts';

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

/** Causes and the parts of the message in one order. */
function sortFaults(body: Json): Json {
  if (body?.kind !== 'Status') return body;
  const causes = body.details?.causes;
  const words = String(body.message)
    .split(/[[\], ]+/)
    .toSorted();
  if (!Array.isArray(causes)) return body.reason === 'Forbidden' ? { ...body, message: words } : body;
  const sorted = causes.map((cause) => JSON.stringify(cause)).toSorted();
  return { ...body, message: words, details: { ...body.details, causes: sorted } };
}

const patchFault = /(\bInvalid value: "map\[.*\]": ).*/;
const applyFault = /^(failed to convert new object .*: unable to convert unstructured object to [^:]*: json: ).*/;

/** What a strategic merge patch or an apply was, without why its result is no object of the kind. */
function cutPatchFault(body: Json): Json {
  if (applyFault.test(body?.message)) return { ...body, message: body.message.replace(applyFault, '$1') };
  if (body?.kind !== 'Status' || body.details?.causes?.[0]?.field !== 'patch') return body;
  return changeTexts(body, (text) => text.replace(patchFault, '$1'));
}

function blameClient(body: Json): Json {
  return { ...body, code: 400, reason: 'BadRequest' };
}

const protobufType = /, application\/vnd\.kubernetes\.protobuf(?:;stream=watch)?/g;

/** Every class of differences that is known and wanted, ten at most. */
export const explainedClasses: readonly ExplainedClass[] = [
  {
    name: 'names',
    reason: 'Who answers and who controls has a name of its own.',
    deviations: ['controller-names', 'version'],
    level: (pair) => changeBodies(pair, renameControllers),
  },
  {
    name: 'flow-control',
    reason: 'Flow control is still to come: it makes objects of its own and tells whether a FlowSchema has a level.',
    deviations: ['flow-control'],
    level: levelFlowControl,
  },
  {
    name: 'quotes',
    reason: 'Decoded, an empty list is as an absent one; errors that quote an object show its fields in our order.',
    deviations: ['quoted-empty-lists', 'quoted-order', 'empty-lists', 'empty-generation'],
    level: levelQuotes,
  },
  {
    name: 'bounds',
    reason: 'No number changes silently: what is beyond its type is refused, what is large is kept.',
    deviations: ['quantity-bounds', 'patch-overflow'],
    level: levelBounds,
  },
  {
    name: 'wording',
    reason: 'Texts of libraries: one wording for one fault, whatever way an object comes.',
    deviations: ['patch-wording', 'yaml-wording'],
    level: (pair) => changeBodies(pair, cutPatchFault),
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
    level: (pair) => changeBodies(pair, sortFaults),
  },
];
