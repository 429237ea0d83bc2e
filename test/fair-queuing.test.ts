import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runQueues } from './fair-queuing/run-queues.ts';
import { questionArbitrary } from './fair-queuing/question-arbitrary.ts';
import { startQueuingOracle } from './oracle/start-queuing-oracle.ts';

const isSoak = process.env['BAILIWICK_SOAK'] !== undefined;
const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Math.floor(Math.random() * 2 ** 31) : 20_260_401));
const runs = isSoak ? 10_000 : 300;
let oracle: Awaited<ReturnType<typeof startQueuingOracle>>;

beforeAll(async () => {
  oracle = await startQueuingOracle();
});

afterAll(() => oracle.stop());

describe('fair queuing against the queues of Kubernetes', () => {
  it.for(['narrow', 'wide', 'without queues'] as const)(
    'lets the same requests begin at the same times, in the same order: %s',
    async (kind) => {
      const seen = { requests: 0, waited: 0, never: 0 };
      await fc.assert(
        fc.asyncProperty(questionArbitrary(kind), async (question) => {
          const [expected, found] = [await oracle.ask(question), runQueues(question)];
          expect(found.startedNanos).toEqual(expected.startedNanos);
          expect(found.order).toEqual(expected.order ?? []);
          expect(found.nextDispatch).toEqual(expected.nextDispatch ?? []);
          for (const name of ['average', 'deviation', 'max'] as const) {
            expect(found[name], name).toBeCloseTo(expected[name], 6);
          }
          seen.requests += found.startedNanos.length;
          seen.never += found.startedNanos.filter((at) => at < 0).length;
          seen.waited += found.startedNanos.filter((at, i) => at > (question.requests[i]?.atNanos ?? 0)).length;
        }),
        { numRuns: runs, seed },
      );
      console.log(`${kind}, seed ${seed}: ${seen.requests} requests, ${seen.waited} waited, ${seen.never} never began`);
      // Otherwise nothing was shown.
      if (kind !== 'without queues') expect(seen.waited).toBeGreaterThan(0);
      if (kind !== 'wide') expect(seen.never).toBeGreaterThan(0);
    },
  );
});
