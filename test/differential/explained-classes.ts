import type { DifferentialStep } from './differential-case.ts';
import { changeBodies, changeBody, changeTexts, type AnswerPair, type Json } from './levels/change-body.ts';
import { dropUnserved } from './levels/drop-unserved.ts';
import { levelBounds } from './levels/level-bounds.ts';
import { levelOrder } from './levels/level-order.ts';
import { levelQuotes } from './levels/level-quotes.ts';
import { levelSpecification } from './levels/level-specification.ts';
import { levelWarnings } from './levels/level-warnings.ts';
import { levelWording } from './levels/level-wording.ts';
import { renameControllers } from './levels/rename-controllers.ts';

/** A reason for which our answers differ from Kubernetes' on purpose. */
export interface ExplainedClass {
  readonly name: string;
  /** Why, in a sentence. */
  readonly reason: string;
  /** Ids of its rows in docs/deviations.md; a step that names one must differ for this reason. */
  readonly deviations: readonly string[];
  /**
   * The pair without the differences that this class explains, after a look at both answers; `before` are the steps up to this one.
   */
  level(pair: AnswerPair, step: DifferentialStep, before: readonly DifferentialStep[]): AnswerPair;
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
    level: levelWording,
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
    level: dropUnserved,
  },
  {
    name: 'warnings',
    reason: 'Who applies a disruption budget that never allows an eviction is warned.',
    deviations: ['impossible-budget'],
    level: levelWarnings,
  },
  // Last: it leaves texts that no other can read.
  {
    name: 'order',
    reason: 'Kubernetes goes through maps in random order; our order is the same every time.',
    deviations: ['quoted-maps', 'sorted-conflicts', 'repeated-faults'],
    level: levelOrder,
  },
];
