import { encodeJson } from '../../core/decode/encode-json.ts';
import { answerWrite } from '../../kinds/apiextensions/custom-resource/testdata/answer-write.ts';
import type {
  CustomAnswer,
  CustomCase,
  CustomWrite,
} from '../../kinds/apiextensions/custom-resource/testdata/custom-case.ts';
import type { GeneratedSchema } from './generate-schemas.ts';
import { isDefined, playCase, takesWrite, type Send } from './play-case.ts';

/** A write that two servers answered differently. */
interface Difference {
  readonly schema: unknown;
  readonly write: CustomWrite;
  readonly real: CustomAnswer;
  readonly ours: CustomAnswer;
}

/** What came of comparing a real API server with our kinds. */
export interface Comparison {
  readonly differences: readonly Difference[];
  readonly writes: number;
  readonly refused: number;
}

function asJson(value: unknown): string {
  return encodeJson(value);
}

/** Creates, and changes one of what was created into all others. Schemas that the server does not take are passed over. */
export async function compareGenerated(send: Send, generated: readonly GeneratedSchema[]): Promise<Comparison> {
  const cases = generated.map(({ schema, values }, index): CustomCase => {
    const writes = values.map((spec): CustomWrite => ({ spec }));
    return { name: `generated-${index}`, schema, writes };
  });
  const defined: CustomCase[] = [];
  for (const one of cases) if (await isDefined(send, one)) defined.push(one);
  const differences: Difference[] = [];
  let [writes, refused] = [0, 0];
  for (const one of defined) {
    const olds: CustomWrite[] = [];
    for (const write of one.writes) if (await takesWrite(send, one, write)) olds.push(write);
    const changes = olds.slice(0, 1).flatMap(({ spec: old }) => one.writes.map(({ spec }) => ({ spec, old })));
    const whole: CustomCase = { ...one, writes: [...one.writes, ...changes] };
    const answers = await playCase(send, whole);
    for (const [index, write] of whole.writes.entries()) {
      const real = answers[index];
      const ours = JSON.parse(asJson(answerWrite(whole, write, index))) as CustomAnswer;
      if (real === undefined) throw new Error('a write was not answered');
      writes++;
      if (real.code >= 400) refused++;
      if (describe(real) !== describe(ours)) differences.push({ schema: one.schema, write, real, ours });
    }
  }
  return { differences, writes, refused };
}

/** Members in one order. */
function describe(answer: CustomAnswer): string {
  return JSON.stringify(answer, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
