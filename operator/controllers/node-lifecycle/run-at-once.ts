/** Runs works in their order, so many at once; resolves when all have ended. Throws what the first failing one throws, once the others that run have ended. */
export async function runAtOnce(works: readonly (() => Promise<void>)[], limit: number): Promise<void> {
  const left = works.values();
  const runners = Array.from({ length: Math.min(limit, works.length) }, async () => {
    for (const work of left) await work();
  });
  const ends = await Promise.allSettled(runners);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
