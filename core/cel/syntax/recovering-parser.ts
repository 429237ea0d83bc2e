import { followOf, listExpectedTokens, listRecoveryTokens } from './expected-tokens.ts';
import {
  endOfRule,
  listNextTokens,
  type PlacedAlternative,
  type PlacedGroup,
  type PlacedPart,
  type PlacedRule,
  placeRules,
  type State,
} from './grammar-network.ts';
import type { RuleName } from './grammar.ts';
import { ParseGivenUp } from './parse-given-up.ts';
import { addNode, addToken, makeNode, setNode, setToken, type Token, type TreeNode } from './parse-tree.ts';
import { Predictor } from './predict-alternative.ts';
import { ReturnStack } from './return-stack.ts';
import { displayTokenKinds, quoteText } from './token-display.ts';
import { endOfInput } from './token-kind.ts';
import type { TokenStream } from './token-stream.ts';

type ParseError =
  | { readonly type: 'mismatch'; readonly token: Token; readonly expected: ReadonlySet<number> }
  | { readonly type: 'noAlternative'; readonly start: Token; readonly offending: Token };

/** Asks for rules within a rule, and is given their nodes. */
type RuleParse<T> = Generator<{ readonly rule: RuleName; readonly precedence: number }, T, TreeNode>;

const maxRecoveries = 30;
const maxSkippedTokens = 256;
const predictor = new Predictor();

/** Parses tokens to a tree whatever they are, and reports faults as ANTLR's default strategy finds them and recovers from them. */
export class RecoveringParser {
  readonly #tokens: TokenStream;
  readonly #report: (at: number, message: string) => void;
  readonly #maxDepth: number;
  readonly #rules = placeRules();
  readonly #emptyStack = new ReturnStack();
  readonly #depths = new Map<RuleName, number>();
  readonly #precedences: number[] = [];
  #state: State | undefined;
  #node: TreeNode | undefined;
  #error: ParseError | undefined;
  #isRecovering = false;
  #lastErrorIndex = -1;
  #lastErrorStates = new Set<State | undefined>();
  #recoveries = 0;

  constructor(tokens: TokenStream, report: (at: number, message: string) => void, maxDepth: number) {
    this.#tokens = tokens;
    this.#report = report;
    this.#maxDepth = maxDepth;
  }

  /** Yields the tree; throws ParseGivenUp. */
  parse(): TreeNode {
    // rules within rules are kept in a list, for the stack is too short for the deepest sources
    const running = [this.#parseRule('start', 0)];
    let parsed: TreeNode | undefined;
    for (;;) {
      const step = running.at(-1)!.next(parsed!);
      if (step.done !== true) {
        running.push(this.#parseRule(step.value.rule, step.value.precedence));
        parsed = undefined;
        continue;
      }
      parsed = step.value;
      running.pop();
      if (running.length === 0) return parsed;
    }
  }

  #look(distance = 0): number {
    return this.#tokens.peek(distance).kind;
  }

  #enterDepth(rule: RuleName): void {
    const depth = (this.#depths.get(rule) ?? 0) + 1;
    if (depth > this.#maxDepth) throw new ParseGivenUp(`expression recursion limit exceeded: ${this.#maxDepth}`);
    this.#depths.set(rule, depth);
  }

  #leaveDepth(rule: RuleName): void {
    const depth = this.#depths.get(rule)!;
    if (depth > 0) this.#depths.set(rule, depth - 1);
  }

  *#parseRule(name: RuleName, precedence: number): RuleParse<TreeNode> {
    const rule = this.#rules.get(name)!;
    const parent = this.#node;
    const node = makeNode(name, '', parent, this.#state, this.#tokens.peek(0));
    this.#state = rule.start;
    this.#node = node;
    this.#enterDepth(name);
    if (rule.loop !== undefined) return yield* this.#parseLoop(rule, rule.loop, node, precedence);
    const alternative = this.#choose(rule);
    if (alternative !== undefined) {
      node.name = alternative.name;
      yield* this.#parseParts(alternative.parts, node);
    }
    this.#endRule();
    this.#leaveDepth(name);
    this.#state = node.invokedAt;
    this.#node = parent;
    return node;
  }

  #choose({ choice, alternatives, isAdaptive }: PlacedRule): PlacedAlternative | undefined {
    if (choice === undefined) return alternatives[0];
    this.#state = choice;
    this.#sync();
    if (this.#error !== undefined) return undefined;
    if (isAdaptive) return alternatives[this.#predict(choice) - 1];
    const found = alternatives.find(({ first }) => listNextTokens(first).has(this.#look()));
    const token = this.#tokens.peek(0);
    if (found === undefined) this.#error = { type: 'noAlternative', start: token, offending: token };
    return found;
  }

  *#parseLoop(
    rule: PlacedRule,
    loop: NonNullable<PlacedRule['loop']>,
    first: TreeNode,
    precedence: number,
  ): RuleParse<TreeNode> {
    const parent = first.parent;
    const invokedAt = first.invokedAt;
    this.#precedences.push(precedence);
    let node = first;
    node.name = rule.alternatives[0]!.name;
    yield* this.#parseParts(rule.alternatives[0]!.parts, node);
    this.#state = loop.entry;
    while (this.#wantsIteration(loop.entry)) {
      this.#leaveDepth(rule.name);
      let suffix = loop.suffixes[0]!;
      if (loop.choice !== undefined) {
        this.#state = loop.choice;
        this.#sync();
        if (this.#error !== undefined) break;
        const chosen = loop.suffixes[this.#predict(loop.choice) - 1];
        if (chosen === undefined) break;
        suffix = chosen;
      }
      const left = node;
      node = makeNode(rule.name, suffix.name, parent, invokedAt, left.start);
      left.parent = node;
      left.invokedAt = rule.start;
      setNode(node, 'left', left);
      this.#node = node;
      this.#enterDepth(rule.name);
      this.#state = suffix.test;
      yield* this.#parseParts(suffix.parts, node);
      if (this.#error !== undefined) break;
      this.#state = loop.back;
    }
    this.#endRule();
    this.#precedences.pop();
    this.#leaveDepth(rule.name);
    this.#node = parent;
    return node;
  }

  #wantsIteration(entry: State): boolean {
    this.#sync();
    return this.#error === undefined && this.#predict(entry) === 1;
  }

  #endRule(): void {
    const error = this.#error;
    if (error === undefined) return;
    this.#reportError(error);
    this.#recover();
    this.#error = undefined;
  }

  *#parseParts(parts: readonly PlacedPart[], node: TreeNode): RuleParse<void> {
    for (const part of parts) {
      this.#state = part.state;
      if (part.type === 'token') this.#matchInto(part, node);
      else if (part.type === 'rule') keepNode(part, yield part, node);
      else if (this.#enters(part)) yield* this.#parseGroup(part, node);
      if (this.#error !== undefined) return;
    }
  }

  #matchInto(part: PlacedPart & { readonly type: 'token' }, node: TreeNode): void {
    const token = this.#match(part.kinds);
    if (token === undefined || part.label === undefined) return;
    if (part.isMany) addToken(node, part.label, token);
    else setToken(node, part.label, token);
  }

  #enters(part: PlacedGroup): boolean {
    if (part.type === 'star') return this.#repeats(part, part.state);
    this.#sync();
    if (this.#error !== undefined) return false;
    return part.type === 'plus' || listNextTokens(part.first).has(this.#look());
  }

  *#parseGroup(part: PlacedGroup, node: TreeNode): RuleParse<void> {
    do {
      yield* this.#parseParts(part.parts, node);
      if (this.#error !== undefined || part.type === 'optional') return;
      this.#state = part.back;
    } while (this.#repeats(part, part.type === 'star' ? part.state : part.back));
  }

  #repeats(part: PlacedGroup & { readonly type: 'star' | 'plus' }, decision: State): boolean {
    this.#sync();
    if (this.#error !== undefined) return false;
    return part.isAdaptive ? this.#predict(decision) === 1 : listNextTokens(part.first).has(this.#look());
  }

  /** Yields 0 with an error when there is no alternative. */
  #predict(state: State): number {
    const prediction = predictor.predict({
      state,
      precedence: this.#precedences.at(-1) ?? 0,
      look: (distance) => this.#look(distance),
      outerStack: () => this.#stackOf(this.#node!),
    });
    if (prediction.alternative !== undefined) return prediction.alternative;
    this.#error = {
      type: 'noAlternative',
      start: this.#tokens.peek(0),
      offending: this.#tokens.peek(prediction.deadEnd),
    };
    return 0;
  }

  #stackOf(node: TreeNode): ReturnStack {
    if (node.parent === undefined) return this.#emptyStack;
    node.stack ??= this.#stackOf(node.parent).push(followOf(node.invokedAt!));
    return node.stack;
  }

  #match(kinds: ReadonlySet<number>): Token | undefined {
    const token = this.#tokens.peek(0);
    if (!kinds.has(token.kind)) return this.#recoverInline();
    this.#endRecovery();
    this.#tokens.advance();
    return token;
  }

  #endRecovery(): void {
    this.#isRecovering = false;
    this.#lastErrorIndex = -1;
    this.#lastErrorStates = new Set();
  }

  #sync(): void {
    if (this.#isRecovering) return;
    const state = this.#state!;
    const next = listNextTokens(state);
    if (next.has(endOfRule) || next.has(this.#look())) return;
    if (state.kind === 'blockStart' || state.kind === 'loopEntry') {
      if (this.#deleteToken() === undefined) this.#error = this.#makeMismatch();
    } else if (state.kind === 'loopBack') {
      this.#reportUnwanted();
      const wanted = new Set([...this.#listExpected(), ...listRecoveryTokens(this.#node)]);
      while (this.#look() !== endOfInput && !wanted.has(this.#look())) this.#tokens.advance();
    }
  }

  #makeMismatch(): ParseError {
    return { type: 'mismatch', token: this.#tokens.peek(0), expected: this.#listExpected() };
  }

  #countRecovery(): void {
    if (this.#recoveries++ < maxRecoveries) return;
    this.#report(this.#tokens.peek(0).at, `error recovery attempt limit exceeded: ${maxRecoveries}`);
    throw new ParseGivenUp();
  }

  #recoverInline(): Token | undefined {
    this.#countRecovery();
    const found = this.#deleteToken();
    if (found !== undefined) {
      this.#tokens.advance();
      return found;
    }
    const after = this.#state!.transitions[0]!.target;
    if (listExpectedTokens(after, this.#node).has(this.#look())) {
      this.#reportMissing();
      return this.#makeMissing();
    }
    this.#error = this.#makeMismatch();
    return undefined;
  }

  #makeMissing(): Token {
    const current = this.#tokens.peek(0);
    const place = current.kind === endOfInput ? (this.#tokens.previous() ?? current) : current;
    const kind = Math.min(...this.#listExpected());
    const text = kind === endOfInput ? '<missing EOF>' : `<missing ${displayTokenKinds(new Set([kind]))}>`;
    return { kind, text, at: place.at, index: -1 };
  }

  /** Steps over a token that stands before one that is expected, and yields that one. */
  #deleteToken(): Token | undefined {
    if (!this.#listExpected().has(this.#look(1))) return undefined;
    this.#reportUnwanted();
    this.#tokens.advance();
    this.#endRecovery();
    return this.#tokens.peek(0);
  }

  #recover(): void {
    this.#countRecovery();
    let skipped = 0;
    const skip = (): void => {
      if (skipped++ >= maxSkippedTokens) {
        throw new ParseGivenUp(`error recovery token lookahead limit exceeded: ${maxSkippedTokens}`);
      }
      this.#tokens.advance();
    };
    if (this.#lastErrorIndex === this.#tokens.index && this.#lastErrorStates.has(this.#state)) skip();
    this.#lastErrorIndex = this.#tokens.index;
    this.#lastErrorStates.add(this.#state);
    const wanted = listRecoveryTokens(this.#node);
    while (this.#look() !== endOfInput && !wanted.has(this.#look())) skip();
  }

  #reportError(error: ParseError): void {
    if (this.#isRecovering) return;
    this.#isRecovering = true;
    if (error.type === 'mismatch') {
      const expected = displayTokenKinds(error.expected);
      this.#report(error.token.at, `mismatched input ${displayToken(error.token)} expecting ${expected}`);
      return;
    }
    const { start, offending } = error;
    const text = start.kind === endOfInput ? '<EOF>' : this.#tokens.readText(start, offending);
    const message = `no viable alternative at input ${quoteText(text)}`;
    const keyword = /no viable alternative at input '.(true|false|null)'/;
    this.#report(offending.at, message.replace(keyword, "mismatched input '$1' expecting IDENTIFIER"));
  }

  #reportUnwanted(): void {
    this.#reportCurrent((token, expected) => `extraneous input ${token} expecting ${expected}`);
  }

  #reportMissing(): void {
    this.#reportCurrent((token, expected) => `missing ${expected} at ${token}`);
  }

  #reportCurrent(describe: (token: string, expected: string) => string): void {
    if (this.#isRecovering) return;
    this.#isRecovering = true;
    const token = this.#tokens.peek(0);
    this.#report(token.at, describe(displayToken(token), displayTokenKinds(this.#listExpected())));
  }

  #listExpected(): ReadonlySet<number> {
    return listExpectedTokens(this.#state!, this.#node);
  }
}

function keepNode(part: PlacedPart & { readonly type: 'rule' }, child: TreeNode, node: TreeNode): void {
  if (part.label === undefined) return;
  if (part.isMany) addNode(node, part.label, child);
  else setNode(node, part.label, child);
}

function displayToken(token: Token): string {
  return quoteText(token.kind === endOfInput ? '<EOF>' : token.text);
}
