import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { findFlowDifferences } from '../kinds/flowcontrol/testdata/find-flow-differences.ts';
import { dealHand } from '../operator/apiserver/flow-control/dispatch/deal-hand.ts';
import { hashFlow } from '../operator/apiserver/flow-control/hash-flow.ts';
import { Random } from './cel/generator/random.ts';
import { findKeptDifferences } from './flow-control/find-kept-differences.ts';
import { generateFlowQuestion } from './flow-control/generate-flow-question.ts';
import { generateKeptQuestion } from './flow-control/generate-kept-question.ts';
import { describeOracle } from './oracle/describe-oracle.ts';
import type { FlowOracleAnswer } from './oracle/flow-oracle-protocol.ts';
import { startFlowOracle, type FlowOracle } from './oracle/start-flow-oracle.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Math.floor(Math.random() * 2 ** 31) : 20_260_801));
const configurations = isSoak ? 600 : 60;
const keptSets = isSoak ? 3_000 : 300;
const hands = 500;
const mostAnswers = 12;
const recorded = join(import.meta.dirname, '../kinds/flowcontrol/testdata/recorded.json');
const recordedSeed = 8;
const recordedConfigurations = 8;

describeOracle(`flow control (seed ${seed}), asked of Kubernetes' own code`, () => {
  let oracle: FlowOracle;
  beforeAll(async () => {
    oracle = await startFlowOracle();
  });
  afterAll(() => oracle?.stop());

  /** Kubernetes sums up in the random order of its maps, and so rounds halves now up and now down: one of its answers is ours. */
  async function askUntilAlike(question: ReturnType<typeof generateFlowQuestion>) {
    for (let tries = 1; ; tries += 1) {
      const answer = await oracle.ask(question);
      const differences = findFlowDifferences(question, answer);
      if (differences.length === 0 || tries === mostAnswers) return { answer, differences };
    }
  }

  it(`classifies, divides seats and finds levels alike, in ${configurations} configurations`, async () => {
    const random = new Random(seed);
    const classes = new Set<string>();
    for (let i = 0; i < configurations; i += 1) {
      const question = generateFlowQuestion(random);
      const { answer, differences } = await askUntilAlike(question);
      expect(differences, `configuration ${i}`).toEqual([]);
      for (const { schema } of answer.classified ?? []) classes.add(schema);
    }
    // Rules, and not only the one for all others, took requests.
    expect(classes.size).toBeGreaterThan(5);
  });

  it(`keeps objects by the same writes, in ${keptSets} states`, async () => {
    const random = new Random(seed);
    for (let i = 0; i < keptSets; i += 1) {
      const question = generateKeptQuestion(random);
      expect(findKeptDifferences(question, await oracle.ask(question)), `state ${i}`).toEqual([]);
    }
  });

  it('hashes flows and deals hands alike', async () => {
    const random = new Random(seed);
    const question = generateFlowQuestion(new Random(seed));
    const { classified = [] } = await oracle.ask(question);
    for (const { schema, distinguisher, hash } of classified) {
      if (hash !== undefined) expect(hashFlow(schema, distinguisher).toString()).toBe(hash);
    }
    const deals = Array.from({ length: hands }, (_, i) => {
      const queues = random.pick([1, 2, 3, 16, 64, 128, 1000]);
      const handSize = 1 + random.below(Math.min(queues, 6));
      return { hash: hashFlow(`schema-${i}`, `flow-é-${random.below(100)}`).toString(), queues, handSize };
    });
    const dealt = deals.map(({ hash, queues, handSize }) => dealHand(BigInt(hash), queues, handSize));
    expect(dealt).toEqual((await oracle.ask({ deals })).hands);
  });

  it('has recorded what Kubernetes answers now', async () => {
    const random = new Random(recordedSeed);
    const cases: unknown[] = [];
    for (let i = 0; i < recordedConfigurations; i += 1) {
      const question = generateFlowQuestion(random);
      cases.push({ question, answer: await oracle.ask(question) });
    }
    const { schemas = [], levels = [] }: FlowOracleAnswer = await oracle.ask({ bootstrap: true });
    const text = JSON.stringify({ bootstrap: { schemas, levels }, configurations: cases });
    await expect(await format(text, { ...(await resolveConfig(recorded)), filepath: recorded })).toMatchFileSnapshot(
      recorded,
    );
  });
});
