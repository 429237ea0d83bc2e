/**
 * Shuffle sharding: the queues that a flow may use, `handSize` different ones of `deckSize`, by the 64 bits of its hash; the same ones that
 * Kubernetes deals. Every hand is equally likely while `deckSize` to the power of `handSize` is below 2^60.
 */
export function dealHand(hash: bigint, deckSize: number, handSize: number): number[] {
  const remainders: number[] = [];
  let rest = hash;
  for (let dealt = 0; dealt < handSize; dealt += 1) {
    const left = BigInt(deckSize - dealt);
    remainders.push(Number(rest % left));
    rest /= left;
  }
  // The n-th remainder counts among the cards that are left; those before it are made room for, the latest first.
  return remainders.map((remainder, position) => {
    let card = remainder;
    for (let earlier = position - 1; earlier >= 0; earlier -= 1) {
      if (card >= (remainders[earlier] ?? 0)) card += 1;
    }
    return card;
  });
}
