/** An instruction of a compiled pattern, as re2js makes it. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(rune: number): boolean;
}

/** The program of a compiled pattern. */
export interface PatternProgram {
  readonly start: number;
  numInst(): number;
  getInst(index: number): Instruction;
}

const op = { alternative: 1, alternativeMatch: 2, capture: 3, emptyWidth: 4, fail: 5, match: 6, nothing: 7, rune: 8 };
const lastRuneOp = 11;
const beginText = 4;
const endText = 8;

const asciiCount = 128;
const unknown = -1;
const accepting = -2;
const failing = -3;
const maxInstructions = 500;
const maxStates = 128;

/** Makes an automaton of a program; `undefined` when it is too big or asks for more than ends of the text, such as boundaries of words. */
export function makeTextAutomaton(program: PatternProgram): TextAutomaton | undefined {
  if (program.numInst() > maxInstructions) return undefined;
  for (let index = 0; index < program.numInst(); index++) {
    const instruction = program.getInst(index);
    const isEnd = instruction.arg === beginText || instruction.arg === endText;
    if ((instruction.op === op.emptyWidth && !isEnd) || instruction.op > lastRuneOp) return undefined;
  }
  return new TextAutomaton(program);
}

/** Tells whether texts of ASCII match a pattern somewhere, in one step a character; its states are made when they are met. */
export class TextAutomaton {
  readonly #program: PatternProgram;
  /** Where a match may begin behind the first character. */
  readonly #laterStart: readonly number[];
  /** For each state and character: the state after it, `unknown`, `accepting` or `failing`. */
  #next = new Int16Array(4 * asciiCount).fill(unknown);
  readonly #instructions: (readonly number[])[] = [];
  /** Per state: whether the text matches when it ends there; `undefined`: not asked yet. */
  readonly #matchesAtEnd: (boolean | undefined)[] = [];
  readonly #states = new Map<string, number>();
  readonly #first: number;

  constructor(program: PatternProgram) {
    this.#program = program;
    this.#laterStart = this.#close([program.start], 0);
    this.#first = this.#findState(this.#close([program.start], beginText));
  }

  /** `undefined` when the text is empty or not ASCII, or the pattern needs too many states: nothing is known then. */
  test(text: string): boolean | undefined {
    if (text === '') return undefined;
    const { length } = text;
    let table = this.#next;
    // a state is told by where its characters begin in the table
    let state = this.#first;
    for (let index = 0; index < length && state >= 0; index++) {
      const character = text.charCodeAt(index);
      if (character >= asciiCount) return undefined;
      let next = table[state + character]!;
      if (next === unknown) {
        next = this.#step(state, character);
        if (next === unknown) return undefined;
        table = this.#next;
        table[state + character] = next;
      }
      state = next;
    }
    if (state < 0) return state === accepting;
    const place = state / asciiCount;
    return (this.#matchesAtEnd[place] ??= this.#hasMatch(this.#close(this.#instructions[place]!, endText)));
  }

  #step(state: number, character: number): number {
    const after: number[] = [];
    for (const index of this.#instructions[state / asciiCount]!) {
      const instruction = this.#program.getInst(index);
      if (instruction.op >= op.rune && instruction.matchRune(character)) after.push(instruction.out);
    }
    return this.#findState(this.#close(after, 0, this.#laterStart));
  }

  /** The state of a set of instructions, `accepting` or `failing`; `unknown` when there are too many states. */
  #findState(instructions: readonly number[]): number {
    if (instructions.length === 0) return failing;
    if (this.#hasMatch(instructions)) return accepting;
    const key = instructions.join();
    const found = this.#states.get(key);
    if (found !== undefined) return found;
    if (this.#instructions.length >= maxStates) return unknown;
    const state = this.#instructions.length * asciiCount;
    if (state >= this.#next.length) {
      const grown = new Int16Array(this.#next.length * 2).fill(unknown);
      grown.set(this.#next);
      this.#next = grown;
    }
    this.#instructions.push(instructions);
    this.#matchesAtEnd.push(undefined);
    this.#states.set(key, state);
    return state;
  }

  #hasMatch(instructions: readonly number[]): boolean {
    return instructions.some((index) => this.#program.getInst(index).op === op.match);
  }

  /** Follows instructions that take no character, as at the end of the text that `holds` tells, if any. What waits for the end of the text is kept. */
  #close(from: readonly number[], holds: number, closed: readonly number[] = []): readonly number[] {
    const seen = new Set(closed);
    const kept = [...closed];
    const pending = [...from];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (seen.has(index)) continue;
      seen.add(index);
      const instruction = this.#program.getInst(index);
      switch (instruction.op) {
        case op.alternative:
        case op.alternativeMatch:
          pending.push(instruction.arg, instruction.out);
          break;
        case op.capture:
        case op.nothing:
          pending.push(instruction.out);
          break;
        case op.emptyWidth:
          if (instruction.arg === holds) pending.push(instruction.out);
          else if (instruction.arg === endText) kept.push(index);
          break;
        case op.fail:
          break;
        default:
          kept.push(index);
      }
    }
    return kept.toSorted((left, right) => left - right);
  }
}
