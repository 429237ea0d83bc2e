import { TurnYield } from '../../../platform/process/event-loop-yield.ts';

/** Runs works in their order, so many at once, and in slices where they never wait; resolves when all have ended. A work must not throw. */
export async function runAtOnce(works: readonly (() => Promise<void>)[], limit: number): Promise<void> {
  const left = works.values();
  const turns = new TurnYield();
  const runners = Array.from({ length: Math.min(limit, works.length) }, async () => {
    for (const work of left) {
      if (turns.isDue()) await turns.pause();
      await work();
    }
  });
  await Promise.all(runners);
}
