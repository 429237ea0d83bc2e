import type { DifferentialCase } from './differential-case.ts';
import { normalizeAnswers, type NormalAnswer } from './normalize-answers.ts';
import { playCase } from './play-case.ts';
import type { Target } from './target.ts';

const atOnce = 6;
// Servers have made objects of their own before, and clocks have whole seconds.
const clockSlackMillis = 900_000;

/** The answers of one target by case, or why it could not be played. */
export type PlayedCases = ReadonlyMap<string, readonly NormalAnswer[] | Error>;

/** Plays cases at a target, several at once, those that must be alone one after the other at the end. */
export async function runCases(target: Target, cases: readonly DifferentialCase[]): Promise<PlayedCases> {
  const fromMillis = Date.now() - clockSlackMillis;
  const played = new Map<string, readonly NormalAnswer[] | Error>();
  const play = async (given: DifferentialCase): Promise<void> => {
    try {
      const answers = await playCase(target, given);
      const facts = { url: target.url, fromMillis, untilMillis: Date.now() + clockSlackMillis };
      played.set(given.name, normalizeAnswers(answers, facts));
    } catch (error) {
      played.set(given.name, new Error(`${given.name} could not be played at ${target.name}`, { cause: error }));
    }
  };
  const waiting = cases.filter(({ alone }) => alone !== true);
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await play(next);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  for (const given of cases) if (given.alone === true) await play(given);
  return played;
}
