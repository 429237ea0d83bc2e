import { RE2JS, RE2JSException } from 're2js';
import { measurePattern } from './measure-pattern.ts';
import { makeTextAutomaton, type PatternProgram, type TextAutomaton } from './text-automaton.ts';

/** Why a pattern is none, in the words of Go's `regexp`. */
export interface RegexFault {
  readonly fault: string;
}

/** More instructions than anybody's pattern has, and few enough to be compiled in a fraction of a second. */
const maxProgramSize = 250_000;
/** Time for each code unit that meets each instruction: 50 ns, as measured for the worst patterns. */
const workPerStep = 0.5;

/** A compiled pattern; matching takes time in proportion to the text, whatever the pattern. */
export class Regex {
  readonly #compiled: RE2JS;
  readonly #programSize: number;
  /** Whether one match may look at all of the text and yet be short, so that finding them all can take the square of its length. */
  readonly #mayLookAhead: boolean;
  /** Null: not made yet. */
  #automaton: TextAutomaton | undefined | null = null;

  constructor(compiled: RE2JS, pattern: string) {
    this.#compiled = compiled;
    this.#programSize = compiled.programSize();
    this.#mayLookAhead = /[*+]|,\}/.test(pattern) && /\||\)(?:[?*]|\{0)/.test(pattern);
  }

  /** Whether some part of the text matches. */
  test(text: string): boolean {
    if (this.#automaton === null) this.#automaton = makeTextAutomaton(this.#compiled.re2().prog as PatternProgram);
    return this.#automaton?.test(text) ?? this.#compiled.test(text);
  }

  /** The first match; empty when there is none. */
  find(text: string): string {
    return this.#compiled.re2().find(text) ?? '';
  }

  /** All matches, or the first `limit` when that is not negative. */
  findAll(text: string, limit = -1): string[] {
    if (limit === 0) return [];
    return this.#compiled.re2().findAll(text, limit < 0 ? -1 : limit) ?? [];
  }

  /** An upper bound of the time of `test` and `find`, in units of 100 ns. */
  estimateMatch(text: string): number {
    return (text.length + 1) * this.#programSize * workPerStep;
  }

  /** An upper bound of the time of `findAll`, in units of 100 ns. */
  estimateAll(text: string): number {
    return this.estimateMatch(text) * (this.#mayLookAhead ? (text.length + 1) / 2 : 1);
  }
}

/** Gives every group of the same name another one, which Go allows; the names are not used. */
function renameGroups(pattern: string): string {
  let count = 0;
  return pattern.replaceAll(/\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\(\?P?<(\w+)>/g, (part, name: string | undefined) =>
    name === undefined ? part : `(?P<g${(count += 1)}>`,
  );
}

function compile(pattern: string): Regex | RegexFault {
  if (measurePattern(pattern) > maxProgramSize) return { fault: 'error parsing regexp: expression too large' };
  try {
    return new Regex(RE2JS.compile(pattern), pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    if (error.message.includes('duplicate capture group name')) return compile(renameGroups(pattern));
    return { fault: error.message.replace(/at end of expression$/, 'at end of expression: ``') };
  }
}

const cache = new Map<string, Regex | RegexFault>();
const maxCachedPatterns = 512;
const maxCachedLength = 4096;

let lastPattern: string | undefined;
let lastRegex: Regex | RegexFault;

/** Compiles a pattern of RE2; the last few hundred are kept. */
export function compileRegex(pattern: string): Regex | RegexFault {
  if (pattern !== lastPattern) {
    lastRegex = findRegex(pattern);
    lastPattern = pattern;
  }
  return lastRegex;
}

function findRegex(pattern: string): Regex | RegexFault {
  const cached = cache.get(pattern);
  if (cached !== undefined) return cached;
  const compiled = compile(pattern);
  if (pattern.length > maxCachedLength) return compiled;
  for (const oldest of cache.keys()) {
    if (cache.size < maxCachedPatterns) break;
    cache.delete(oldest);
  }
  cache.set(pattern, compiled);
  return compiled;
}

/** Time to compile a pattern, in units of 100 ns; 0 when it is kept. */
function estimateCompilation(pattern: string): number {
  if (pattern === lastPattern || cache.has(pattern)) return 0;
  return 70 * pattern.length + 10 * Math.min(maxProgramSize, measurePattern(pattern));
}

/** An upper bound of the time to compile a pattern and use it on a text, in units of 100 ns. */
export function estimateRegex(text: string, pattern: string, isAll = false): number {
  const compilation = estimateCompilation(pattern);
  // One that is not quick to compile is not compiled just to be asked.
  if (compilation > 100_000) return compilation + text.length * measurePattern(pattern) * workPerStep;
  const regex = compileRegex(pattern);
  if ('fault' in regex) return compilation;
  return compilation + (isAll ? regex.estimateAll(text) : regex.estimateMatch(text));
}
