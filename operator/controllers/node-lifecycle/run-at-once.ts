/** Works after which everything else has its turn, for works that never wait. */
const stretch = 50;

/** Runs works in their order, so many at once; resolves when all have ended. A work must not throw. */
export async function runAtOnce(works: readonly (() => Promise<void>)[], limit: number): Promise<void> {
  const left = works.entries();
  const runners = Array.from({ length: Math.min(limit, works.length) }, async () => {
    for (const [index, work] of left) {
      if (index % stretch === stretch - 1) await new Promise((resolve) => setImmediate(resolve));
      await work();
    }
  });
  await Promise.all(runners);
}
