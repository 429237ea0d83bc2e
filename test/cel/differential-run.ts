import { answerExpression } from '../oracle/answer-expression.ts';
import type { OracleAnswer, OracleRequest } from '../oracle/oracle-protocol.ts';
import type { Oracle } from '../oracle/start-oracle.ts';
import { compareAnswers, type AnswerDifference } from './compare-answers.ts';
import { explainDifference } from './explained-differences.ts';
import { generateCases, toRequest, type GeneratedCase } from './generator/generate-cases.ts';
import { OverloadTable } from './generator/overload-table.ts';
import { makeWorlds } from './generator/worlds.ts';

/** A case in which we differ from Kubernetes. */
export interface FoundDifference {
  readonly generated: GeneratedCase;
  readonly theirs: OracleAnswer;
  readonly ours: OracleAnswer;
  readonly difference: AnswerDifference;
}

/** What a run of generated expressions found. */
export interface DifferentialReport {
  readonly cases: readonly GeneratedCase[];
  readonly answers: readonly OracleAnswer[];
  /** Ids of all overloads of both environments that a source text can reach. */
  readonly overloadIds: readonly string[];
  /** How often each class of explained differences occurred. */
  readonly explained: ReadonlyMap<string, number>;
  readonly differences: readonly FoundDifference[];
}

/** Times that Kubernetes is asked again: the order in which Go goes through a map changes a few answers. */
const askedAgain = 24;
const objectsOfEach = 3;
/** The rest of the expressions goes to the overloads that were rare among these. */
const firstShare = 0.9;
const rareOverloads = 30;

/** Generates expressions and compares what both engines make of them. */
export async function runDifferential(oracle: Oracle, seed: number, count: number): Promise<DifferentialReport> {
  const tables = { new: await readTable(oracle, 'new'), stored: await readTable(oracle, 'stored') };
  const worlds = makeWorlds(seed, objectsOfEach);
  const overloadIds = [...new Set([...tables.new.all, ...tables.stored.all].map(({ id }) => id))];
  const first = generateCases({ seed, count: Math.floor(count * firstShare), worlds, tables });
  const firstAnswers = await oracle.askAll(first.map(toRequest));
  const known = new Set(first.map(({ expression }) => expression));
  const rare = findRare(overloadIds, firstAnswers);
  const rest = generateCases({ seed: seed + 1, count: count - first.length, worlds, tables, overloadIds: rare, known });
  const cases = [...first, ...rest];
  const answers = [...firstAnswers, ...(await oracle.askAll(rest.map(toRequest)))];
  const explained = new Map<string, number>();
  const differences: FoundDifference[] = [];
  for (const [i, generated] of cases.entries()) {
    const theirs = answers[i]!;
    const request = toRequest(generated);
    const ours = answerSafely(request);
    const difference = compareAnswers(theirs, ours);
    if (difference === undefined) continue;
    const reason =
      explainDifference(theirs, ours, generated.expression)?.name ??
      ((await saysItSometimes(oracle, request, ours)) ? 'order-of-go-maps' : undefined);
    if (reason === undefined) differences.push({ generated, theirs, ours, difference });
    else explained.set(reason, (explained.get(reason) ?? 0) + 1);
  }
  return { cases, answers, overloadIds, explained, differences };
}

/** The overloads that fewest expressions call; which are found right is known only when Kubernetes has checked them. */
function findRare(overloadIds: readonly string[], answers: readonly OracleAnswer[]): ReadonlySet<string> {
  const counts = new Map(overloadIds.map((id) => [id, 0]));
  for (const id of answers.flatMap(({ overloads = [] }) => overloads)) counts.set(id, (counts.get(id) ?? 0) + 1);
  const ordered = overloadIds.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  return new Set(ordered.slice(0, rareOverloads));
}

async function readTable(oracle: Oracle, mode: 'new' | 'stored'): Promise<OverloadTable> {
  const { functions } = await oracle.ask({ expression: '', mode, environment: true });
  if (functions === undefined) throw new Error('the oracle lists no functions');
  return new OverloadTable(functions);
}

async function saysItSometimes(oracle: Oracle, request: OracleRequest, ours: OracleAnswer): Promise<boolean> {
  const again = await oracle.askAll(Array.from({ length: askedAgain }, () => request));
  return again.some((answer) => compareAnswers(answer, ours) === undefined);
}

function answerSafely(request: OracleRequest): OracleAnswer {
  try {
    return answerExpression(request);
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
