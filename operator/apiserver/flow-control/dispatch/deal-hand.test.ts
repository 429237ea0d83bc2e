import { describe, expect, it } from 'vitest';
import { hashFlow } from '../hash-flow.ts';
import { dealHand } from './deal-hand.ts';

/** Of `total`, how many ways there are to take `taken`. */
function choose(total: number, taken: number): number {
  let ways = 1;
  for (let i = 0; i < taken; i += 1) ways = (ways * (total - i)) / (i + 1);
  return ways;
}

/**
 * The chance that every queue of a flow's hand is in the hand of one of so many others: what these cover grows hand by hand, each drawn
 * without regard to the others.
 */
function computeCoverage(queues: number, handSize: number, others: number): number {
  let chances = new Map([[0, 1]]);
  for (let hand = 0; hand < others; hand += 1) {
    const next = new Map<number, number>();
    for (const [covered, chance] of chances) {
      for (let added = 0; added <= handSize; added += 1) {
        const ways = choose(queues - covered, added) * choose(covered, handSize - added);
        if (ways === 0 || handSize - added > covered) continue;
        const sum = next.get(covered + added) ?? 0;
        next.set(covered + added, sum + (chance * ways) / choose(queues, handSize));
      }
    }
    chances = next;
  }
  let total = 0;
  for (const [covered, chance] of chances) {
    if (covered >= handSize) total += (chance * choose(covered, handSize)) / choose(queues, handSize);
  }
  return total;
}

describe('dealHand', () => {
  it.for<[hash: bigint, deckSize: number, handSize: number, hand: number[]]>([
    [0n, 8, 3, [0, 1, 2]],
    [1n, 8, 3, [1, 0, 2]],
    [8n * 7n - 1n, 8, 3, [7, 6, 0]],
    [8n * 7n * 6n - 1n, 8, 3, [7, 6, 5]],
    [8n * 7n * 6n, 8, 3, [0, 1, 2]],
    [5n, 1, 1, [0]],
    [2n ** 64n - 1n, 64, 8, [63, 15, 55, 23, 31, 2, 39, 34]],
  ])('deals of %s with %i queues %i', ([hash, deckSize, handSize, hand]) => {
    expect(dealHand(hash, deckSize, handSize)).toEqual(hand);
  });

  // As the documentation of Kubernetes prints them.
  it.for<[queues: number, handSize: number, elephants: number, chance: number]>([
    [32, 12, 1, 4.428838398950118e-9],
    [32, 12, 4, 0.11431348830099144],
    [64, 8, 1, 2.25929199850899e-10],
    [64, 8, 4, 0.0004886697053040446],
    [64, 8, 16, 0.35935114681123076],
    [128, 8, 16, 0.02746173137155063],
    [1024, 6, 16, 4.517408062903668e-7],
  ])(
    'with %i queues and hands of %i, covers a flow by %i others as the formula says',
    ([queues, handSize, elephants, chance]) => {
      const computed = computeCoverage(queues, handSize, elephants);
      expect(computed / chance).toBeCloseTo(1, 6);
      const trials = 4000;
      let covered = 0;
      for (let trial = 0; trial < trials; trial += 1) {
        const taken = new Set<number>();
        for (let elephant = 0; elephant < elephants; elephant += 1) {
          for (const queue of dealHand(hashFlow('elephants', `${trial}/${elephant}`), queues, handSize))
            taken.add(queue);
        }
        if (dealHand(hashFlow('mice', String(trial)), queues, handSize).every((queue) => taken.has(queue)))
          covered += 1;
      }
      const deviation = Math.sqrt(trials * computed * (1 - computed));
      expect(Math.abs(covered - trials * computed)).toBeLessThanOrEqual(4 * deviation + 0.5);
    },
  );

  it('deals every queue as often as any other, in every place', () => {
    const [queues, handSize, trials] = [16, 4, 40_000];
    const counts = Array.from({ length: handSize }, () => Array.from({ length: queues }, () => 0));
    for (let trial = 0; trial < trials; trial += 1) {
      const hand = dealHand(hashFlow('flows', String(trial)), queues, handSize);
      expect(new Set(hand).size).toBe(handSize);
      for (const [place, queue] of hand.entries()) {
        const row = counts[place] ?? [];
        row[queue] = (row[queue] ?? 0) + 1;
      }
    }
    const expected = trials / queues;
    for (const count of counts.flat()) expect(Math.abs(count - expected)).toBeLessThan(5 * Math.sqrt(expected));
  });
});
